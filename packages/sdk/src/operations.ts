import type { Body, Data, Method, PathOf, Query } from './contract.ts';
import { TilldError } from './errors.ts';
import type { Call, CallOptions, MoneyOptions } from './request.ts';

/** Arguments of an operation: its input if it needs one, then the options of the call. */
type Given<Input, Options = CallOptions> = undefined extends Input
  ? [input?: Input, options?: Options]
  : Partial<Input> extends Input
    ? [input?: Input, options?: Options]
    : [input: Input, options?: Options];

export type Read<P extends PathOf<'GET'>> = (...given: Given<Query<'GET', P>>) => Promise<Data<'GET', P>>;
export type Write<M extends Method, P extends PathOf<M>> = (
  ...given: Given<Body<M, P>>
) => Promise<Data<M, P>>;
/** Without a body. */
export type Act<P extends PathOf<'POST'>> = (options?: CallOptions) => Promise<Data<'POST', P>>;
/** Moves money: requires an idempotency key from the caller. */
export type MoveMoney<P extends PathOf<'POST'>> = (
  input: Body<'POST', P>,
  options: MoneyOptions,
) => Promise<Data<'POST', P>>;

/** The items of a page: the only list in it. */
type ItemOf<Page> = {
  [Name in keyof Page]: Page[Name] extends readonly (infer Item)[] ? Item : never;
}[keyof Page];
type PagedPath = {
  [P in PathOf<'GET'>]: Data<'GET', P> extends { pagination?: object } ? P : never;
}[PathOf<'GET'>];
type WithoutPage<Q> = Omit<NonNullable<Q>, 'page'>;
/** All pages, item by item, each once. */
export type ReadAll<P extends PagedPath> = (
  ...given: Given<WithoutPage<Query<'GET', P>>>
) => AsyncGenerator<ItemOf<Data<'GET', P>>, void, undefined>;

/** Factories for the methods of an operation. */
export interface Operations {
  readonly get: <P extends PathOf<'GET'>>(path: P) => Read<P>;
  readonly all: <P extends PagedPath>(path: P) => ReadAll<P>;
  readonly post: <P extends PathOf<'POST'>>(path: P) => Write<'POST', P>;
  readonly act: <P extends PathOf<'POST'>>(path: P) => Act<P>;
  readonly money: <P extends PathOf<'POST'>>(path: P) => MoveMoney<P>;
  readonly patch: <P extends PathOf<'PATCH'>>(path: P) => Write<'PATCH', P>;
  readonly del: <P extends PathOf<'DELETE'>>(path: P) => Write<'DELETE', P>;
}

const LARGEST_PAGE = 100;
const MOST_STALE_PAGES = 10;

/** Methods that send requests. */
export function createOperations(call: Call): Operations {
  const write =
    (method: Method) =>
    (path: string) =>
    (body: unknown, options?: CallOptions): Promise<never> =>
      call({ method, path, body: body ?? {}, options }) as Promise<never>;
  const read =
    (path: string) =>
    (query?: object, options?: CallOptions): Promise<never> =>
      call({ method: 'GET', path, query, options }) as Promise<never>;
  return {
    get: (path) => read(path) as never,
    all: (path) =>
      ((query?: object, options?: CallOptions) =>
        allOf((page) => read(path)({ ...query, ...page }, options))) as never,
    post: (path) => write('POST')(path) as never,
    act: (path) => (options) => call({ method: 'POST', path, options }) as Promise<never>,
    money: (path) => async (body, options) => {
      // Also checked at run time, because a key generated here would be lost in a crash, and the money sent
      // twice.
      const key: unknown = (options as MoneyOptions | undefined)?.idempotencyKey;
      if (typeof key !== 'string')
        throw new TypeError(`${path} requires an idempotencyKey from the caller, because it moves money`);
      return write('POST')(path)(body, options);
    },
    patch: (path) => write('PATCH')(path) as never,
    del: (path) => write('DELETE')(path) as never,
  };
}

type Page = Readonly<Record<string, unknown>> & {
  readonly pagination: { page: number; limit: number; total: number };
};

/**
 * New items move others to the next page, where duplicates are dropped.
 * @throws {TilldError} UNREADABLE if several pages in a row contain nothing new, because no shop creates
 * items that fast
 */
async function* allOf(
  read: (page: { page: number; limit: number }) => Promise<Page>,
): AsyncGenerator<unknown, void> {
  const given = new Set<string>();
  for (let page = 1, stale = 0; ; page += 1) {
    const answer = await read({ page, limit: LARGEST_PAGE });
    const items = Object.values(answer).find((value) => Array.isArray(value)) as readonly object[];
    const before = given.size;
    for (const item of items) {
      const id = itemKey(item);
      if (given.has(id)) continue;
      given.add(id);
      yield item;
    }
    const { limit, total } = answer.pagination;
    if (items.length === 0 || page * limit >= total) return;
    stale = given.size === before ? stale + 1 : 0;
    if (stale === MOST_STALE_PAGES)
      throw new TilldError({ code: 'UNREADABLE', message: 'the server returned the same page repeatedly' });
  }
}

/** Outputs are named by transaction and index, invoices by their order. */
function itemKey(item: { id?: string; orderId?: string; txHash?: string; index?: number }): string {
  return item.id ?? item.orderId ?? `${item.txHash}:${item.index}`;
}
