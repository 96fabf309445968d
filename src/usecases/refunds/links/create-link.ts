import type { Creator } from '../../../domain/actor.ts';
import { COINS, type Coin } from '../../../domain/coins.ts';
import { AppError, invalidField } from '../../../domain/errors.ts';
import { formatFiat } from '../../../domain/fiat.ts';
import type { SecretBox } from '../../../domain/keys.ts';
import { formatCoinAmount } from '../../../domain/money.ts';
import {
  remainingRefundable,
  type RemainingRefundable,
} from '../../../domain/payment/remaining-refundable.ts';
import { policyIn } from '../../../domain/payment/terms.ts';
import type { RefundPreset, RefundRate, RefundRequester } from '../../../domain/payment/refund-link.ts';
import { isBought } from '../../../domain/payment/link-terms.ts';
import type { CoinSums } from '../../../domain/payment/types.ts';
import type { Clock, Rates } from '../../../domain/ports.ts';
import { atomsFor, convertToMinor } from '../../../domain/price.ts';
import { creatorColumns } from '../../../store/creators.ts';
import { formatSums } from '../../../store/payments/sum-columns.ts';
import {
  findRefundLink,
  insertRefundLink,
  updateRefundLink,
  type StoredRefundLink,
} from '../../../store/payments/refund-links.ts';
import type { RefundLinkRow } from '../../../store/schema/refund-links.ts';
import type { Db, Tx } from '../../../store/sqlite/database.ts';
import { tokenHash } from '../../accounts/index.ts';
import { newId, randomBase62 } from '../../events/index.ts';
import { storeNoResult, type StoreResult } from '../../idempotent-result.ts';
import {
  findOwnGroupLead,
  linkUrl,
  type LoadedPayment,
  loadPayment,
  type LoadPaymentDeps,
  presentLink,
  type RefundLinkView,
} from '../../payments/index.ts';
import {
  nothingRefundable,
  readFiat,
  requireKnownRate,
  toAtoms,
  exchangeRateFor,
  receivedRate,
} from '../refundable.ts';
import { remainingExcess } from './remaining-claim.ts';

export interface CreateLinkDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly rates: Rates;
  readonly secretBox: SecretBox;
  readonly baseUrl: string;
  readonly confirmations: LoadPaymentDeps['confirmations'];
}

/** The part of a payment that a link refunds. */
export type RefundLinkRequest =
  | { readonly kind: 'amount'; readonly amount: string; readonly currency: string }
  | { readonly kind: RefundPreset };

export interface CreateLinkInput {
  readonly merchantId: string;
  /** Who creates it; absent: unknown. */
  readonly creator?: Creator | null | undefined;
  readonly paymentId: string;
  readonly request: RefundLinkRequest;
  /** The only coin that may be chosen; needed for `all` and `excess` when money came in several. */
  readonly coin?: Coin | undefined;
  readonly rate: RefundRate;
  readonly expiresInDays: number;
  readonly approval: boolean;
  readonly deductFee: boolean;
  readonly reason: string | null;
}

const DAY_MS = 24 * 3_600_000;
/** 43 base62 characters carry the 256 bits of 32 random bytes. */
const TOKEN_LENGTH = 43;

/**
 * Creates a link by which the payer gets money back, in a chosen coin of those received and to an address of
 * their own. It reserves nothing; at the rate at receipt the amounts are fixed here, at the current rate only
 * at the claim.
 * @throws {AppError} PAYMENT_NOT_FOUND, INVALID_STATE (nothing refundable), VALIDATION_INVALID,
 * RATE_UNAVAILABLE
 */
export async function createRefundLink(
  deps: CreateLinkDeps,
  input: CreateLinkInput,
  storeResult: StoreResult<RefundLinkView> = storeNoResult,
): Promise<RefundLinkView> {
  const { merchantId, paymentId, rate } = input;
  const { currency } = await findOwnGroupLead(deps.db, { merchantId, paymentId });
  if (rate === 'current') await deps.rates.ensure(currency);
  const token = newLinkToken();
  return deps.db.transaction(async (tx) => {
    const stored = await storeRefundLink(tx, deps, input, { token, requestedBy: 'merchant' });
    const view = presentLink(stored, linkUrl(deps, token));
    await storeResult(tx, view);
    return view;
  });
}

