import type { Selectable } from 'kysely';
import type { Creator } from '../../domain/actor.ts';
import { AppError } from '../../domain/errors.ts';
import { COIN_DEFINITIONS, type Coin } from '../../domain/coins.ts';
import type { Fiat } from '../../domain/fiat.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import type { Rates } from '../../domain/ports.ts';
import { isUnconfirmed, limitsAt } from '../../domain/send/limit-change.ts';
import { limitDayAt, startOfLimitDay } from '../../domain/send/limit-day.ts';
import {
  type ApprovalReason,
  ApprovalRequired,
  describeReasons,
  exceededLimits,
  freeMoves,
  limitCurrencies,
  type LimitedSend,
  NO_SPENDING_LIMITS,
  type ShopLimits,
  type SpendingLimits,
  type ValueIn,
} from '../../domain/send/spending-limits.ts';
import { findMerchant } from '../merchants/merchants.ts';
import { readMeta } from '../meta.ts';
import { toCreator } from '../creators.ts';
import type { MerchantRow } from '../schema/merchants.ts';
import type { SendRow } from '../schema/sends.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { findApproval } from './send-approvals.ts';
import { type Day, type SpentToday, spentToday, valueNow } from './spent-today.ts';
import { findKeyLimits, findLimits, valuesToJson } from './wallet-limits.ts';

/**
 * The rule that no money leaves above a limit without an approval. It is applied where a send is stored
 * (`insertSend`), so every way in which money leaves passes it: sends, refunds and claims; and where its fee budget is
 * raised (`changeBudget`), because fees leave the wallet as well.
 */

type StoredSend = Selectable<SendRow>;

/** What the limits need to know of a new send. */
export interface OutgoingValue {
  /** Who ordered it; null: unknown. */
  readonly creator: Creator | null;
  /** The keys under which its chain knows the destinations. */
  readonly watchKeys: readonly string[];
  readonly rates: Pick<Rates, 'quote'>;
  /** The fee budget that does not count, atoms: what exceeds it counts like money that leaves. */
  readonly freeFee: bigint;
  /** The share of a limit per day that the fees of moves within the wallet may take without counting, basis points. */
  readonly feeShareBps: number;
  /** Confirmations after which a block that ended a send proves that it never leaves. */
  readonly provenDepth: number;
  readonly now: number;
}

type NewSend = LimitedSend & Pick<StoredSend, 'id' | 'status'>;

type LimitedDay = Day & Pick<OutgoingValue, 'feeShareBps'>;

type LimitColumns = Pick<StoredSend, 'creatorKind' | 'creatorId' | 'leaving' | 'valuesJson'>;

/** The columns of a move within the wallet, which no limit concerns. */
export const WITHIN_WALLET: LimitColumns = {
  creatorKind: null,
  creatorId: null,
  leaving: null,
  valuesJson: null,
};

/**
 * The columns by which a send counts against later ones, if it may leave.
 * @throws {ApprovalRequired} when it needs an approval
 */
export async function enforceSpendingLimits(
  tx: Tx,
  send: NewSend,
  leaving: OutgoingValue,
): Promise<LimitColumns> {
  if (!tx.isTransaction) throw new Error('limits must be checked in the transaction that stores the send');
  const { creator, rates, now } = leaving;
  const terms = await readTerms(tx, send.merchantId, creator, now);
  const { merchant, shop, key } = terms;
  const atoms = leavingAtoms(send) + countedFee(BigInt(send.maxFee), leaving);
  const value = valueNow(rates, send, atoms);
  const day = { ...leaving, start: startOfLimitDay(merchant, now), merchantId: merchant.id, mode: send.mode };
  const reasons: ApprovalReason[] = terms.isUnconfirmed ? ['limits_unconfirmed'] : [];
  if (!isAllowed(shop, send.coin, leaving)) reasons.push('destination');
  reasons.push(...(await exceeded(tx, terms, { value, day })));
  if (reasons.length > 0 && !(await isApproved(tx, send)))
    throw new ApprovalRequired([...new Set(reasons)], send);
  const currencies = limitCurrencies(shop, key).add(merchant.currency);
  return {
    creatorKind: creator?.kind ?? null,
    creatorId: creator?.id ?? null,
    leaving: atoms.toString(),
    valuesJson: valuesToJson(knownValues(currencies, value)),
  };
}

/**
 * Counts the fee budget that a send gets after its order, as if it had been ordered with it.
 * @throws {AppError} FEE_ABOVE_LIMIT when it would have needed an approval, which a raise cannot get, or is above the one
 * that was approved
 */
