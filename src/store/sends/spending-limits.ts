import type { Selectable } from 'kysely';
import type { Creator } from '../../domain/actor.ts';
import { spendingModel } from '../../domain/accounts.ts';
import { AppError } from '../../domain/errors.ts';
import { COIN_DEFINITIONS, type Coin, type Mode } from '../../domain/coins.ts';
import type { Fiat } from '../../domain/fiat.ts';
import type { Rates } from '../../domain/ports.ts';
import { isUnconfirmed, limitsAt } from '../../domain/send/limit-change.ts';
import { startOfLimitDay } from '../../domain/send/limit-day.ts';
import {
  type ApprovalReason,
  ApprovalRequired,
  exceededLimits,
  limitCurrencies,
  type LimitedSend,
  NO_SPENDING_LIMITS,
  type SpendingLimits,
  valueAtRate,
  type ValueIn,
} from '../../domain/send/spending-limits.ts';
import { isEndedByBlock } from '../../domain/send/send-machine.ts';
import { findCursor } from '../chain/chain-cursors.ts';
import { findMerchant } from '../merchants/merchants.ts';
import { readMeta } from '../meta.ts';
import type { SendRow } from '../schema/sends.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { findApproval } from './send-approvals.ts';
import { findKeyLimits, findLimits, parseValues, valuesToJson } from './wallet-limits.ts';

/**
 * The rule that no money leaves above a limit without an approval. It is applied where a send is stored
 * (`insertSend`), so every way in which money leaves passes it: sends, refunds and claims.
 */

type StoredSend = Selectable<SendRow>;

/** What the limits need to know of a new send. */
export interface OutgoingValue {
  /** Who ordered it; null: unknown. */
  readonly creator: Creator | null;
  /** The key under which its chain knows the destination. */
  readonly watchKey: string;
  readonly rates: Pick<Rates, 'quote'>;
  /** Confirmations after which a block that ended a send proves that it never leaves. */
  readonly provenDepth: number;
  readonly now: number;
}

type NewSend = LimitedSend & Pick<StoredSend, 'id' | 'status'>;

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
  const merchant = await findMerchant(tx, send.merchantId);
  if (merchant === undefined) throw new Error(`merchant ${send.merchantId} does not exist`);
  const stored = limitsAt(await findLimits(tx, send.merchantId), now);
  const { limits: shop } = stored;
  const keyId = creator?.kind === 'restricted' ? creator.id : null;
  const key = keyId === null ? NO_SPENDING_LIMITS : await findKeyLimits(tx, keyId);
  const atoms = leavingAtoms(send);
  const value = valueNow(rates, send, atoms);
  const day = {
    start: startOfLimitDay(merchant, now),
    merchantId: send.merchantId,
    mode: send.mode,
    ...leaving,
  };
  const reasons: ApprovalReason[] = isUnconfirmed(stored, now) ? ['limits_unconfirmed'] : [];
  if (shop.allowList !== null && !shop.allowList.some((one) => isDestination(one, send.coin, leaving)))
    reasons.push('destination');
  reasons.push(...(await excess(tx, shop, { value, day: { ...day, keyId: null } })));
  for (const reason of await excess(tx, key, { value, day: { ...day, keyId } }))
    reasons.push(KEY_REASONS[reason]);
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

