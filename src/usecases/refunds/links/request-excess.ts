import { COINS, type Coin } from '../../../domain/coins.ts';
import { AppError, invalidField } from '../../../domain/errors.ts';
import { formatFiat } from '../../../domain/fiat.ts';
import { formatCoinAmount } from '../../../domain/money.ts';
import type { RefundLinkStatus } from '../../../domain/payment/refund-link.ts';
import { remainingRefundable } from '../../../domain/payment/remaining-refundable.ts';
import { convertToMinor } from '../../../domain/price.ts';
import { creatorColumns } from '../../../store/creators.ts';
import { findMerchant } from '../../../store/merchants/merchants.ts';
import { findPayment } from '../../../store/payments/payments.ts';
import { findRequestedLink, type StoredRefundLink } from '../../../store/payments/refund-links.ts';
import type { MerchantRow } from '../../../store/schema/merchants.ts';
import type { Db, Tx } from '../../../store/sqlite/database.ts';
import { type LoadedPayment, loadPayment, type LoadPaymentDeps } from '../../payments/index.ts';
import { allowedEmbedOrigins, shopProfile } from '../../shops/index.ts';
import { rejectOwnRefundAddress } from '../refund-order.ts';
import { receivedRate } from '../refundable.ts';
import {
  claimLink,
  type ClaimLinkDeps,
  type ClaimPreview,
  type ClaimTarget,
  isSameClaim,
  previewOrder,
} from './claim-link.ts';
import { toSendOrder } from './claim-order.ts';
import {
  type CreateLinkDeps,
  type CreateLinkInput,
  newLinkToken,
  renewRefundLink,
  storeRefundLink,
} from './create-link.ts';
import { type ClaimOption, type PayerLink, presentPayerLink } from './payer-link.ts';
import { readExcess } from './read-excess.ts';
import { remainingExcess } from './remaining-claim.ts';

export interface RequestExcessDeps extends ClaimLinkDeps, CreateLinkDeps {
  readonly confirmations: LoadPaymentDeps['confirmations'];
}

export interface ExcessTarget extends ClaimTarget {
  readonly paymentId: string;
  /** The amount that the payer saw, in the coin: another one is refused. */
  readonly amount?: string | undefined;
}

/** The request of a payer for the excess of an order, as the checkout page states it. */
export interface ExcessRequest {
  readonly status: RefundLinkStatus;
  /** Decimal string in the coin's unit; null while it is not claimed. */
  readonly amount: string | null;
  readonly coin: Coin | null;
}

/** A request, or the offer to make one, as its page shows it. */
export interface ExcessPage {
  readonly link: PayerLink;
  readonly locale: string | null;
  readonly embedOrigins: readonly string[];
}

interface Order {
  readonly payment: LoadedPayment;
  readonly merchant: MerchantRow;
  readonly request: StoredRefundLink | undefined;
}

/** As for the shop's own links. */
const EXPIRES_IN_DAYS = 30;

/**
 * What the checkout page says about the excess: whether the payer may request it, and the latest request.
 * @param payment as loaded, of a payment that the page shows
 */
export async function readExcessRequest(
  db: Db,
  payment: LoadedPayment,
  merchant: MerchantRow,
): Promise<{ readonly mayRequest: boolean; readonly request: ExcessRequest | null }> {
  if (payment.row.status !== 'completed') return { mayRequest: false, request: null };
  const request = await findRequestedLink(db, payment.row.id);
  return {
    mayRequest: findOffers({ payment, merchant, request }).length > 0,
    request: request === undefined ? null : presentRequest(request),
  };
}

function presentRequest({ status, coin, claimed }: StoredRefundLink): ExcessRequest {
  const amount = coin === null || claimed === null ? null : formatCoinAmount(BigInt(claimed), coin);
  return { status, amount, coin };
}

/**
 * The page on which a payer requests the excess, or sees the state of the request.
 * @throws {AppError} PAYMENT_NOT_FOUND; INVALID_STATE where there is neither
 */
export async function readExcessPage(deps: RequestExcessDeps, paymentId: string): Promise<ExcessPage> {
  const order = await loadOrder(deps.db, deps, paymentId);
  const { merchant, payment, request } = order;
  const of = { locale: payment.row.locale, embedOrigins: allowedEmbedOrigins(merchant) };
  const offers = findOffers(order);
  if (offers.length > 0) return { ...of, link: presentOffer(deps, order, offers) };
  if (request === undefined) throw nothingToRequest();
  return { ...of, link: await presentPayerLink({ ...deps, now: deps.clock.now() }, request) };
}

/**
 * Checks a request before it is made, like previewClaim.
 * @throws {AppError} like requestExcess
 */
export async function previewExcess(deps: RequestExcessDeps, target: ExcessTarget): Promise<ClaimPreview> {
  return previewRequest(deps, await loadOrder(deps.db, deps, target.paymentId), target);
}

/**
 * Requests the excess of an order for its payer: a refund link for the excess that is claimed at once and waits
 * for the shop's approval. The network fee is deducted. An order has one request at a time; repeating it changes
 * nothing.
 * @throws {AppError} PAYMENT_NOT_FOUND; INVALID_STATE when there is no excess to request, the shop does not
 * allow it, another request exists, or the amount changed; VALIDATION_INVALID naming `coin`, `destination` or
 * `amount`; COIN_UNAVAILABLE
 */
