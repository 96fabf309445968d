import { afterAll, beforeAll, expect, test } from 'vitest';
import { listCustomers } from '../../../src/store/catalog/customers.ts';
import type { CustomerRow } from '../../../src/store/schema/catalog.ts';
import { openShop } from '../../_helpers/webhooks/shop.ts';

const CUSTOMERS = 1_200;

let shop: Awaited<ReturnType<typeof openShop>>;
let all: CustomerRow[];
beforeAll(async () => {
  shop = await openShop();
  const { id } = await shop.merchant(null);
  const { userId } = await shop.db
    .selectFrom('merchants')
    .select('userId')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  // Neither their ids nor their addresses are in the order in which they came; many came at once.
  all = Array.from({ length: CUSTOMERS }, (_, at) => {
    const name = `${(at * 7919) % CUSTOMERS}-50%_of@shop.example`;
    return {
      id: `cus_${String((at * 31) % CUSTOMERS).padStart(24, '0')}`,
      userId,
      email: name,
      emailKey: name,
      metadataJson: '{}',
      createdAt: Math.floor(at / 3),
      updatedAt: at,
    };
  });
  for (let at = 0; at < CUSTOMERS; at += 100) {
    await shop.db
      .insertInto('customers')
      .values(all.slice(at, at + 100))
      .execute();
  }
});
afterAll(async () => shop.close());

test.each(['', '-50%_of', '1', '11', '117-', '%', '_', '50_', 'nobody'])(
  'listCustomers returns the matches of the search %j newest first, page by page, with the exact total',
  async (search) => {
    const expected = all
      .filter(({ emailKey: key }) => key.includes(search))
      .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
    const userId = all[0]?.userId ?? '';
    for (const { page, limit } of [
      { page: 1, limit: 10 },
      { page: 2, limit: 7 },
      { page: 6, limit: 100 },
      { page: 99, limit: 100 },
    ]) {
      const { rows, total } = await listCustomers(shop.db, { userId, search, page, limit });
      expect(total).toBe(expected.length);
      expect(rows).toEqual(expected.slice((page - 1) * limit, page * limit));
    }
  },
);

test('listCustomers by ids returns customers of this account only, and combines that with a search', async () => {
  const userId = all[0]?.userId ?? '';
  const wanted = all.filter((_, at) => at % 20 === 0);
  const ids = ['cus_none', ...wanted.map(({ id }) => id)];
  const expected = wanted.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  const found = await listCustomers(shop.db, { userId, search: '', ids, page: 2, limit: 7 });
  expect(found).toEqual({ rows: expected.slice(7, 14), total: wanted.length });
  const some = expected.filter(({ emailKey: key }) => key.includes('11'));
  expect(some.length).toBeGreaterThan(0);
  const narrowed = await listCustomers(shop.db, { userId, search: '11', ids, page: 1, limit: 100 });
  expect(narrowed).toEqual({ rows: some, total: some.length });
  expect(await listCustomers(shop.db, { userId: 'other', search: '', ids, page: 1, limit: 100 })).toEqual({
    rows: [],
    total: 0,
  });
});