/** Whether this very send was approved: its approval has its id, and a send of that id is stored once. */
async function isApproved(tx: Tx, send: NewSend): Promise<boolean> {
  const approval = await findApproval(tx, send.id);
  if (approval === undefined) return false;
  return (
    approval.status === 'approved' &&
    approval.merchantId === send.merchantId &&
    approval.coin === send.coin &&
    approval.mode === send.mode &&
    approval.destination === send.destination &&
    approval.subtractFee === send.subtractFee &&
    approval.ordered === send.ordered
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

function isDestination(
  one: { readonly coin: Coin; readonly watchKey: string },
  coin: Coin,
  { watchKey }: OutgoingValue,
): boolean {
  return one.coin === coin && one.watchKey === watchKey;
}

interface Day {
  readonly merchantId: string;
  readonly mode: Mode;
  /** Only sends that this key ordered; null: all. */
  readonly keyId: string | null;
  readonly start: number;
  readonly rates: Pick<Rates, 'quote'>;
  readonly provenDepth: number;
}

async function excess(
  db: Db,
  limits: SpendingLimits,
  { value, day }: { readonly value: ValueIn; readonly day: Day },
): Promise<(keyof typeof KEY_REASONS)[]> {
  if (limits.perDay === null) return exceededLimits(limits, { value, earlier: () => 0n });
  // An older copy of the database lacks the sends made since.
  const isIncomplete = Number(await readMeta(db, 'restored_at')) >= day.start;
  const earlier = await spentToday(db, day);
  return [...exceededLimits(limits, { value, earlier }), ...(isIncomplete ? (['sum_unknown'] as const) : [])];
}

/** The value of everything that has left since a time, or still may. */
async function spentToday(db: Db, day: Day): Promise<ValueIn> {
  const { merchantId, mode, keyId, start, rates } = day;
  const rows = await db
    .selectFrom('sends')
    .selectAll()
    .where('merchantId', '=', merchantId)
    // Times in the future were written before the clock was set back, and count too.
    .where('createdAt', '>=', start)
    .where('mode', '=', mode)
    .where('purpose', '=', 'send')
    .$if(keyId !== null, (query) =>
      query.where('creatorKind', '=', 'restricted').where('creatorId', '=', keyId ?? ''),
    )
    .execute();
  const tips = await findTips(db, mode, rows);
  const counted = rows.filter((send) => !isProvablyFailed(send, tips.get(send.coin) ?? null, day));
  const values = counted.map((send) => {
    const atoms = BigInt(send.leaving ?? send.ordered);
    return { known: parseValues(send.valuesJson), now: valueNow(rates, send, atoms) };
  });
  return (currency) => {
    let sum = 0n;
    for (const { known, now } of values) {
      const minor = known[currency] ?? now(currency);
      if (minor === null) return null;
      sum += minor;
    }
    return sum;
  };
}

/** The heights to which the chains of sends that a block ended are read. */
async function findTips(db: Db, mode: Mode, sends: readonly StoredSend[]): Promise<Map<Coin, number>> {
  const tips = new Map<Coin, number>();
  for (const coin of new Set(sends.filter(isEndedByBlock).map((send) => send.coin))) {
    const tip = await findCursor(db, { coin, mode });
    if (tip !== undefined) tips.set(coin, tip.height);
  }
  return tips;
}

/**
 * Whether it is proven that a send never leaves. One that failed after a node had its bytes is not proven to: it counts
 * until the block that ended it is deep enough.
 */
function isProvablyFailed(
  send: StoredSend,
  tip: number | null,
  { provenDepth }: Pick<Day, 'provenDepth'>,
): boolean {
  if (send.status !== 'failed') return false;
  // Refused at its first broadcast, or expired.
  if (!isEndedByBlock(send)) return send.broadcasts === 0 || spendingModel(send) !== 'outputs';
  const height = send.height ?? send.displacedHeight;
  return height !== null && tip !== null && tip - height + 1 >= provenDepth;
}

/** At the rate of now. */
function valueNow(
  rates: Pick<Rates, 'quote'>,
  { coin, mode }: { readonly coin: Coin; readonly mode: Mode },
  atoms: bigint,
): ValueIn {
  const known = new Map<string, bigint | null>();
  return (currency) => {
    const before = known.get(currency);
    if (before !== undefined) return before;
    const rate = rateOrNull(rates, { coin, currency, mode });
    const minor = rate === null ? null : valueAtRate(atoms, { coin, currency, rate });
    known.set(currency, minor);
    return minor;
  };
}

function rateOrNull(
  rates: Pick<Rates, 'quote'>,
  of: { readonly coin: Coin; readonly currency: string; readonly mode: Mode },
): string | null {
  try {
    return rates.quote(of.coin, of.currency, of.mode).rate;
  } catch (error) {
    if (error instanceof AppError && error.code === 'RATE_UNAVAILABLE') return null;
    throw error;
  }
}
