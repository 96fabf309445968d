import type { Router } from 'express';
import type { Logger } from '../domain/ports.ts';
import type { Route } from '../http/server/route.ts';
import { attentionRoutes } from '../http/routes/attention.ts';
import { auditRoutes } from '../http/routes/audit.ts';
import { authRoutes } from '../http/routes/auth.ts';
import { counterDeviceRoutes } from '../http/routes/counter-device.ts';
import { counterRoutes } from '../http/routes/counters.ts';
import { connectRoutes } from '../http/routes/connect.ts';
import { customerRoutes } from '../http/routes/customers.ts';
import type { CountOrder } from '../http/server/order-counter.ts';
import { CheckoutEventStreams } from '../http/checkout/event-streams.ts';
import { linksRouter } from '../http/links/router.ts';
import { brandRouter } from '../http/brand/router.ts';
import { checkoutRouter } from '../http/checkout/router.ts';
import { excessPageRouter } from '../http/refund-page/excess-router.ts';
import { subscriptionPageRouter } from '../http/subscription-page/router.ts';
import { refundPageRouter } from '../http/refund-page/router.ts';
import { createPublicLimit } from '../http/server/public-limit.ts';
import { counterRouter } from '../http/counter/router.ts';
import { dashboardRouter } from '../http/pages/dashboard.ts';
import { assetsRouter, type WebAssets } from '../http/pages/web-assets.ts';
import { domainRoutes } from '../http/routes/domains.ts';
import { eventRoutes } from '../http/routes/events.ts';
import { exportRoutes } from '../http/routes/export.ts';
import { keyRoutes } from '../http/routes/keys.ts';
import { merchantRoutes } from '../http/routes/merchants.ts';
import { monthReportRoutes } from '../http/routes/month-report.ts';
import { noticeRoutes } from '../http/routes/notices.ts';
import { noticesPageRouter } from '../http/notices-page/router.ts';
import { undoRouter } from '../http/notices-page/undo-router.ts';
import { paymentNoteRoutes } from '../http/routes/payment-notes.ts';
import { paymentRoutes } from '../http/routes/payments.ts';
import { paymentLinkRoutes } from '../http/routes/payment-links.ts';
import { peopleRoutes } from '../http/routes/people.ts';
import { priceRoutes } from '../http/routes/prices.ts';
import { productRoutes } from '../http/routes/products.ts';
import { rateRoutes } from '../http/routes/rates.ts';
import { receiptRoutes } from '../http/routes/receipts.ts';
import { refundLinkRoutes } from '../http/routes/refund-links.ts';
import { refundRoutes } from '../http/routes/refunds.ts';
import { subscriptionRoutes } from '../http/routes/subscriptions.ts';
import { restrictedKeyRoutes } from '../http/routes/restricted-keys.ts';
import { sandboxRoutes } from '../http/routes/sandbox.ts';
import { setupRoutes } from '../http/routes/setup.ts';
import { treasuryRoute } from '../http/routes/treasury.ts';
import { volumeRoutes } from '../http/routes/volume.ts';
import { sendApprovalRoutes } from '../http/routes/send-approvals.ts';
import { walletForwardRoutes } from '../http/routes/wallet-forward.ts';
import { walletWatchRoutes } from '../http/routes/wallet-watch.ts';
import { walletFreezeRoutes } from '../http/routes/wallet-freeze.ts';
import { walletLabelRoutes } from '../http/routes/wallet-labels.ts';
import { walletLimitsRoutes } from '../http/routes/wallet-limits.ts';
import { walletOutputRoutes } from '../http/routes/wallet-outputs.ts';
import { walletRoutes } from '../http/routes/wallet.ts';
import { webhookEndpointRoutes } from '../http/routes/webhook-endpoints.ts';
import { webhookRoutes } from '../http/routes/webhooks.ts';
import { createPdfRenderer } from '../pdf/render-pdf.ts';
import type { RouteDependencies } from './route-dependencies.ts';

interface PageParts {
  readonly assets: WebAssets;
  readonly logger: Logger;
  readonly publicPerMinute: number;
  readonly countOrder: CountOrder;
}

/** Dashboard, checkout and the other pages of payers and staff, with the built web assets. */
export function createPages(
  of: RouteDependencies,
  streams: CheckoutEventStreams,
  { assets, logger, publicPerMinute, countOrder }: PageParts,
): Router[] {
  const publicLimit = createPublicLimit(publicPerMinute, logger);
  return [
    assetsRouter(assets),
    dashboardRouter(assets),
    counterRouter(assets),
    // Its own queue: payers do not hold up the reports of shops.
    checkoutRouter({ ...of.checkout, assets, streams, renderPdf: createPdfRenderer() }),
    brandRouter(of.checkout),
    excessPageRouter({ ...of.refundLinks, assets, claimLimit: publicLimit }),
    refundPageRouter({ ...of.refundLinks, assets, claimLimit: publicLimit }),
    linksRouter({ ...of.payments, assets, publicLimit, countOrder }),
    subscriptionPageRouter({
      ...of.payments,
      hasMailServer: of.people.hasMailServer,
      assets,
      publicLimit,
      countOrder,
    }),
    noticesPageRouter({ ...of.notices, logger, assets }),
    undoRouter({ ...of.notices, logger, assets }),
  ];
}

/** Every route of the API, with the dependencies of its group. */
export function createRoutes(of: RouteDependencies, countOrder: CountOrder): Route[] {
  return [
    ...authRoutes(of.auth),
    ...merchantRoutes(of.merchants),
    ...setupRoutes(of.setup),
    ...noticeRoutes(of.notices),
    ...domainRoutes(of.domains),
    ...keyRoutes(of.keys),
    ...peopleRoutes(of.people),
    ...auditRoutes(of.people),
    ...attentionRoutes(of.attention),
    ...restrictedKeyRoutes(of.store),
    ...connectRoutes(of.connect),
    ...customerRoutes(of.catalog),
    ...productRoutes(of.catalog),
    ...priceRoutes(of.catalog),
    ...paymentLinkRoutes(of.links),
    ...counterRoutes(of.links),
    ...counterDeviceRoutes(of.payments, countOrder),
    ...subscriptionRoutes(of.payments),
    ...paymentRoutes(of.payments, countOrder),
    ...paymentNoteRoutes(of.payments),
    ...refundRoutes(of.sends),
    ...refundLinkRoutes(of.refundLinks),
    ...receiptRoutes(of.receipts),
    ...volumeRoutes(of.store),
    ...exportRoutes(of.store),
    ...monthReportRoutes({ ...of.store, renderPdf: createPdfRenderer() }),
    ...rateRoutes(of.rates),
    ...sandboxRoutes(of.sandbox),
    ...walletRoutes(of.sends),
    treasuryRoute(of.sends),
    ...walletOutputRoutes(of.sends),
    ...walletLabelRoutes(of.sends),
    ...walletFreezeRoutes(of.sends),
    ...walletLimitsRoutes(of.sends),
    ...walletForwardRoutes(of.forwards),
    ...walletWatchRoutes(of.watch),
    ...sendApprovalRoutes(of.sends),
    ...eventRoutes(of.events),
    ...webhookRoutes(of.webhooks),
    ...webhookEndpointRoutes(of.endpoints),
  ];
}
