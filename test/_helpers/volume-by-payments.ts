import { sql, type RawBuilder } from 'kysely';
import type { Coin } from '../../src/domain/coins.ts';
import type { Db } from '../../src/store/database.ts';
import { fromLimbs } from '../../src/store/exact-sums.ts';
import type { CoinVolume, FiatVolume, VolumeFilter } from '../../src/store/volume.ts';

/** Volume added up from the payments and their money themselves, without anything that is kept of it. */

const LIMB = 12;
const ZEROS = '0'.repeat(3 * LIMB);

/** The sums of the limbs of one column of decimal text: as text, so that no driver rounds them. */
function limbSums(text: RawBuilder<string>) {
  return { low: limbSum(text, 1), middle: limbSum(text, 2), high: limbSum(text, 3) };
}

function limbSum(text: RawBuilder<string>, place: number): RawBuilder<string> {
  const padded = sql`(${sql.lit(ZEROS)} || ${text})`;
  const limb = sql`substr(${padded}, length(${padded}) - ${sql.lit(place * LIMB - 1)}, ${sql.lit(LIMB)})`;
  return sql<string>`cast(sum(cast(${limb} as bigint)) as text)`;
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
