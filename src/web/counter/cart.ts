import type { Charge, Favourite } from './types.ts';
import { fromDecimal, toDecimal, toMinor, type Currency } from './money.ts';

const QUANTITY_MAX = 99;

/** What the next customer buys: typed digits, and favourites with their quantities. */
export interface Cart {
  readonly digits: string;
  readonly items: ReadonlyMap<string, number>;
}

export const EMPTY_CART: Cart = { digits: '', items: new Map() };

export function addItem({ digits, items }: Cart, priceId: string): Cart {
  const quantity = Math.min((items.get(priceId) ?? 0) + 1, QUANTITY_MAX);
  return { digits, items: new Map([...items, [priceId, quantity]]) };
}

export function removeItem({ digits, items }: Cart, priceId: string): Cart {
  return { digits, items: new Map([...items].filter(([id]) => id !== priceId)) };
}

/** Only what the counter still offers. */
export function sumCart(
  { digits, items }: Cart,
  favourites: readonly Favourite[],
  currency: Currency,
): bigint {
  return favourites.reduce(
    (sum, { priceId, amount }) => sum + fromDecimal(amount, currency) * BigInt(items.get(priceId) ?? 0),
    toMinor(digits),
  );
}

export function toCharge(
  { digits, items }: Cart,
  favourites: readonly Favourite[],
  { currency, tip }: { readonly currency: Currency; readonly tip: bigint },
): Charge {
  const typed = toMinor(digits);
  const sold = favourites.flatMap(({ priceId }) => {
    const quantity = items.get(priceId);
    return quantity === undefined ? [] : [{ priceId, quantity }];
  });
  return {
    ...(typed === 0n ? {} : { amount: toDecimal(typed, currency) }),
    ...(sold.length === 0 ? {} : { items: sold }),
    ...(tip === 0n ? {} : { tip: toDecimal(tip, currency) }),
  };
}
