import { useQueries } from '@tanstack/react-query';
import { api, type ApiError } from './client.ts';
import { useShops } from './hooks.ts';
import { hasPermission } from './permissions.ts';
import { plainAmount } from '../format/decimal.ts';
import type { Customer, Payment, PaymentLink, Product, Shop } from '../contract/types.ts';

/** More would load the server too much for one search. */
export const MOST_SHOPS = 10;
export const MOST_HITS = 5;
/** Lists without a search of their own are read up to one page. */
const MOST_LISTED = 100;
const MODES = ['live', 'sandbox'] as const;

/** A search result in a shop. The page in a list is counted from 1, by `PER_PAGE`. */
interface In<T> {
  readonly shop: Shop;
  readonly item: T;
}
interface Listed<T> extends In<T> {
  readonly page: number;
}
/** As many as the pages of links and products show. */
const PER_PAGE = 12;

export interface SearchResults {
  readonly shops: readonly Shop[];
  readonly payments: readonly In<Payment>[];
  readonly customers: readonly In<Customer>[];
  readonly links: readonly Listed<PaymentLink>[];
  readonly products: readonly Listed<Product>[];
  readonly isSearching: boolean;
  readonly hasFailed: boolean;
  /** Number of searched shops, and of all. */
  readonly searched: number;
  readonly all: number;
}

type Answer =
  | { readonly payments: readonly Payment[] }
  | { readonly customers: readonly Customer[] }
  | { readonly links: readonly PaymentLink[] }
  | { readonly products: readonly Product[] };

interface Request {
  readonly key: readonly unknown[];
  readonly shop: Shop;
  readonly ask: () => Promise<Answer>;
  readonly once?: true;
}

function requestsTo(shop: Shop, text: string, isFirstOfAccount: boolean): Request[] {
  const merchantId = shop.id;
  const requests: Request[] = [];
  if (hasPermission(shop, 'payments:read')) {
    const search = plainAmount(text);
    for (const mode of MODES) {
      const query = { merchantId, mode, search, limit: MOST_HITS };
      const ask = async () => api('GET', '/payment/list', { query });
      requests.push({ key: ['/payment/list', query], shop, ask });
    }
  }
  if (hasPermission(shop, 'payments:write')) {
    const query = { merchantId, limit: MOST_LISTED };
    const ask = async () => api('GET', '/merchant/link/list', { query });
    requests.push({ key: ['/merchant/link/list', query], shop, ask, once: true });
  }
  if (isFirstOfAccount && hasPermission(shop, 'customers:read')) {
    const query = { merchantId, search: text, limit: MOST_HITS };
    const ask = async () => api('GET', '/merchant/customer/list', { query });
    requests.push({ key: ['/merchant/customer/list', query], shop, ask });
  }
  if (isFirstOfAccount && hasPermission(shop, 'catalog:read')) {
    const query = { merchantId, limit: MOST_LISTED };
    const ask = async () => api('GET', '/merchant/product/list', { query });
    requests.push({ key: ['/merchant/product/list', query], shop, ask, once: true });
  }
  return requests;
}

function isOwn({ role }: Shop): boolean {
  return role === undefined || role === 'owner';
}

/** Whether one of these texts contains the search text, in any letter case. */
export function isIn(text: string, ...fields: readonly (string | null | undefined)[]): boolean {
  const part = text.toLowerCase();
  return fields.some((field) => field?.toLowerCase().includes(part) === true);
}

/** Interleaves the results, so that no shop hides those of another. */
function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1)))
    .flat()
    .slice(0, MOST_HITS);
}

function listed<T>(shop: Shop, items: readonly T[], isHit: (item: T) => boolean): Listed<T>[] {
  const hits = items.map((item, at) => ({ shop, item, page: Math.floor(at / PER_PAGE) + 1 }));
  return hits.filter(({ item }) => isHit(item));
}

/**
 * Search results in the shops of the user, the current shop first: a limited number of each kind. Customers
 * and products belong to an account, so one shop per account is searched for them.
 */
export function useFound(text: string, firstShopId: string): SearchResults {
  const all = useShops().data?.merchants ?? [];
  const shops = all.toSorted((a, b) => Number(b.id === firstShopId) - Number(a.id === firstShopId));
  const searched = shops.slice(0, MOST_SHOPS);
  const firstOwn = searched.find(isOwn);
  const requests =
    text === '' ? [] : searched.flatMap((shop) => requestsTo(shop, text, !isOwn(shop) || shop === firstOwn));
  const results = useQueries({
    queries: requests.map(({ key, ask, once }) => ({
      queryKey: key,
      queryFn: ask,
      retry: false,
      staleTime: once === true ? Infinity : 5_000,
    })),
  });
  const payments: In<Payment>[][] = [];
  const customers: In<Customer>[][] = [];
  const links: Listed<PaymentLink>[][] = [];
  const products: Listed<Product>[][] = [];
  for (const [at, { data }] of results.entries()) {
    const shop = requests[at]?.shop;
    if (data === undefined || shop === undefined) continue;
    if ('payments' in data) payments.push(data.payments.map((item) => ({ shop, item })));
    if ('customers' in data) customers.push(data.customers.map((item) => ({ shop, item })));
    if ('links' in data)
      links.push(
        listed(shop, data.links, (item) => isIn(text, item.name, item.description, item.url, item.id)),
      );
    if ('products' in data)
      products.push(listed(shop, data.products, (item) => isIn(text, item.name, item.description, item.id)));
  }
  return {
    shops: text === '' ? [] : all.filter(({ name, id }) => isIn(text, name, id)).slice(0, MOST_HITS),
    payments: inTurn(payments),
    customers: inTurn(customers),
    links: inTurn(links),
    products: inTurn(products),
    isSearching: results.some(({ isPending }) => isPending),
    hasFailed: results.some(({ error }: { readonly error: ApiError | Error | null }) => error !== null),
    searched: searched.length,
    all: all.length,
  };
}
