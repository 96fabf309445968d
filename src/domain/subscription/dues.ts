/** The price of an invoice with the balance of its subscription applied: positive is credit, negative a debt. */
export interface Dues {
  readonly price: bigint;
  /** The part of the balance that the invoice uses up: at most its price where it is credit. */
  readonly applied: bigint;
}

export function applyBalance(price: bigint, balance: bigint): Dues {
  return { price, applied: balance > price ? price : balance };
}
