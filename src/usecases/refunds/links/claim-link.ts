import type { Coin } from '../../../domain/coins.ts';
import { AppError, invalidField } from '../../../domain/errors.ts';
import { parseFiat } from '../../../domain/fiat.ts';
import { formatCoinAmount } from '../../../domain/money.ts';
import type { RefundValue } from '../../../domain/payment/refund-value.ts';
import type { AddressDeriver } from '../../../domain/keys.ts';
import type { Rates } from '../../../domain/ports.ts';
import { findPayment } from '../../../store/payments/payments.ts';
import { updateRefundLink, type StoredRefundLink } from '../../../store/payments/refund-links.ts';
import type { Db, Tx } from '../../../store/sqlite/database.ts';
import { newId } from '../../events/index.ts';
import {
  type ApplyFactsDeps,
  applyRefunds,
  emitRefundEvent,
  type LoadedPayment,
  loadPayment,
  refundColumns,
} from '../../payments/index.ts';
import { rejectOwnRefundAddress } from '../refund-order.ts';
import { remainingRefundable } from '../../../domain/payment/remaining-refundable.ts';
import { completedBy } from '../../../domain/payment/status.ts';
import { refundShare } from '../refundable.ts';
import { chainFor, planOrder, quoteFee, sumPlan } from '../../wallet/index.ts';
import { type LinkTerms, toSendOrder, type Claim } from './claim-order.ts';
import { claimOptions, linkByToken } from './payer-link.ts';

/** Nothing here signs, because any holder of a link has access to it. */
export interface ClaimLinkDeps extends ApplyFactsDeps {
  readonly db: Db;
  readonly rates: Rates;
  readonly deriver: AddressDeriver;
  readonly wakeWebhooks: () => void;
}

/** The payer's choice. */
export interface ClaimTarget {
  readonly coin: Coin;
  readonly destination: string;
}

export interface ClaimRequest extends ClaimTarget {
  readonly token: string;
}

/** The amounts of a claim before it is made, decimal strings in the coin's unit. */
export interface ClaimPreview {
  readonly amount: string;
  /** Null where the shop pays it, or while it is unknown. */
  readonly fee: string | null;
  /** Null while it is unknown. */
  readonly arrives: string | null;
  /** False while it is unknown whether the network would carry it. */
  readonly isChecked: boolean;
}

/**
 * Checks a claim before it is made: the address, the available money, and whether the network would carry it.
 * @throws {AppError} like claimRefundLink
 */
export async function previewClaim(deps: ClaimLinkDeps, request: ClaimRequest): Promise<ClaimPreview> {
  const link = await linkByToken(deps.db, request.token);
  if (link.rate === 'current') await deps.rates.ensure(link.currency);
  return previewOrder(deps, link, await claimFor(deps.db, deps, link, request));
}

/**
 * Claims a link, once for ever: it reserves the money, which the next round sends unless the shop must
 * approve. Repeating the same claim changes nothing. Problems of the shop (a node that is down, an empty
 * wallet) do not concern the payer: the claim is stored and sent once they are over, or dropped if the
 * network would then not carry it.
 * @throws {AppError} LINK_NOT_FOUND; INVALID_STATE when it cannot be claimed (any more); VALIDATION_INVALID
 * naming `coin`, `destination` or `amount`; RATE_UNAVAILABLE, COIN_UNAVAILABLE
 */
export async function claimRefundLink(deps: ClaimLinkDeps, request: ClaimRequest): Promise<void> {
  const link = await linkByToken(deps.db, request.token);
  if (isSameClaim(deps, link, request)) return;
  if (link.rate === 'current') await deps.rates.ensure(link.currency);
  const { isChecked } = await previewOrder(deps, link, await claimFor(deps.db, deps, link, request));
  const isNew = await deps.db.transaction(async (tx) => claim(tx, deps, request, isChecked));
  if (!isNew) return;
  deps.logger.info(
    { linkId: link.id, paymentId: link.paymentId, coin: request.coin },
    'refund claimed by the payer',
  );
  deps.wakeWebhooks();
}

/** False when the same claim was made in the meantime. */
async function claim(
  tx: Tx,
  deps: ClaimLinkDeps,
  request: ClaimRequest,
  isChecked: boolean,
): Promise<boolean> {
  const link = await linkByToken(tx, request.token);
  if (isSameClaim(deps, link, request)) return false;
  await claimLink(tx, deps, link, { ...request, isChecked });
  return true;
}

