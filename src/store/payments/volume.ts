import type { Coin, Mode } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';
import {
  addShares,
  completedPayments,
  DAY_MS,
  HOUR_MS,
  MONEY,
  completedShares,
  type Share,
} from '../ledger/volume-totals.ts';

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
  /** The sum with PRICE_DECIMALS decimals. */
  readonly sum: bigint;
  readonly payments: number;
}

/**
 * Exact volume of completed payments in a period: the confirmed money by coin, and the prices by
 * currency and by the coin they were paid in.
 */
export async function sumVolume(
  db: Db,
  filter: VolumeFilter,
): Promise<{ readonly coins: CoinVolume[]; readonly fiat: FiatVolume[] }> {
  const coins: CoinVolume[] = [];
  const fiat: FiatVolume[] = [];
  for (const { currency, coin, sum, payments } of addShares(await sharesIn(db, filter))) {
    if (currency !== MONEY) fiat.push({ currency, coin: coin === '' ? null : coin, sum, payments });
    else if (coin !== '') coins.push({ coin, atoms: sum, payments });
  }
  return { coins, fiat };
}

/**
 * Whole UTC days and hours come from the totals; the two partial hours of a period from the payments
 * themselves.
 */
async function sharesIn(db: Db, filter: VolumeFilter): Promise<Share[]> {
  const { fromMs, beforeMs } = filter;
  if (fromMs % DAY_MS === 0 && beforeMs === fromMs + DAY_MS) return totals(db, { ...filter, period: DAY_MS });
  const wholeFromMs = Math.ceil(fromMs / HOUR_MS) * HOUR_MS;
  const wholeBeforeMs = Math.floor(beforeMs / HOUR_MS) * HOUR_MS;
  if (wholeFromMs >= wholeBeforeMs) return ofPayments(db, filter);
  const whole = { ...filter, fromMs: wholeFromMs, beforeMs: wholeBeforeMs, period: HOUR_MS };
  return [
    ...(await ofPayments(db, { ...filter, beforeMs: wholeFromMs })),
    ...(await totals(db, whole)),
    ...(await ofPayments(db, { ...filter, fromMs: wholeBeforeMs })),
  ];
}

async function totals(db: Db, filter: VolumeFilter & { readonly period: number }): Promise<Share[]> {
  return (await selectTotals(db, filter)).map((row) => ({ ...row, sum: BigInt(row.sum) }));
}

const selectTotals = prepared((db, param: ParamOf<VolumeFilter & { period: number }>) =>
  db
    .selectFrom('volume_totals')
    .select(['currency', 'coin', 'sum', 'payments'])
    .where('merchantId', '=', param('merchantId'))
    .where('mode', '=', param('mode'))
    .where('periodMs', '=', param('period'))
    .where('startsAt', '>=', param('fromMs'))
    .where('startsAt', '<', param('beforeMs')),
);

async function ofPayments(db: Db, filter: VolumeFilter): Promise<Share[]> {
  if (filter.fromMs >= filter.beforeMs) return [];
  const byPayment = Map.groupBy(await paymentsIn(db, filter), ({ id }) => id);
  return [...byPayment.values()].flatMap(completedShares);
}

const paymentsIn = prepared((db, param: ParamOf<VolumeFilter>) =>
  completedPayments(db)
    .where('p.merchantId', '=', param('merchantId'))
    .where('p.mode', '=', param('mode'))
    .where('p.createdAt', '>=', param('fromMs'))
    .where('p.createdAt', '<', param('beforeMs')),
);