interface NewLink {
  readonly token: string;
  readonly requestedBy: RefundRequester;
}

/** The token of a new link. */
export function newLinkToken(): string {
  return randomBase62(TOKEN_LENGTH);
}

/** Stores an unclaimed link. @throws {AppError} like createRefundLink */
export async function storeRefundLink(
  tx: Tx,
  deps: CreateLinkDeps,
  input: CreateLinkInput,
  of: NewLink,
): Promise<StoredRefundLink> {
  const id = newId('rfl_');
  await insertRefundLink(tx, await toRow(tx, deps, input, { ...of, id }));
  const stored = await findRefundLink(tx, id);
  if (stored === undefined) throw new Error(`refund link ${id} was not stored`);
  return stored;
}

/** Gives an unclaimed link the current terms and a new expiry. @throws {AppError} like createRefundLink */
export async function renewRefundLink(
  tx: Tx,
  deps: CreateLinkDeps,
  input: CreateLinkInput,
  { id }: StoredRefundLink,
): Promise<StoredRefundLink> {
  return updateRefundLink(tx, id, await currentTerms(tx, deps, input));
}

/** The terms of a link that depend on the money of its payment and on the time. */
async function currentTerms(tx: Tx, deps: CreateLinkDeps, input: CreateLinkInput) {
  const { merchantId, paymentId } = input;
  const payment = await loadPayment(tx, deps, await findOwnGroupLead(tx, { merchantId, paymentId }));
  const { amount, atoms } = terms(deps, payment, input);
  const now = deps.clock.now();
  return {
    amount,
    currency: payment.row.currency,
    amountsJson: formatSums(atoms) ?? '{}',
    openedComplete: isBought(payment.state),
    updatedAt: now,
    expiresAt: now + input.expiresInDays * DAY_MS,
  };
}

async function toRow(
  tx: Tx,
  deps: CreateLinkDeps,
  input: CreateLinkInput,
  { id, token, requestedBy }: NewLink & { readonly id: string },
): Promise<RefundLinkRow> {
  const { merchantId, paymentId, request, rate, approval, deductFee, reason } = input;
  return {
    id,
    merchantId,
    ...creatorColumns(input.creator ?? null),
    paymentId,
    tokenHash: tokenHash(token),
    tokenSealed: deps.secretBox.seal(token),
    rate,
    preset: request.kind === 'amount' ? null : request.kind,
    approval,
    deductFee,
    requestedBy,
    reason,
    status: 'open',
    coin: null,
    claimed: null,
    destination: null,
    claimId: null,
    claimChecked: false,
    reopenedBy: null,
    sendId: null,
    problem: null,
    cancelReason: null,
    claimValue: null,
    claimUnpriced: '0',
    claimCompletedJson: null,
    claimByAcceptance: false,
    createdAt: deps.clock.now(),
    claimedAt: null,
    approvedAt: null,
    paidAt: null,
    ...(await currentTerms(tx, deps, input)),
  };
}

interface Terms {
  /** In the payment's currency. */
  readonly amount: string;
  /** Atoms of the payment's money, per coin that may be chosen. */
  readonly atoms: CoinSums;
}

