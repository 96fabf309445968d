import type { InvoiceStatus } from './types.ts';

/** A paid period, whose price may change while it lasts. */
export interface ProratedPeriod {
  readonly periodStart: number;
  readonly periodEnd: number;
  /** Time between them in which the subscription was paused, ms. */
  readonly pausedMs: number;
  /** What its invoice asked for, in minor units. */
  readonly price: bigint;
  /** What the whole period would cost at the present price. */
  readonly rate: bigint;
  /** By how much changes have made the period cheaper so far, in billionths of the minor unit; negative: dearer. */
  readonly proration: bigint;
}

const PRECISION = 1_000_000_000n;

/**
 * Another price for the rest of a period, by seconds. Changes add up almost exactly, so that one and its reverse at the
 * same moment cancel out, and many small ones are not lost to rounding.
 * @param rate the new price of the whole period
 * @param at the moment, or that of the pause while the subscription is paused
 */
export function changeRate<Period extends ProratedPeriod>(period: Period, rate: bigint, at: number): Period {
  const whole = toSeconds(period.periodEnd - period.periodStart - period.pausedMs);
  const left = toSeconds(period.periodEnd - at);
  if (left <= 0n || whole <= 0n) return { ...period, rate };
  const change = period.rate - rate;
  const added = (change * PRECISION * (left < whole ? left : whole)) / whole;
  return { ...period, rate, proration: period.proration + added };
}

/**
 * A paid period that takes the place of another one of the same present price: the time that is over keeps the prices
 * that it had.
 */
export function takePlace<Period extends ProratedPeriod & { readonly prorated: bigint }>(
  period: Period,
  former: ProratedPeriod,
): Period {
  if (period.rate !== former.rate) return period;
  const proration = former.proration + (period.price - former.price) * PRECISION;
  const minor = proration / PRECISION;
  return { ...period, proration, prorated: period.prorated < minor ? period.prorated : minor };
}

/** An invoice as far as it decides what its changes of price are worth. */
interface ProratedInvoice extends Pick<ProratedPeriod, 'price' | 'proration'> {
  readonly status: InvoiceStatus;
  /** Balance that it has used up; negative: a debt that it asked for. */
  readonly applied: bigint;
}

/**
 * What the changes of a period add to the balance of its subscription, in minor units, rounded towards zero: credit, or
 * a debt where negative. Credit is at most the money of the period that was not refunded or reversed; an unpaid period
 * has neither.
 * @param kept settled money of its payment less refunds
 */
export function prorationBalance(
  { status, price, applied, proration }: ProratedInvoice,
  kept: bigint,
): bigint {
  if (status !== 'paid') return 0n;
  const minor = proration / PRECISION;
  const paid = applied === price ? price : clamp(kept + applied, price);
  return minor > paid ? paid : minor;
}

function clamp(amount: bigint, most: bigint): bigint {
  if (amount < 0n) return 0n;
  return amount > most ? most : amount;
}

function toSeconds(ms: number): bigint {
  return BigInt(Math.floor(ms / 1000));
}
