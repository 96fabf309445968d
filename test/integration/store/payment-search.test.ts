import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listPayments, PAYMENT_SORTS } from '../../../src/store/payments/payment-list.ts';
import { totalPayments } from '../../../src/store/payments/payment-totals.ts';
import { openShop } from '../../_helpers/webhooks/shop.ts';

const PAYMENTS = 100_000;
/** Several times the processor time that it takes. */
const ENOUGH_MS = 500;
/** The same on a machine that is several times slower, in bare walks over the order ids there: a search takes some 30. */
const ENOUGH_WALKS = 140;

let shop: Awaited<ReturnType<typeof openShop>>;
let merchantId: string;
let userId: string;
/** What a search may take here and now. */
let maxMs = ENOUGH_MS;

beforeAll(async () => {
  shop = await openShop();
  const merchant = await shop.merchant(null);
  await shop.payment(merchant);
  merchantId = merchant.id;
  fill(shop.path);
  const owner = await shop.db
    .selectFrom('merchants')
    .select('userId')
    .where('id', '=', merchantId)
    .executeTakeFirstOrThrow();
  userId = owner.userId;
  maxMs = Math.max(ENOUGH_MS, ENOUGH_WALKS * bareWalkMs(shop.path));
});
afterAll(async () => shop.close());

/** Processor time of this process, ms: other work of the machine does not add to it. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The quickest of three looks at every order id, without an index and without anything of ours. */
function bareWalkMs(path: string): number {
  const sqlite = new Sqlite(path, { readonly: true });
  const walk = sqlite.prepare("SELECT count(*) FROM payments WHERE order_id || '' LIKE '%nothing like it%'");
  const took = [1, 2, 3].map(() => {
    const started = processorMs();
    walk.get();
    return processorMs() - started;
  });
  sqlite.close();
  return Math.min(...took);
}

/** As many copies of the one payment, each with a number, and each of the first coins paid. */
function fill(path: string): void {
  const sqlite = new Sqlite(path);
  sqlite.pragma('foreign_keys = OFF');
  const columns = sqlite
    .prepare<[], { name: string }>("SELECT name FROM pragma_table_info('payments')")
    .all()
    .map(({ name }) => name);
  const own: Record<string, string> = {
    id: `'pay_' || n`,
    order_id: `'Order ' || (500000 + n)`,
    amount: `(n % 900) || '.5'`,
    created_at: 'n',
    metadata_json: `hex(randomblob(100))`,
    customer_id: `'cus_' || (n % 20000)`,
    status: `CASE n % 50 WHEN 0 THEN 'expired' WHEN 1 THEN 'cancelled' ELSE p.status END`,
    updated_at: `(n * 7919) % ${PAYMENTS}`,
  };
  const numbers = `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${PAYMENTS})`;
  const address = `'bc1q' || printf('%010d', n)`;
  sqlite.transaction(() => {
    sqlite.exec(`${numbers} INSERT INTO customers SELECT 'cus_' || (n - 1), (SELECT user_id FROM merchants),
      'buyer.' || n || '@mail.example', 'buyer.' || n || '@mail.example', '{}', n, n FROM numbers WHERE n <= 20000`);
    sqlite.exec(`${numbers} INSERT INTO payments (${columns.join()})
      SELECT ${columns.map((name) => own[name] ?? `p.${name}`).join()} FROM numbers, (SELECT * FROM payments) p`);
    sqlite.exec(`${numbers} INSERT INTO addresses (merchant_id, coin, mode, branch, idx, address, watch_key, purpose, payment_id, created_at)
      SELECT m.id, 'BTC', 'sandbox', 0, n, ${address}, 'watch' || n, 'payment', 'pay_' || n, n FROM numbers, merchants m`);
    sqlite.exec(`${numbers} INSERT INTO outputs (coin, mode, txid, vout, address_id, merchant_id, payment_id, amount, state, maturity,
        first_seen_at, late, updated_at)
      SELECT 'BTC', 'sandbox', lower(hex(randomblob(32))), 0, n, m.id, 'pay_' || n, 1000000 + n, 'unconfirmed', 1, n, 0, n
        FROM numbers, merchants m`);
  })();
  sqlite.close();
}

test.each([
  { text: 'order 512345', total: 1 },
  { text: '12345', total: 6 },
  { text: 'ORDER', total: PAYMENTS },
  { text: 'buyer.777@', total: 5 },
  { text: '@MAIL.example', total: PAYMENTS },
  { text: '0.01012345', total: 1 },
  { text: '777.5', total: 111 },
  { text: 'BC1Q0000054321', total: 1 },
  { text: 'nothing-like-it', total: 0 },
])(
  'listPayments finds the payments for "$text" among 100,000 in interactive time',
  async ({ text, total }) => {
    const search = { text, emailKey: text.toLowerCase(), userId };
    const filter = { merchantId, mode: 'sandbox' as const, search };
    const took: number[] = [];
    // Something else on the machine may slow any of them.
    for (let time = 0; time < 10 && !took.some((ms) => ms < maxMs); time += 1) {
      const started = processorMs();
      const rows = await listPayments(shop.db, filter, { limit: 20, offset: 0 });
      expect(await totalPayments(shop.db, filter)).toBe(total);
      expect(rows).toHaveLength(Math.min(20, total));
      took.push(processorMs() - started);
    }
    if (process.env['SHOW_TIMES'] !== undefined) console.log(text, took.map(Math.round).join(' '), maxMs);
    expect(Math.min(...took)).toBeLessThan(maxMs);
  },
);

const COLUMNS = {
  createdAt: 'createdAt',
  orderId: 'orderId',
  status: 'status',
} as const;

const WHOLE = { merchantId: '', mode: 'sandbox' } as const;
test.each(
  PAYMENT_SORTS.flatMap((sort) =>
    [
      {},
      { status: 'expired' as const },
      { coin: 'BTC' as const },
      { fromMs: 1000, toMs: 90_000 },
      { fromMs: 50_000, toMs: 50_010 },
      { customerId: 'cus_777' },
    ].map((filter) => ({ sort, filter })),
  ),
)(
  'listPayments returns any page of 100,000 payments sorted by $sort in interactive time: $filter',
  async ({ sort, filter }) => {
    const wanted = { ...WHOLE, merchantId, ...filter };
    const column = COLUMNS[sort.replace('-', '') as keyof typeof COLUMNS];
    const total = await totalPayments(shop.db, wanted);
    const seen: Record<number, number> = {};
    for (const offset of [0, Math.max(0, total - 100)]) {
      const took: number[] = [];
      for (let time = 0; time < 2; time += 1) {
        const started = processorMs();
        const rows = await listPayments(shop.db, wanted, { limit: 100, offset, sort });
        took.push(processorMs() - started);
        const keys = rows.map((row) => row[column]);
        const ascending = keys.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        expect(keys).toEqual(sort.startsWith('-') ? ascending.toReversed() : ascending);
        expect(rows).toHaveLength(Math.min(100, total));
      }
      seen[offset] = Math.min(...took);
    }
    if (process.env['SHOW_TIMES'] !== undefined)
      console.log(sort, JSON.stringify(filter), JSON.stringify(seen));
    expect(Math.max(...Object.values(seen))).toBeLessThan(maxMs);
  },
);