/** Claims an open link: the money of the order is checked in this transaction. */
export async function claimLink(
  tx: Tx,
  deps: ClaimLinkDeps,
  link: StoredRefundLink,
  { isChecked, ...request }: ClaimTarget & { readonly isChecked: boolean },
): Promise<void> {
  const { coin, atoms, destination } = await claimFor(tx, deps, link, request);
  const payment = await loadLinkPayment(tx, deps, link);
  const given = claimGiven(link, payment, coin, atoms);
  const columns = refundColumns({ ...given, completedBy: completedBy(payment.state) });
  const now = deps.clock.now();
  const claimed = await updateRefundLink(tx, link.id, {
    status: 'claimed',
    coin,
    claimed: atoms.toString(),
    destination,
    claimId: newId('rcl_'),
    claimChecked: isChecked,
    claimValue: columns.value,
    claimUnpriced: columns.unpriced,
    claimCompletedJson: columns.completedJson,
    claimByAcceptance: columns.byAcceptance,
    reopenedBy: null,
    claimedAt: now,
    updatedAt: now,
  });
  await applyRefunds(tx, deps, link.paymentId);
  await emitRefundEvent(tx, deps, 'refund.claimed', claimed);
}

/** The share of the price that the claim refunds. */
function claimGiven(link: StoredRefundLink, payment: LoadedPayment, coin: Coin, atoms: bigint): RefundValue {
  const left = remainingRefundable(payment.state, coin, { mayWait: true });
  const fiat = link.rate === 'current' ? parseFiat(link.amount, link.currency).minor : null;
  return refundShare(payment, left, atoms, fiat);
}

async function loadLinkPayment(
  db: Db,
  deps: ClaimLinkDeps,
  { paymentId: id }: StoredRefundLink,
): Promise<LoadedPayment> {
  const row = await findPayment(db, id);
  if (row === undefined) throw new Error(`payment ${id} does not exist`);
  return loadPayment(db, deps, row);
}

/** Whether a link was claimed in exactly this way, because a form was sent twice. */
export function isSameClaim(
  deps: Pick<ClaimLinkDeps, 'chains'>,
  link: StoredRefundLink,
  { coin, destination }: ClaimTarget,
): boolean {
  if (
    link.coin !== coin ||
    link.destination === null ||
    !['claimed', 'approved', 'paid'].includes(link.status)
  ) {
    return false;
  }
  const adapter = deps.chains.get(coin, link.mode);
  const text = destination.trim();
  if (adapter === null || adapter.validateAddress(text) !== null) return link.destination === text;
  return adapter.watchKey(link.destination) === adapter.watchKey(text);
}

/** The claim in the current state. Inside a transaction the result stays valid until its end. */
async function claimFor(
  db: Db,
  deps: ClaimLinkDeps,
  link: StoredRefundLink,
  request: ClaimTarget,
): Promise<Claim> {
  if (link.status !== 'open') throw new AppError('INVALID_STATE', `This refund link is ${link.status}`);
  if (deps.clock.now() >= link.expiresAt) throw new AppError('INVALID_STATE', 'This refund link is expired');
  const options = claimOptions(deps.rates, link, await loadLinkPayment(db, deps, link));
  if (options.length === 0)
    throw new AppError('INVALID_STATE', 'The money of this refund link is no longer available');
  const option = options.find(({ coin }) => coin === request.coin);
  if (option === undefined)
    throw invalidField('coin', `must be ${options.map(({ coin }) => coin).join(' or ')}`);
  const requestedClaim = { ...option, destination: request.destination.trim() };
  await rejectOwnRefundAddress(db, deps, await toSendOrder(db, link, requestedClaim));
  return requestedClaim;
}

/** Reasons of the shop's own, or temporary ones: the claim is sent once they are over. */
const TRANSIENT_ERRORS = new Set(['INSUFFICIENT_BALANCE', 'NODE_UNAVAILABLE']);

/** Waits for the network. @throws {AppError} VALIDATION_INVALID when the network would never carry it */
export async function previewOrder(
  deps: ClaimLinkDeps,
  link: LinkTerms,
  requestedClaim: Claim,
): Promise<ClaimPreview> {
  const { coin, atoms } = requestedClaim;
  const amount = formatCoinAmount(atoms, coin);
  try {
    const order = await toSendOrder(deps.db, link, requestedClaim);
    const adapter = chainFor(deps.chains, order);
    const quote = await quoteFee(deps, adapter, order);
    const plan = await planOrder(deps.db, deps, order, { adapter, quote });
    const fee = order.subtractFee ? formatCoinAmount(plan.fee, coin) : null;
    return { amount, fee, arrives: formatCoinAmount(sumPlan(plan).amount, coin), isChecked: true };
  } catch (error) {
    if (!(error instanceof AppError) || !TRANSIENT_ERRORS.has(error.code)) throw error;
    return { amount, fee: null, arrives: link.deductFee ? null : amount, isChecked: false };
  }
}
