import type { Router } from 'express';
import type { Registry } from 'prom-client';
import { simulatorControls } from './chains.ts';
import type { Maintenance } from './maintenance.ts';
import type { RefundLinks } from './refund-links.ts';
import type { BackupStatus } from './scheduled-backups.ts';
import type { Simulator } from '../chains/simulator/simulator.ts';
import type { Config } from '../config/config.ts';
import { webDirectory } from '../config/package-root.ts';
import type { DomainChecks } from '../workers/site-checks/domain-checks.ts';
import type { Coin, Mode } from '../domain/coins.ts';
import type { ReadReceiveBranch, SecretBox } from '../domain/keys.ts';
import type { Logger } from '../domain/ports.ts';
import type { Certificate } from '../http/server/certificate.ts';
import type { Route } from '../http/server/route.ts';
import { attentionRoutes } from '../http/routes/attention.ts';
import { auditRoutes } from '../http/routes/audit.ts';
import { authRoutes } from '../http/routes/auth.ts';
import { connectRoutes } from '../http/routes/connect.ts';
import { customerRoutes } from '../http/routes/customers.ts';
import { createOrderCounter, type CountOrder } from '../http/server/order-counter.ts';
import { createSnapshots } from '../http/checkout/snapshots.ts';
import { CheckoutEventStreams } from '../http/checkout/event-streams.ts';
import { linksRouter } from '../http/links/router.ts';
import { brandRouter } from '../http/brand/router.ts';
import { checkoutRouter } from '../http/checkout/router.ts';
import { excessPageRouter } from '../http/refund-page/excess-router.ts';
import { subscriptionPageRouter } from '../http/subscription-page/router.ts';
import { refundPageRouter } from '../http/refund-page/router.ts';
import { createPublicLimit } from '../http/server/public-limit.ts';
import { dashboardRouter } from '../http/pages/dashboard.ts';
import { assetsRouter, loadWebAssets, type WebAssets } from '../http/pages/web-assets.ts';
import { domainRoutes } from '../http/routes/domains.ts';
import { eventRoutes } from '../http/routes/events.ts';
import { exportRoutes } from '../http/routes/export.ts';
import { keyRoutes } from '../http/routes/keys.ts';
import { merchantRoutes } from '../http/routes/merchants.ts';
import { monthReportRoutes } from '../http/routes/month-report.ts';
import { noticeRoutes } from '../http/routes/notices.ts';
import { noticesPageRouter } from '../http/notices-page/router.ts';
import { undoForwardRouter } from '../http/notices-page/undo-router.ts';
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
import { volumeRoutes } from '../http/routes/volume.ts';
import { sendApprovalRoutes } from '../http/routes/send-approvals.ts';
import { walletForwardRoutes } from '../http/routes/wallet-forward.ts';
import { walletFreezeRoutes } from '../http/routes/wallet-freeze.ts';
import { walletLimitsRoutes } from '../http/routes/wallet-limits.ts';
import { walletOutputRoutes } from '../http/routes/wallet-outputs.ts';
import { walletRoutes } from '../http/routes/wallet.ts';
import { webhookEndpointRoutes } from '../http/routes/webhook-endpoints.ts';
import { webhookRoutes } from '../http/routes/webhooks.ts';
import type { ReplicaStatus } from '../replica/watch.ts';
import { createHttpServer, type HttpServer } from '../http/http-server.ts';
import { createPdfRenderer } from '../pdf/render-pdf.ts';
import type { ServerFaults } from '../usecases/attention/index.ts';
import {
  createLoginThrottle,
  noLoginThrottle,
  type PasswordHasher,
  type Tokens,
} from '../usecases/accounts/index.ts';
import { type BackupAge, redirectRule } from '../usecases/shops/index.ts';
import type { CreatePaymentDeps, PaymentChangeBus } from '../usecases/payments/index.ts';
import { LongPollWaiters } from '../usecases/webhooks/index.ts';
import type { SendCoinsDeps } from '../usecases/wallet/index.ts';
import { readReadiness } from '../workers/chain-watcher/readiness.ts';
import type { Watcher } from '../workers/chain-watcher/watcher.ts';
import type { WebhookQueue } from '../workers/webhook-delivery/queue.ts';