function terms(deps: CreateLinkDeps, payment: LoadedPayment, input: CreateLinkInput): Terms {
  const { request, coin } = input;
  if (coin !== undefined && policyIn(payment.state, coin) === undefined) {
    throw invalidField('coin', `this payment does not accept ${coin}`);
  }
  const minorUnits = request.kind === 'amount' ? readFiat(request, payment) : null;
  const offered = (coin === undefined ? COINS : [coin]).filter(
    (each) => remainingToClaim(payment, each).atoms > 0n,
  );
  if (offered.length === 0) throw nothingRefundable(payment, coin ?? firstPaid(payment));
  if (request.kind === 'amount' && minorUnits !== null) {
    return {
      amount: request.amount,
      atoms: amountIn(deps, payment, { offered, minorUnits, rate: input.rate }),
    };
  }
  const [only, ...others] = offered;
  if (only === undefined || others.length > 0) {
    throw invalidField('coin', `name one of ${offered.join(', ')}: all of them were paid`, 'required');
  }
  return preset(deps, payment, { coin: only, isExcess: request.kind === 'excess', rate: input.rate });
}

/** A claim may wait for the confirmations of its money. */
function remainingToClaim({ state }: LoadedPayment, coin: Coin): RemainingRefundable {
  return remainingRefundable(state, coin, { mayWait: true });
}

function firstPaid(payment: LoadedPayment): Coin {
  const paid = payment.state.credits.find(({ state }) => state !== 'gone');
  if (paid === undefined) throw new AppError('INVALID_STATE', 'This payment has no money to refund');
  return paid.coin;
}

/**
 * A stated amount in each coin with enough money. @throws {AppError} VALIDATION_INVALID when there is none
 */
function amountIn(
  deps: CreateLinkDeps,
  payment: LoadedPayment,
  ask: { readonly offered: readonly Coin[]; readonly minorUnits: bigint; readonly rate: RefundRate },
): CoinSums {
  const atoms: Partial<Record<Coin, bigint>> = {};
  const most: string[] = [];
  for (const coin of ask.offered) {
    const left = remainingToClaim(payment, coin);
    const worth = exchangeRateFor(deps.rates, payment, left, ask.rate);
    const needed = toAtoms(ask.minorUnits, worth, coin);
    if (ask.rate === 'received') requireKnownRate(left, needed);
    if (needed <= left.atoms) atoms[coin] = needed;
    const value = fiatText(payment, convertToMinor(left.atoms, worth));
    most.push(`${value} in ${coin} (${formatCoinAmount(left.atoms, coin)})`);
  }
  if (Object.keys(atoms).length > 0) return atoms;
  throw invalidField('amount', `at most ${most.join(' or ')} can still be refunded`);
}

/** The whole remainder of a coin, or its excess. */
function preset(
  deps: CreateLinkDeps,
  payment: LoadedPayment,
  { coin, isExcess, rate }: { readonly coin: Coin; readonly isExcess: boolean; readonly rate: RefundRate },
): Terms {
  const left = remainingToClaim(payment, coin);
  const atoms = isExcess ? remainingExcess(payment, coin, { mayWait: true }) : left.atoms;
  const worth = exchangeRateFor(deps.rates, payment, left, 'received');
  if (atoms <= 0n) throw nothingBeyond(payment);
  if (!isExcess) requireKnownRate(left, atoms);
  const value = convertToMinor(atoms, worth);
  if (value <= 0n) {
    throw new AppError(
      'INVALID_STATE',
      `The remainder is worth less than the smallest amount of ${payment.row.currency}`,
    );
  }
  const amount = fiatText(payment, value);
  if (rate === 'received') return { amount, atoms: { [coin]: atoms } };
  const now = atomsFor(value, exchangeRateFor(deps.rates, payment, left, 'current'));
  return { amount, atoms: { [coin]: now < left.atoms ? now : left.atoms } };
}

/**
 * Money of unknown value may be in excess of the price. @throws {AppError} RATE_UNAVAILABLE where there is
 * some
 */
function nothingBeyond(payment: LoadedPayment): AppError {
  for (const coin of COINS) {
    const left = remainingToClaim(payment, coin);
    if (left.atoms > 0n) receivedRate(payment, left);
  }
  return new AppError('INVALID_STATE', 'Nothing was paid beyond the price');
}

function fiatText({ row }: LoadedPayment, minor: bigint): string {
  return formatFiat({ minor, currency: row.currency });
}