export async function enforceRaisedBudget(
  tx: Tx,
  send: StoredSend,
  budget: bigint,
  leaving: Omit<OutgoingValue, 'creator' | 'watchKeys'>,
): Promise<void> {
  if (send.purpose !== 'send') return;
  await requireApprovedBudget(tx, send, budget);
  const counted = countedFee(BigInt(send.maxFee), leaving);
  const added = countedFee(budget, leaving) - counted;
  if (added <= 0n) return;
  const { rates, now } = leaving;
  const creator = toCreator(send);
  const terms = await readTerms(tx, send.merchantId, creator, now);
  const { merchant, shop, key } = terms;
  const total = BigInt(send.leaving ?? send.ordered) + added;
  const start = startOfLimitDay(merchant, Math.min(send.createdAt, now));
  const day = { ...leaving, start, merchantId: merchant.id, mode: send.mode, excludedId: send.id };
  const value = valueNow(rates, send, total);
  const reasons: ApprovalReason[] = terms.isUnconfirmed ? ['limits_unconfirmed'] : [];
  reasons.push(...(await exceeded(tx, terms, { value, day })));
  if (reasons.length > 0)
    throw new AppError('FEE_ABOVE_LIMIT', `maxFee cannot be raised so far: ${describeReasons(reasons)}`);
  const currencies = limitCurrencies(shop, key).add(merchant.currency);
  await tx
    .updateTable('sends')
    .set({ leaving: total.toString(), valuesJson: valuesToJson(knownValues(currencies, value)) })
    .where('id', '=', send.id)
    .execute();
}

/**
 * Applies the present limits to a stored send, on the day of its order, before another wallet's signature counts.
 * @throws {ApprovalRequired} unless it was approved
 */
export async function enforceLimitsAgain(tx: Tx, send: StoredSend, leaving: OutgoingValue): Promise<void> {
  const terms = await readTerms(tx, send.merchantId, leaving.creator, leaving.now);
  const bounds = limitDayAt(terms.merchant, Math.min(send.createdAt, leaving.now), leaving.now);
  const day = { ...leaving, ...bounds, merchantId: send.merchantId, mode: send.mode, excludedId: send.id };
  const value = valueNow(leaving.rates, send, BigInt(send.leaving ?? send.ordered));
  const reasons: ApprovalReason[] = terms.isUnconfirmed ? ['limits_unconfirmed'] : [];
  if (!isAllowed(terms.shop, send.coin, leaving)) reasons.push('destination');
  reasons.push(...(await exceeded(tx, terms, { value, day })));
  if (reasons.length > 0 && !(await isApproved(tx, send)))
    throw new ApprovalRequired([...new Set(reasons)], send);
}

/** @throws {AppError} FEE_ABOVE_LIMIT */
async function requireApprovedBudget(db: Db, { id, coin }: StoredSend, budget: bigint): Promise<void> {
  const approved = (await findApproval(db, id))?.maxFee;
  if (approved === undefined || budget <= BigInt(approved)) return;
  const most = `${formatCoinAmount(BigInt(approved), coin)} ${coin}`;
  throw new AppError(
    'FEE_ABOVE_LIMIT',
    `maxFee cannot be raised: this send was approved with at most ${most}`,
  );
}

interface Terms {
  readonly merchant: MerchantRow;
  readonly shop: ShopLimits;
  readonly isUnconfirmed: boolean;
  /** The key that ordered the send; null: none. */
  readonly keyId: string | null;
  readonly key: SpendingLimits;
}

/** The limits of a shop and of the key that ordered a send. */
export async function readTerms(
  db: Db,
  merchantId: string,
  creator: Creator | null,
  now: number,
): Promise<Terms> {
  const merchant = await findMerchant(db, merchantId);
  if (merchant === undefined) throw new Error(`merchant ${merchantId} does not exist`);
  const stored = limitsAt(await findLimits(db, merchantId), now);
  const keyId = creator?.kind === 'restricted' ? creator.id : null;
  const key = keyId === null ? NO_SPENDING_LIMITS : await findKeyLimits(db, keyId);
  return { merchant, shop: stored.limits, isUnconfirmed: isUnconfirmed(stored, now), keyId, key };
}

/** The amounts of the shop and of the key that a send exceeds. */
async function exceeded(
  db: Db,
  { shop, key, keyId }: Terms,
  { value, day }: { readonly value: ValueIn; readonly day: Omit<LimitedDay, 'keyId'> },
): Promise<ApprovalReason[]> {
  const reasons: ApprovalReason[] = await excess(db, shop, { value, day: { ...day, keyId: null } });
  for (const reason of await excess(db, key, { value, day: { ...day, keyId } }))
    reasons.push(KEY_REASONS[reason]);
  return reasons;
}