/** Dependencies of the routes: those of the use cases, and the running parts they call. */
interface HttpDeps extends CreatePaymentDeps, SendCoinsDeps {
  readonly readReceiveBranch: ReadReceiveBranch;
  readonly rates: CreatePaymentDeps['rates'];
  readonly config: Config;
  readonly secretBox: SecretBox;
  readonly tokens: Tokens;
  readonly passwords: PasswordHasher;
  readonly queue: WebhookQueue;
  readonly refundLinks: RefundLinks;
  readonly news: PaymentChangeBus;
  readonly domainChecks: DomainChecks;
  readonly watcher: Watcher;
  readonly upkeep: Maintenance;
  readonly registry: Registry;
  readonly simulators: readonly Simulator[];
  readonly hasLiveCoin: boolean;
  /** The setup token of the first user, if only that one may register. */
  readonly setupToken: string;
  readonly checkAnswers: boolean;
  readonly version: string;
  /** Warnings for the operator that are not about a chain. */
  readonly warnings: () => readonly string[];
  readonly backup: () => BackupStatus;
  readonly backupAge: () => BackupAge;
  readonly replica: () => ReplicaStatus | null;
  /** A newer release than the running one. */
  readonly update: ServerFaults['newerRelease'];
  /** Null for plain HTTP. */
  readonly certificate: Certificate | null;
  readonly troubles: ServerFaults;
}

/** Every route of the API on one server, not listening yet. */
export function createHttp(deps: HttpDeps): HttpServer {
  const { config, db, clock, logger, secretBox, tokens, checkAnswers } = deps;
  const of = routeDependencies(deps);
  db.database.onNewEvent = of.events.waiters.wake;
  const streams = new CheckoutEventStreams(createSnapshots(of.frames), logger);
  const assets = loadWebAssets(webDirectory());
  if (assets.dashboard === null) logger.warn({}, 'the web pages are not built: run npm run build');
  const countOrder = createOrderCounter(deps.registry);
  const server = createHttpServer({
    routes: createRoutes(of, countOrder),
    db,
    clock,
    logger,
    secretBox,
    tokens,
    readiness: async () => ({
      ...(await readReadiness(
        db,
        () => deps.upkeep.chains(),
        () => deps.warnings(),
      )),
      backup: deps.backup(),
      replica: deps.replica(),
      update: deps.update(),
    }),
    registry: deps.registry,
    settings: {
      trustProxy: config.http.trustProxy,
      bodyLimitBytes: config.http.bodyLimitBytes,
      authRatePerMinute: config.auth.ratePerMinute,
      publicRatePerMinute: config.http.publicRatePerMinute,
      accessLog: config.http.accessLog,
      adminListen: config.http.adminListen,
      baseUrl: config.http.baseUrl,
      version: deps.version,
    },
    checkAnswers,
    tls: deps.certificate,
    pages: createPages(of, streams, {
      assets,
      logger,
      publicPerMinute: config.http.publicRatePerMinute,
      countOrder,
    }),
    docsScript: assets.docsScript,
  });
  return {
    ...server,
    close: async (graceMs) => {
      streams.close();
      of.events.waiters.close();
      await server.close(graceMs);
    },
  };
}