export async function requestExcess(deps: RequestExcessDeps, target: ExcessTarget): Promise<void> {
  const order = await loadOrder(deps.db, deps, target.paymentId);
  if (isRepeated(deps, order, target)) return;
  const { isChecked } = await previewRequest(deps, order, target);
  const linkId = await deps.db.transaction(async (tx) => storeRequest(tx, deps, target, isChecked));
  if (linkId === null) return;
  deps.logger.info(
    { linkId, paymentId: order.payment.row.id, coin: target.coin },
    'excess requested by the payer; its refund waits for approval',
  );
  deps.wakeWebhooks();
}

/** Null when the same request was made in the meantime. */
async function storeRequest(
  tx: Tx,
  deps: RequestExcessDeps,
  target: ExcessTarget,
  isChecked: boolean,
): Promise<string | null> {
  const order = await loadOrder(tx, deps, target.paymentId);
  if (isRepeated(deps, order, target)) return null;
  findOffer(order, target);
  const input = linkInput(order, target.coin);
  const { request } = order;
  const link =
    request?.status === 'open'
      ? await renewRefundLink(tx, deps, input, request)
      : await storeRefundLink(tx, deps, input, { token: newLinkToken(), requestedBy: 'payer' });
  await claimLink(tx, deps, link, { coin: target.coin, destination: target.destination, isChecked });
  return link.id;
}

function linkInput({ payment, merchant }: Order, coin: Coin): CreateLinkInput {
  return {
    merchantId: merchant.id,
    paymentId: payment.row.id,
    request: { kind: 'excess' },
    coin,
    rate: 'received',
    expiresInDays: EXPIRES_IN_DAYS,
    approval: true,
    deductFee: true,
    reason: null,
  };
}

async function loadOrder(db: Db, deps: LoadPaymentDeps, paymentId: string): Promise<Order> {
  const row = await findPayment(db, paymentId);
  const merchant = row === undefined ? undefined : await findMerchant(db, row.merchantId);
  if (row === undefined || merchant === undefined) throw new AppError('PAYMENT_NOT_FOUND', 'No such payment');
  return {
    payment: await loadPayment(db, deps, row),
    merchant,
    request: await findRequestedLink(db, row.id),
  };
}

function isRepeated(deps: RequestExcessDeps, { request }: Order, target: ExcessTarget): boolean {
  return request !== undefined && isSameClaim(deps, request, target) && request.status !== 'paid';
}

/** The excess that a payer may request now, in each coin; empty: none. */
function findOffers({ payment, merchant, request }: Order): ClaimOption[] {
  if (!merchant.payerMayAskExcess || readExcess(payment) === null || !mayRequestAgain(request)) return [];
  return COINS.flatMap((coin): ClaimOption[] => {
    const atoms = remainingExcess(payment, coin, { mayWait: true });
    return atoms > 0n && excessValue(payment, coin, atoms) > 0n ? [{ coin, atoms }] : [];
  });
}

/**
 * Whether the latest request leaves room for another one: it was paid and more money came, its claim could not
 * be sent, or it ended otherwise. One that the shop declined does not.
 */
function mayRequestAgain(request: StoredRefundLink | undefined): boolean {
  if (request === undefined) return true;
  const { status, cancelReason } = request;
  if (status === 'cancelled') return cancelReason !== 'cancelled';
  return status !== 'claimed' && status !== 'approved';
}

/** In minor units, at the rate at receipt. */
function excessValue(payment: LoadedPayment, coin: Coin, atoms: bigint): bigint {
  const left = remainingRefundable(payment.state, coin, { mayWait: true });
  return left.worth === null ? 0n : convertToMinor(atoms, receivedRate(payment, left));
}

function findOffer(order: Order, { coin, amount }: ExcessTarget): ClaimOption {
  const offers = findOffers(order);
  if (offers.length === 0) throw nothingToRequest();
  const offer = offers.find((each) => each.coin === coin);
  if (offer === undefined) {
    throw invalidField('coin', `must be ${offers.map((each) => each.coin).join(' or ')}`);
  }
  if (amount !== undefined && amount !== formatCoinAmount(offer.atoms, coin)) {
    throw new AppError('INVALID_STATE', 'The excess of this payment has changed: check the amount again');
  }
  return offer;
}

async function previewRequest(
  deps: RequestExcessDeps,
  order: Order,
  target: ExcessTarget,
): Promise<ClaimPreview> {
  const { atoms } = findOffer(order, target);
  const { merchant, payment } = order;
  const terms = { merchantId: merchant.id, mode: payment.row.mode, deductFee: true, ...creatorColumns(null) };
  const claim = { coin: target.coin, atoms, destination: target.destination.trim() };
  await rejectOwnRefundAddress(deps.db, deps, await toSendOrder(deps.db, terms, claim));
  return previewOrder(deps, terms, claim);
}

/** The offer in the form of an unclaimed link. */
function presentOffer(
  { clock }: RequestExcessDeps,
  { payment, merchant, request }: Order,
  options: readonly ClaimOption[],
): PayerLink {
  const { row } = payment;
  const values = options.map(({ coin, atoms }) => excessValue(payment, coin, atoms));
  const minor = values.reduce((most, value) => (value > most ? value : most), 0n);
  return {
    status: 'open',
    shop: shopProfile(merchant),
    sandbox: row.mode === 'sandbox',
    order: row.orderLabel ?? row.orderId,
    amount: formatFiat({ minor, currency: row.currency }),
    currency: row.currency,
    reason: null,
    needsApproval: true,
    deductsFee: true,
    expiresAt: clock.now(),
    options,
    claim: null,
    reopenedBy: request?.status === 'open' ? request.reopenedBy : null,
  };
}

function nothingToRequest(): AppError {
  return new AppError('INVALID_STATE', 'This payment has no excess that can be requested now');
}
