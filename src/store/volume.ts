import { sql } from 'kysely';
import type { Coin, Mode } from '../domain/coins.ts';
import type { Db } from './database.ts';
import { fromLimbs, limbSums } from './exact-sums.ts';

export interface VolumeFilter {
  readonly merchantId: string;
  readonly mode: Mode;
  /** Payments created from this moment on, ms. */
  readonly fromMs: number;
  /** And before this one, ms. */
  readonly beforeMs: number;
}

export interface CoinVolume {
  readonly coin: Coin;
  readonly atoms: bigint;
  readonly payments: number;
}

export interface FiatVolume {
  readonly currency: string;
  /** Null: paid in several coins, or in none. */
  readonly coin: Coin | null;
  /** The sum in units of 10^-scale of the currency. */
  readonly sum: bigint;
  readonly scale: number;
  readonly payments: number;
}

/** Completed payments of a time, found by index. */
function completed(db: Db, { merchantId, mode, fromMs, beforeMs }: VolumeFilter) {
  return db
    .selectFrom('payments')
    .where('payments.merchant_id', '=', merchantId)
    .where('payments.mode', '=', mode)
    .where('payments.status', '=', 'completed')
    .where('payments.created_at', '>=', fromMs)
    .where('payments.created_at', '<', beforeMs);
}

/** The confirmed money of completed payments, exactly, by coin. */
export async function coinVolume(db: Db, filter: VolumeFilter): Promise<CoinVolume[]> {
  const sums = limbSums(sql.ref<string>('outputs.amount'));
  const rows = await completed(db, filter)
    .innerJoin('outputs', 'outputs.payment_id', 'payments.id')
    .where('outputs.state', '=', 'confirmed')
    .select((eb) => [
      'outputs.coin',
      sums.low.as('low'),
      sums.middle.as('middle'),
      sums.high.as('high'),
      eb.fn.count<number>('payments.id').distinct().as('payments'),
    ])
    .groupBy('outputs.coin')
    .execute();
  return rows.map(({ coin, payments, ...limbs }) => ({ coin, atoms: fromLimbs(limbs), payments }));
}

/**
 * The prices of completed payments, exactly, by currency and by the coin they were paid in. Prices are
 * kept as they were written ("12", "12.5"), so they come by their number of decimals too.
 */
export async function fiatVolume(db: Db, filter: VolumeFilter): Promise<FiatVolume[]> {
  const priced = completed(db, filter).select((eb) => [
    'payments.currency',
    'payments.amount',
    eb
      .selectFrom('outputs')
      .whereRef('outputs.payment_id', '=', 'payments.id')
      .where('outputs.state', '=', 'confirmed')
      .select(sql<Coin | null>`case when min(coin) = max(coin) then min(coin) end`.as('coin'))
      .as('coin'),
  ]);
  const digits = sql<string>`replace(amount, '.', '')`;
  const whole = sql`rtrim(amount, '0123456789')`;
  const scale = sql<number>`case when amount like '%.%' then length(amount) - length(${whole}) else 0 end`;
  const sums = limbSums(digits);
  const rows = await db
    .selectFrom(priced.as('priced'))
    .select((eb) => [
      'currency',
      'coin',
      scale.as('scale'),
      sums.low.as('low'),
      sums.middle.as('middle'),
      sums.high.as('high'),
      eb.fn.countAll<number>().as('payments'),
    ])
    .groupBy(['currency', 'coin', scale])
    .execute();
  return rows.map(({ currency, coin, scale, payments, ...limbs }) => ({
    currency,
    coin,
    sum: fromLimbs(limbs),
    scale,
    payments,
  }));
}