/** Dependencies of each group of routes and pages, by least privilege: only routes that send coins can sign. */
export function routeDependencies(deps: HttpDeps) {
  const { config, db, clock, logger, secretBox, rates, chains, baseUrl, wakeWebhooks, watcher } = deps;
  const { deriver, toWatchKey, webhookUrlRule, onPaymentChanged, unconfirmedGraceMs, confirmations } = deps;
  const store = { db, clock };
  const grace = unconfirmedGraceMs === undefined ? {} : { unconfirmedGraceMs };
  const views = { ...store, chains, baseUrl, confirmations };
  const payments = { ...views, logger, rates, onPaymentChanged, wakeWebhooks, ...grace };
  const addresses = { deriver, toWatchKey };
  const simulation = {
    simulators: simulatorControls(deps.simulators),
    wakeWatcher: (coin: Coin, mode: Mode) => watcher.wake(coin, mode),
  };
  const account = {
    ...store,
    logger,
    passwords: deps.passwords,
    tokens: deps.tokens,
    secretBox,
    guard: config.auth.ratePerMinute === 0 ? noLoginThrottle() : createLoginThrottle(clock),
    baseUrl,
    hasMailServer: config.smtp !== null,
  };
  const { explorers } = config;
  const payerExplorers = explorers.forPayers ? explorers.byCoin : {};
  const sends = { ...payments, deriver, sign: deps.sign, policy: deps.policy, inFlight: deps.inFlight };
  const hasMailServer = config.smtp !== null;
  const receipts = { ...views, payerExplorers, secretBox, hasMailServer };
  const followedChains = () => watcher.health();
  return {
    auth: {
      ...account,
      registration: config.auth.registration,
      setupToken: deps.setupToken,
      explorers: explorers.byCoin,
    },
    merchants: {
      ...store,
      ...addresses,
      secretBox,
      defaults: config.payments,
      shopsPerAccount: config.auth.shopsPerAccount,
      hasLiveCoin: deps.hasLiveCoin,
      webhookUrlRule,
      wakeWebhooks,
      followedChains,
    },
    setup: { db, followedChains, backupAge: deps.backupAge },
    attention: { ...views, followedChains, faults: deps.troubles },
    domains: { ...store, logger, wakeWebhooks, checker: deps.domainChecks },
    keys: { ...store, secretBox },
    catalog: { ...store, logger, secretBox },
    people: { ...store, secretBox, baseUrl, hasMailServer },
    connect: { ...store, secretBox, redirectRule: redirectRule(config.webhooks.allowPrivate) },
    store,
    payments: { ...payments, ...addresses, webhookUrlRule, secretBox },
    sends,
    forwards: { ...store, logger, chains, policy: deps.policy, readReceiveBranch: deps.readReceiveBranch },
    refundLinks: { ...payments, deriver, secretBox, sendClaims: async () => deps.refundLinks.sendClaims() },
    notices: { ...store, secretBox, hasMailServer },
    links: { ...store, baseUrl },
    rates: { rates },
    sandbox: { ...payments, ...simulation },
    webhooks: { ...store, logger, attempts: deps.queue },
    endpoints: { ...store, secretBox, webhookUrlRule, wakeWebhooks },
    events: { ...store, waiters: new LongPollWaiters() },
    frames: { ...views, payerExplorers, news: deps.news },
    checkout: { ...payments, ...simulation, ...receipts },
    receipts,
  };
}

type Parts = ReturnType<typeof routeDependencies>;

interface PageParts {
  readonly assets: WebAssets;
  readonly logger: Logger;
  readonly publicPerMinute: number;
  readonly countOrder: CountOrder;
}

/** Dashboard and checkout, with the built web assets. */
function createPages(
  of: Parts,
  streams: CheckoutEventStreams,
  { assets, logger, publicPerMinute, countOrder }: PageParts,
): Router[] {
  const publicLimit = createPublicLimit(publicPerMinute, logger);
  return [
    assetsRouter(assets),
    dashboardRouter(assets),
    checkoutRouter({ ...of.checkout, assets, streams }),
    brandRouter(of.checkout),
    excessPageRouter({ ...of.refundLinks, assets, claimLimit: publicLimit }),
    refundPageRouter({ ...of.refundLinks, assets, claimLimit: publicLimit }),
    linksRouter({ ...of.payments, assets, publicLimit, countOrder }),
    subscriptionPageRouter({ ...of.payments, assets, publicLimit, countOrder }),
    noticesPageRouter({ ...of.notices, logger, assets }),
    undoForwardRouter({ ...of.notices, logger, assets }),
  ];
}

function createRoutes(of: Parts, countOrder: CountOrder): Route[] {
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
    ...walletOutputRoutes(of.sends),
    ...walletFreezeRoutes(of.sends),
    ...walletLimitsRoutes(of.sends),
    ...walletForwardRoutes(of.forwards),
    ...sendApprovalRoutes(of.sends),
    ...eventRoutes(of.events),
    ...webhookRoutes(of.webhooks),
    ...webhookEndpointRoutes(of.endpoints),
  ];
}