/**
 * Network fees do not count as far as they are usual. Beyond that they do: the miner gets them, and a stolen key
 * could burn the wallet.
 */
function countedFee(budget: bigint, { freeFee }: Pick<OutgoingValue, 'freeFee'>): bigint {
  return budget > freeFee ? budget - freeFee : 0n;
}

/** The currencies in which the value of a send must be known. */
export async function listLimitCurrencies(
  db: Db,
  { merchantId, creator }: { readonly merchantId: string; readonly creator: Creator | null },
  now: number,
): Promise<ReadonlySet<string>> {
  const { limits } = limitsAt(await findLimits(db, merchantId), now);
  return limitCurrencies(
    limits,
    creator?.kind === 'restricted' ? await findKeyLimits(db, creator.id) : NO_SPENDING_LIMITS,
  );
}

/**
 * Whether this very send was approved: its approval has its id, and a send of that id is stored once. Its fee budget is
 * at most the one that its approver saw.
 */
async function isApproved(tx: Tx, send: NewSend): Promise<boolean> {
  const approval = await findApproval(tx, send.id);
  if (approval === undefined) return false;
  return (
    approval.status === 'approved' &&
    approval.merchantId === send.merchantId &&
    approval.coin === send.coin &&
    approval.mode === send.mode &&
    approval.destination === send.destination &&
    approval.outputsJson === send.outputsJson &&
    approval.watchId === (send.watchId ?? null) &&
    approval.subtractFee === send.subtractFee &&
    approval.ordered === send.ordered &&
    BigInt(send.maxFee) <= BigInt(approval.maxFee)
  );
}

const KEY_REASONS = {
  per_send: 'key_per_send',
  per_day: 'key_per_day',
  rate_unknown: 'rate_unknown',
  sum_unknown: 'sum_unknown',
} as const satisfies Partial<Record<ApprovalReason, ApprovalReason>>;

function knownValues(currencies: ReadonlySet<string>, value: ValueIn): Fiat[] {
  return [...currencies].flatMap((currency) => {
    const minor = value(currency);
    return minor === null ? [] : [{ minor, currency }];
  });
}

/**
 * The most that its destination may receive. Where the fee is taken out of the amount, a later version can cost less
 * than the first: while it is not signed yet, and where transactions expire.
 */
function leavingAtoms({ coin, status, subtractFee, ordered, amount }: NewSend): bigint {
  const isOpen = status === 'preparing' || COIN_DEFINITIONS[coin].expires;
  return BigInt(subtractFee && isOpen ? ordered : amount);
}

/** Whether the list has every destination. */
export function isAllowed(
  { allowList }: Pick<ShopLimits, 'allowList'>,
  coin: Coin,
  { watchKeys }: Pick<OutgoingValue, 'watchKeys'>,
): boolean {
  if (allowList === null) return true;
  const allowed = new Set(allowList.filter((one) => one.coin === coin).map(({ watchKey }) => watchKey));
  return watchKeys.every((watchKey) => allowed.has(watchKey));
}

async function excess(
  db: Db,
  limits: SpendingLimits,
  { value, day }: { readonly value: ValueIn; readonly day: LimitedDay },
): Promise<(keyof typeof KEY_REASONS)[]> {
  const { perDay } = limits;
  if (perDay === null) return exceededLimits(limits, { value, earlier: () => 0n });
  // An older copy of the database lacks the sends made since.
  const isIncomplete = Number(await readMeta(db, 'restored_at')) >= day.start;
  const spent = await spentToday(db, day);
  const earlier: ValueIn = (currency) => sumSpent(spent, perDay, { currency, ...day });
  return [...exceededLimits(limits, { value, earlier }), ...(isIncomplete ? (['sum_unknown'] as const) : [])];
}

/** What counts of a day against a limit: sends, and the fees of moves beyond their free share. */
export function sumSpent(
  { sends, moves }: SpentToday,
  perDay: Fiat,
  { currency, feeShareBps }: { readonly currency: string; readonly feeShareBps: number },
): bigint | null {
  const [left, burnt] = [sends(currency), moves(currency)];
  if (left === null || burnt === null) return null;
  const counted = burnt - freeMoves(perDay, { feeShareBps });
  return left + (counted > 0n ? counted : 0n);
}
