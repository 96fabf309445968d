import type { Coin, Mode } from '../domain/coins.ts';
import type { Db } from './database.ts';
import { fromLimbs, limbTotal } from './exact-sums.ts';

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

/** How hours are counted in volume_hours. */
const HOUR_MS = 3_600_000;

const TAKEN = [
  ...(['currency', 'scale', 'coin', 'sole', 'priced', 'price_low', 'price_middle', 'price_high'] as const),
  ...(['payments', 'low', 'middle', 'high'] as const),
];

/**
 * What completed payments of a time brought, exactly: the confirmed money by coin, and the prices by
 * currency and by the coin they were paid in, each in one part or more. Prices are kept as they were
 * written ("12", "12.5"), so they come by their number of decimals too.
 */
export async function volumeOf(
  db: Db,
  filter: VolumeFilter,
): Promise<{ readonly coins: CoinVolume[]; readonly fiat: FiatVolume[] }> {
  const rows = await db
    .selectFrom(takenIn(db, filter).as('taken'))
    .select((eb) => [
      'currency',
      'scale',
      'coin',
      'sole',
      eb.fn.sum<number>('priced').as('priced'),
      limbTotal('price_low').as('price_low'),
      limbTotal('price_middle').as('price_middle'),
      limbTotal('price_high').as('price_high'),
      eb.fn.sum<number>('payments').as('payments'),
      limbTotal('low').as('low'),
      limbTotal('middle').as('middle'),
      limbTotal('high').as('high'),
    ])
    .groupBy(['currency', 'scale', 'coin', 'sole'])
    .execute();
  const coins: CoinVolume[] = [];
  const fiat: FiatVolume[] = [];
  for (const { currency, scale, coin, sole, priced, payments, ...limbs } of rows) {
    const { price_low: low, price_middle: middle, price_high: high } = limbs;
    const paidIn = coin === '' || sole === 0 ? null : coin;
    if (coin !== '' && payments > 0) coins.push({ coin, atoms: fromLimbs(limbs), payments });
    if (priced > 0) {
      fiat.push({ currency, coin: paidIn, sum: fromLimbs({ low, middle, high }), scale, payments: priced });
    }
  }
  return { coins, fiat };
}

/** Whole hours from the sums that triggers keep; of the two that a time has in part, the payments themselves. */
function takenIn(db: Db, { merchantId, mode, fromMs, beforeMs }: VolumeFilter) {
  const payments = (from: number, before: number) =>
    db
      .selectFrom('takings')
      .where('merchant_id', '=', merchantId)
      .where('mode', '=', mode)
      .where('created_at', '>=', from)
      .where('created_at', '<', before)
      .select(TAKEN);
  const firstHour = Math.ceil(fromMs / HOUR_MS);
  const endHour = Math.floor(beforeMs / HOUR_MS);
  if (firstHour >= endHour) return payments(fromMs, beforeMs);
  const hours = db
    .selectFrom('volume_hours')
    .where('merchant_id', '=', merchantId)
    .where('mode', '=', mode)
    .where('hour', '>=', firstHour)
    .where('hour', '<', endHour)
    .select(TAKEN);
  const [wholeFrom, wholeBefore] = [firstHour * HOUR_MS, endHour * HOUR_MS];
  if (fromMs === wholeFrom && beforeMs === wholeBefore) return hours;
  return hours.unionAll(payments(fromMs, wholeFrom)).unionAll(payments(wholeBefore, beforeMs));
}
