import type { Coin } from '../../domain/coins.ts';
import { carriesPlaceholder, fillReturnUrl } from '../../domain/payment/return-url.ts';
import type { Language } from '../../i18n/languages.ts';
import type { CheckoutView } from '../../usecases/checkout/index.ts';
import type { Translate } from './negotiate-language.ts';

/** The data of a checkout page. */
export interface PageModel {
  readonly view: CheckoutView;
  readonly language: Language;
  readonly say: Translate;
  /** The coin that the payer chose, if known. */
  readonly coin: Coin | null;
  /**
   * The site that shows the page in a frame and may receive the payment's status; null for a page of its own.
   */
  readonly embedder: string | null;
}

/** Statuses in which no further change is expected. */
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
  return `/checkout/${scene.view.payment.id}/receipt?${toQuery(scene)}`;
}

/** The receipt as a PDF file. */
export function receiptPdfPath(scene: PageModel): string {
  return `/checkout/${scene.view.payment.id}/receipt.pdf?${toQuery(scene)}`;
}

/** Target of the form that mails the receipt. */
export function receiptMailPath(scene: PageModel): string {
  return `/checkout/${scene.view.payment.id}/receipt/mail?${toQuery(scene)}`;
}

/** The page on which the payer requests the excess, and its state. */
export function excessPath(scene: PageModel): string {
  return `/checkout/${scene.view.payment.id}/excess?${toQuery(scene)}`;
}

/** Target of the form that renews an expired payment. */
export function renewPath(scene: PageModel): string {
  return `/checkout/${scene.view.payment.id}/renew?${toQuery(scene)}`;
}

/** The page of another payment of the same order. */
export function otherPath(scene: PageModel, paymentId: string): string {
  return `/checkout/${paymentId}?${toQuery(scene)}`;
}

/** The payment's page, in the language and the frame of this one. */
export function checkoutPath(scene: PageModel): string {
  return `/checkout/${scene.view.payment.id}?${toQuery(scene)}`;
}

function toQuery({ language, embedder }: PageModel): URLSearchParams {
  return new URLSearchParams({ lang: language, ...(embedder === null ? {} : { embed: embedder }) });
}

/** The name that payers know the order by. */
export function orderName({ orderId, orderLabel }: CheckoutView['payment']): string {
  return orderLabel ?? orderId;
}

/**
 * The shop's URL for the payer: `successUrl` once the payment succeeded, `returnUrl` when it ended without
 * payment. While money is unconfirmed neither applies: only an address that knows the order is safe then,
 * never a cart, from which the payer would pay again, and never a page that confirms the whole payment.
 */
export function returnUrl(view: CheckoutView): string | null {
  const { payment } = view;
  const { id: paymentId, orderId, status } = payment;
  const url = selectReturnUrl(view);
  return url === null ? null : fillReturnUrl(url, { paymentId, orderId, status });
}

function selectReturnUrl({ payment, hasMoney, isByLink }: CheckoutView): string | null {
  const { status, successUrl, returnUrl } = payment;
  if (status === 'completed') return successUrl ?? returnUrl;
  if (!hasMoney || returnUrl === null) return returnUrl;
  const isOfOrder =
    !isByLink && (successUrl === null || successUrl === returnUrl || carriesPlaceholder(returnUrl));
  return isOfOrder ? returnUrl : null;
}

/** Target of a link back: the payment's URL, otherwise the shop's verified domain. */
export function shopUrl(view: CheckoutView): string | null {
  return returnUrl(view) ?? (view.shop.isVerified ? `https://${view.shop.domain}/` : null);
}

/** Whether the link leads to the payer's order, and not to a page where another payment begins. */
export function leadsToOrder(view: CheckoutView): boolean {
  const isOfLink = view.isByLink && view.payment.successUrl === null;
  return view.hasMoney && !isOfLink && returnUrl(view) !== null;
}

/** Whether the page redirects automatically. */
export function redirectsAutomatically({ payment }: CheckoutView): boolean {
  if (payment.supersededBy !== undefined) return false;
  return payment.status === 'completed' ? payment.successUrl !== null : payment.status === 'cancelled';
}
