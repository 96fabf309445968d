import type { Coin } from '../../domain/coins.ts';
import { carriesPlaceholder, fillWayBack } from '../../domain/payment/way-back.ts';
import type { Language } from '../../i18n/languages.ts';
import type { CheckoutView } from '../../usecases/checkout/index.ts';
import type { Say } from './language.ts';

/** What a checkout page is drawn from. */
export interface PageModel {
  readonly view: CheckoutView;
  readonly language: Language;
  readonly say: Say;
  /** The coin the payer chose, where it is known. */
  readonly coin: Coin | null;
  /** The site that shows the page in a frame and may hear what becomes of the payment; null for a page of its own. */
  readonly embedder: string | null;
}

/** Statuses in which nothing more is expected to happen. */
const FINAL = new Set<CheckoutView['payment']['status']>([
  'completed',
  'expired',
  'cancelled',
  'failed',
  'refunded',
]);

export function isFinal({ payment }: CheckoutView): boolean {
  return FINAL.has(payment.status);
}

/** The receipt, in the language and the frame of the page. */
export function receiptPath(scene: PageModel): string {
  return `/checkout/${scene.view.payment.id}/receipt?${queryOf(scene)}`;
}

/** Where the form goes that mails the receipt. */
export function receiptMailPath(scene: PageModel): string {
  return `/checkout/${scene.view.payment.id}/receipt/mail?${queryOf(scene)}`;
}

/** Where the form goes that makes an expired payment anew. */
export function renewPath(scene: PageModel): string {
  return `/checkout/${scene.view.payment.id}/renew?${queryOf(scene)}`;
}

/** The page of another payment of the same order. */
export function otherPath(scene: PageModel, paymentId: string): string {
  return `/checkout/${paymentId}?${queryOf(scene)}`;
}

/** The payment's page, in the language and the frame of this one. */
export function checkoutPath(scene: PageModel): string {
  return `/checkout/${scene.view.payment.id}?${queryOf(scene)}`;
}

function queryOf({ language, embedder }: PageModel): URLSearchParams {
  return new URLSearchParams({ lang: language, ...(embedder === null ? {} : { embed: embedder }) });
}

/** What payers know the order by. */
export function orderName({ orderId, orderLabel }: CheckoutView['payment']): string {
  return orderLabel ?? orderId;
}

/**
 * Where the payer goes from here, by what the shop said: `successUrl` once the payment succeeded, `returnUrl` when it came
 * to nothing. While money is under way it is neither: only an address that knows the order is right then, never a cart,
 * from which the payer would pay again, and never a page that thanks for the whole.
 */
export function wayBack(view: CheckoutView): string | null {
  const { payment } = view;
  const { id: paymentId, orderId, status } = payment;
  const url = wayBackOf(view);
  return url === null ? null : fillWayBack(url, { paymentId, orderId, status });
}

function wayBackOf({ payment, hasMoney, isByLink }: CheckoutView): string | null {
  const { status, successUrl, returnUrl } = payment;
  if (status === 'completed') return successUrl ?? returnUrl;
  if (!hasMoney || returnUrl === null) return returnUrl;
  const isOfOrder =
    !isByLink && (successUrl === null || successUrl === returnUrl || carriesPlaceholder(returnUrl));
  return isOfOrder ? returnUrl : null;
}

/** Where a link leads back to: as the payment says, else to the shop's domain if that is proven to be its own. */
export function shopUrl(view: CheckoutView): string | null {
  return wayBack(view) ?? (view.shop.isVerified ? `https://${view.shop.domain}/` : null);
}

/** Whether the link leads to the payer's order, and not to where another payment begins. */
export function leadsToOrder(view: CheckoutView): boolean {
  const isOfLink = view.isByLink && view.payment.successUrl === null;
  return view.hasMoney && !isOfLink && wayBack(view) !== null;
}

/** Whether the page goes there by itself. */
export function redirectsAutomatically({ payment }: CheckoutView): boolean {
  if (payment.supersededBy !== undefined) return false;
  return payment.status === 'completed' ? payment.successUrl !== null : payment.status === 'cancelled';
}
