interface Period {
  readonly start: number;
  readonly end: number;
}

/**
 * What another price changes about the unused part of a paid period, by seconds, rounded down to the minor
 * unit: positive where the new price is higher.
 */
export function prorate(before: bigint, after: bigint, { start, end }: Period, now: number): bigint {
  const left = BigInt(Math.floor((end - Math.min(Math.max(now, start), end)) / 1000));
  const whole = BigInt(Math.round((end - start) / 1000));
  if (whole === 0n) return 0n;
  const change = after - before;
  const size = ((change < 0n ? -change : change) * left) / whole;
  return change < 0n ? -size : size;
}

/** The price of an invoice with the balance of its subscription applied: positive is credit, negative a debt. */
export interface Dues {
  readonly price: bigint;
  /** The part of the balance that the invoice uses up: at most its price where it is credit. */
  readonly applied: bigint;
}

export function applyBalance(price: bigint, balance: bigint): Dues {
  return { price, applied: balance > price ? price : balance };
}
