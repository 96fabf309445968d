import type { Coin, Mode } from '../domain/coins.ts';
import type { Db } from './database.ts';
import { fromLimbs, limbOf, limbTotal } from './exact-sums.ts';
import { prepared, type SlotOf } from './prepared.ts';
import type { TakenRow } from './tables.ts';

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
/** How days are counted in volume_days. */
const DAY_MS = 24 * HOUR_MS;

const KIND = ['currency', 'scale', 'coin', 'sole'] as const;
const TAKEN = [
  ...KIND,
  ...(['priced', 'price_low', 'price_middle', 'price_high', 'payments', 'low', 'middle', 'high'] as const),
];

/** What one kind of payments brought; limbs as text, null for zero. */
type Taken = Pick<TakenRow, (typeof KIND)[number] | 'priced' | 'payments'> &
  Record<'price_low' | 'price_middle' | 'price_high' | 'low' | 'middle' | 'high', string | null>;

/**
 * What completed payments of a time brought, exactly: the confirmed money by coin, and the prices by
 * currency and by the coin they were paid in, each in one part or more. Prices are kept as they were
 * written ("12", "12.5"), so they come by their number of decimals too.
 */
export async function volumeOf(
  db: Db,
  filter: VolumeFilter,
): Promise<{ readonly coins: CoinVolume[]; readonly fiat: FiatVolume[] }> {
  const coins: CoinVolume[] = [];
  const fiat: FiatVolume[] = [];
  for (const taken of await takenIn(db, filter)) {
    const { currency, scale, coin, sole, priced, payments } = taken;
    const paidIn = coin === '' || sole === 0 ? null : coin;
    if (coin !== '' && payments > 0) coins.push({ coin, atoms: fromLimbs(taken), payments });
    if (priced > 0) {
      const { price_low: low, price_middle: middle, price_high: high } = taken;
      fiat.push({ currency, coin: paidIn, sum: fromLimbs({ low, middle, high }), scale, payments: priced });
    }
  }
  return { coins, fiat };
}

/**
 * A day of UTC, and whole hours, from the sums that triggers keep; of the two hours that a time has in part, the
 * payments themselves.
 */
function takenIn(db: Db, filter: VolumeFilter): Taken[] | Promise<Taken[]> {
  const { merchantId, mode, fromMs, beforeMs } = filter;
  if (fromMs % DAY_MS === 0 && beforeMs === fromMs + DAY_MS) {
    return ofDay(db, { merchantId, mode, day: fromMs / DAY_MS });
  }
  const firstHour = Math.ceil(fromMs / HOUR_MS);
  const endHour = Math.floor(beforeMs / HOUR_MS);
  if (firstHour >= endHour) return ofPayments(db, filter);
  const [wholeFromMs, wholeBeforeMs] = [firstHour * HOUR_MS, endHour * HOUR_MS];
  if (fromMs === wholeFromMs && beforeMs === wholeBeforeMs) {
    return ofHours(db, { merchantId, mode, firstHour, endHour });
  }
  return ofHoursAndEnds(db, { ...filter, firstHour, endHour, wholeFromMs, wholeBeforeMs });
}

interface Shop {
  readonly merchantId: string;
  readonly mode: Mode;
}

const ofDay = prepared((db, slot: SlotOf<Shop & { day: number }>) =>
  db
    .selectFrom('volume_days')
    .where('merchant_id', '=', slot('merchantId'))
    .where('mode', '=', slot('mode'))
    .where('day', '=', slot('day'))
    .select([
      ...KIND,
      'priced',
      limbOf('price_low').as('price_low'),
      limbOf('price_middle').as('price_middle'),
      limbOf('price_high').as('price_high'),
      'payments',
      limbOf('low').as('low'),
      limbOf('middle').as('middle'),
      limbOf('high').as('high'),
    ]),
);

type Hours = Shop & { readonly firstHour: number; readonly endHour: number };

const ofHours = prepared((db, slot: SlotOf<Hours>) => summed(db, hours(db, slot)));

const ofPayments = prepared((db, slot: SlotOf<VolumeFilter>) =>
  summed(db, payments(db, slot, { from: slot('fromMs'), before: slot('beforeMs') })),
);

const ofHoursAndEnds = prepared(
  (db, slot: SlotOf<VolumeFilter & Hours & { wholeFromMs: number; wholeBeforeMs: number }>) => {
    const before = payments(db, slot, { from: slot('fromMs'), before: slot('wholeFromMs') });
    const after = payments(db, slot, { from: slot('wholeBeforeMs'), before: slot('beforeMs') });
    return summed(db, hours(db, slot).unionAll(before).unionAll(after));
  },
);

function hours(db: Db, slot: SlotOf<Hours>) {
  return db
    .selectFrom('volume_hours')
    .where('merchant_id', '=', slot('merchantId'))
    .where('mode', '=', slot('mode'))
    .where('hour', '>=', slot('firstHour'))
    .where('hour', '<', slot('endHour'))
    .select(TAKEN);
}

function payments(
  db: Db,
  slot: SlotOf<Shop>,
  { from, before }: { readonly from: number; readonly before: number },
) {
  return db
    .selectFrom('takings')
    .where('merchant_id', '=', slot('merchantId'))
    .where('mode', '=', slot('mode'))
    .where('created_at', '>=', from)
    .where('created_at', '<', before)
    .select(TAKEN);
}

/** By kind. */
function summed(db: Db, taken: ReturnType<typeof hours> | ReturnType<typeof payments>) {
  return db
    .selectFrom(taken.as('taken'))
    .select((eb) => [
      ...KIND,
      eb.fn.sum<number>('priced').as('priced'),
      limbTotal('price_low').as('price_low'),
      limbTotal('price_middle').as('price_middle'),
      limbTotal('price_high').as('price_high'),
      eb.fn.sum<number>('payments').as('payments'),
      limbTotal('low').as('low'),
      limbTotal('middle').as('middle'),
      limbTotal('high').as('high'),
    ])
    .groupBy(KIND);
}
