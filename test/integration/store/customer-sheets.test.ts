import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emailKey } from '../../../src/domain/email.ts';
import { CustomerSheets } from '../../../src/store/customer-sheets.ts';
import { customersLike, listCustomers } from '../../../src/store/customers.ts';
import { inTransaction } from '../../../src/store/database.ts';
import type { CustomerRow } from '../../../src/store/tables.ts';
import { newId } from '../../../src/usecases/new-id.ts';
import { openShop } from '../../_helpers/webhooks/shop.ts';

/** More than are left to the database, and more than are read in one piece. */
const CUSTOMERS = 1_100;

let shop: Awaited<ReturnType<typeof openShop>>;
let made = 0;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(async () => shop.close());

const PARTS = [
  '"shop"@x.example',
  '%',
  '_50',
  '\\',
  "o'neil",
  'ß',
  'İ',
  'É',
  'e\u{301}',
  '\u{1F600}',
  '\u212A',
];

async function newAccount(): Promise<string> {
  const { id } = await shop.merchant(null);
  const row = await shop.db
    .selectFrom('merchants')
    .select('user_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.user_id;
}

function customer(userId: string, at: number): CustomerRow {
  made += 1;
  const email = `${PARTS[made % PARTS.length]}-${made}@Example.com`;
  const times = { created_at: at, updated_at: at };
  return {
    id: newId('cus_'),
    user_id: userId,
    email,
    email_key: emailKey(email),
    metadata_json: '{}',
    ...times,
  };
}

async function insert(rows: readonly CustomerRow[]): Promise<void> {
  await inTransaction(shop.db, async (tx) => {
    for (let at = 0; at < rows.length; at += 500) {
      await tx
        .insertInto('customers')
        .values(rows.slice(at, at + 500))
        .execute();
    }
  });
}

const search = fc.oneof(
  fc.constantFrom('example.com', '@', '-1', '99@', 'nobody', ...PARTS.map(emailKey)),
  fc.nat(2_000).map((number) => `-${number}@`),
  fc.string({ minLength: 1, maxLength: 3 }).map(emailKey),
);
const look = fc.record({
  kind: fc.constant('look' as const),
  search,
  page: fc.integer({ min: 1, max: 4 }),
  limit: fc.constantFrom(1, 10, 100),
});
/** Before all others, among them, at the moment of the newest, or after it. */
const come = fc.record({
  kind: fc.constant('come' as const),
  at: fc.constantFrom(1, 500, 1_000, 1_001, 1_002),
});
const change = fc.record({
  kind: fc.constantFrom('rename' as const, 'remove' as const, 'move' as const, 'undone' as const),
  which: fc.nat(CUSTOMERS - 1),
});

test('a search in memory answers as the database does, whatever came, changed or went before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(look, look, come, change), { maxLength: 25 }), async (steps) => {
      const userId = await newAccount();
      const other = await newAccount();
      const rows = Array.from({ length: CUSTOMERS }, (_, at) => customer(userId, Math.min(1_000, at)));
      await insert([
        ...rows,
        ...rows.slice(0, 3).map((row) => ({ ...row, id: `${row.id}o`, user_id: other })),
      ]);
      for (const step of [...steps, { kind: 'look' as const, search: 'example', page: 1, limit: 100 }]) {
        if (step.kind === 'look') {
          const filter = { ...step, userId };
          expect(await listCustomers(shop.db, filter)).toEqual(await customersLike(shop.db, filter));
        } else if (step.kind === 'come') await insert([customer(userId, step.at)]);
        else await edit(rows[step.which]?.id ?? '', step.kind, other);
      }
    }),
    { numRuns: 25 },
  );
});

async function edit(id: string, kind: 'rename' | 'remove' | 'move' | 'undone', other: string): Promise<void> {
  const one = shop.db.updateTable('customers').where('id', '=', id);
  made += 1;
  if (kind === 'rename') await one.set({ email_key: `renamed-${made}@example.com` }).execute();
  else if (kind === 'move')
    await one.set({ user_id: other, email_key: `moved-${made}@example.com` }).execute();
  else if (kind === 'remove') await shop.db.deleteFrom('customers').where('id', '=', id).execute();
  else {
    const undone = inTransaction(shop.db, async (tx) => {
      await tx.deleteFrom('customers').where('id', '=', id).execute();
      throw new Error('taken back');
    });
    await expect(undone).rejects.toThrow('taken back');
  }
}

test('searches at the same time, while customers come, find no fewer than there were and no more than there are', async () => {
  const userId = await newAccount();
  await insert(Array.from({ length: 3 * CUSTOMERS }, (_, at) => customer(userId, at)));
  const filter = { userId, search: 'example.com', page: 1, limit: 5 };
  const totals = async () => (await listCustomers(shop.db, filter)).total;
  const answers = await Promise.all(
    Array.from({ length: 30 }, async (_, at) => {
      if (at % 3 === 0) await insert([customer(userId, 10_000 + at)]);
      return totals();
    }),
  );
  for (const total of answers) {
    expect(total).toBeGreaterThanOrEqual(3 * CUSTOMERS);
    expect(total).toBeLessThanOrEqual(3 * CUSTOMERS + 10);
  }
  expect(await totals()).toBe(3 * CUSTOMERS + 10);
  expect(await listCustomers(shop.db, filter)).toEqual(await customersLike(shop.db, filter));
});

test('leaves to the database what does not fit, and takes up again the account it let go of', async () => {
  const accounts = [await newAccount(), await newAccount()];
  for (const userId of accounts) {
    await insert(Array.from({ length: CUSTOMERS }, (_, at) => customer(userId, at)));
  }
  const all = { part: 'example.com', offset: 1, limit: 2 };
  const none = new CustomerSheets({ maxBytes: 1, maxSheets: 1 });
  const one = new CustomerSheets({ maxBytes: 1024 * 1024, maxSheets: 1 });
  for (const userId of [...accounts, ...accounts]) {
    expect(await none.find(shop.db, { ...all, userId })).toBe(null);
    const expected = await customersLike(shop.db, { userId, search: all.part, page: 1, limit: 3 });
    const found = await one.find(shop.db, { ...all, userId });
    expect(found?.total).toBe(CUSTOMERS);
    expect(new Set(found?.keys)).toEqual(new Set(expected.rows.slice(1).map((row) => row.email_key)));
  }
  expect(await one.find(shop.db, { ...all, userId: 'nobody' })).toBe(null);
});
