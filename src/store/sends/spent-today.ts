import type { Selectable } from 'kysely';
import { spendingModel } from '../../domain/accounts.ts';
import type { Coin, Mode } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import type { Rates } from '../../domain/ports.ts';
import { isEndedByBlock } from '../../domain/send/send-status.ts';
import { valueAtRate, type ValueIn } from '../../domain/send/spending-limits.ts';
import { findCursor } from '../chain/chain-cursors.ts';
import type { SendRow } from '../schema/sends.ts';
import type { Db } from '../sqlite/database.ts';
import { parseValues } from './wallet-limits.ts';

/** What has left a wallet on a day, as its limits count it. */

type StoredSend = Selectable<SendRow>;

/** What the sum of a day is about. */
export interface Day {
  readonly merchantId: string;
  readonly mode: Mode;
  /** Only sends that this key ordered; null: all. */
  readonly keyId: string | null;
  readonly start: number;
  /** Sends made from then on count on later days; absent: none are. */
  readonly end?: number;
  readonly rates: Pick<Rates, 'quote'>;
  readonly provenDepth: number;
  /** A send that does not count. */
  readonly excludedId?: string;
}

/** The value of what has left since a time, or still may: by sends, and as fees of moves within the wallet. */
export interface SpentToday {
  readonly sends: ValueIn;
  readonly moves: ValueIn;
}

export async function spentToday(db: Db, day: Day): Promise<SpentToday> {
  const { merchantId, mode, keyId, start, end, rates, excludedId } = day;
  const rows = await db
    .selectFrom('sends')
    .selectAll()
    .where('merchantId', '=', merchantId)
    // Times in the future were written before the clock was set back, and count too.
    .where('createdAt', '>=', start)
    .$if(end !== undefined, (query) => query.where('createdAt', '<', end ?? 0))
    .where('mode', '=', mode)
    // A part or a child draws on the budget of a send.
    .where((eb) => eb.or([eb('purpose', '=', 'send'), eb('drawsOn', 'is', null)]))
    .$if(excludedId !== undefined, (query) => query.where('id', '!=', excludedId ?? ''))
    .$if(keyId !== null, (query) =>
      query.where('creatorKind', '=', 'restricted').where('creatorId', '=', keyId ?? ''),
    )
    .execute();
  const tips = await findTips(db, mode, rows);
  const counted = rows.filter((send) => !isProvablyFailed(send, tips.get(send.coin) ?? null, day));
  const values = counted.map((send) => ({
    isMove: send.purpose !== 'send',
    known: parseValues(send.valuesJson),
    now: valueNow(rates, send, countedAtoms(send)),
  }));
  const sumOf =
    (areMoves: boolean): ValueIn =>
    (currency) => {
      let sum = 0n;
      for (const { isMove, known, now } of values) {
        if (isMove !== areMoves) continue;
        const minor = known[currency] ?? now(currency);
        if (minor === null) return null;
        sum += minor;
      }
      return sum;
    };
  return { sends: sumOf(false), moves: sumOf(true) };
}

/** Of a move its fee, or its fee budget while another version can be mined. */
function countedAtoms({ purpose, leaving, ordered, status, fee, maxFee }: StoredSend): bigint {
  if (purpose === 'send') return BigInt(leaving ?? ordered);
  return BigInt(status === 'confirmed' ? fee : maxFee);
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
export function valueNow(
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

export function rateOrNull(
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
