import type { Mode } from '../../domain/coins.ts';
import { formatUnits } from '../../domain/money.ts';
import { sumLinkSales } from '../../store/payments/link-sales.ts';
import { listPaymentLinks, type PaymentLinkFilter } from '../../store/catalog/payment-links.ts';
import { listedPrices, type ListedPrice } from '../../store/catalog/prices.ts';
import { PRICE_DECIMALS } from '../../store/ledger/volume-totals.ts';
import type { PaymentLinkRow } from '../../store/schema/payment-links.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** What a link has brought in: its completed payments. */
export interface LinkPayments {
  readonly count: number;
  /** By currency: the price of a link may change. */
  readonly totals: readonly { readonly currency: string; readonly amount: string }[];
}

/** A link in a list. */
export interface ListedLink {
  readonly row: PaymentLinkRow;
  /** Its catalog price, even if it is no longer active; null where the link has none. */
  readonly price: ListedPrice | null;
  readonly payments: LinkPayments;
}

/** One page of a shop's links, newest first, with their completed payments in one mode. */
export async function listSellingLinks(
  db: Db,
  filter: PaymentLinkFilter & { readonly mode: Mode },
  page: { readonly limit: number; readonly offset: number },
): Promise<{ readonly links: ListedLink[]; readonly total: number }> {
  const { rows, total } = await listPaymentLinks(db, filter, page);
  const priceIds = rows.flatMap(({ priceId }) => (priceId === null ? [] : [priceId]));
  const prices = new Map((await listedPrices(db, priceIds)).map((price) => [price.id, price]));
  const sales = await sumLinkSales(db.readThread, { linkIds: rows.map(({ id }) => id), mode: filter.mode });
  const links = rows.map((row) => {
    const own = sales.filter(({ linkId }) => linkId === row.id);
    return {
      row,
      price: prices.get(row.priceId ?? '') ?? null,
      payments: {
        count: own.reduce((sum, { count }) => sum + count, 0),
        totals: own.map(({ currency, sum }) => ({ currency, amount: formatUnits(sum, PRICE_DECIMALS) })),
      },
    };
  });
  return { links, total };
}
