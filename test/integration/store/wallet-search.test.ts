import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pageWalletTransactions } from '../../../src/store/ledger/wallet-transactions.ts';
import { openShop } from '../../_helpers/webhooks/shop.ts';
import { measureCpuMs } from '../../_helpers/timing/cpu-time.ts';

const RECEIVED = 90_000;
const SENT = 10_000;
/** Several times what it takes, for machines that do other work meanwhile. */
const MAX_MS = 500;

let shop: Awaited<ReturnType<typeof openShop>>;
let merchantId: string;

beforeAll(async () => {
  shop = await openShop();
  const merchant = await shop.merchant(null);
  await shop.payment(merchant);
  merchantId = merchant.id;
  fill(shop.path);
});
afterAll(async () => shop.close());

const numbers = (count: number) =>
  `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})`;
const hash = (from: string) => `printf('%08x', (${from}) * 7919) || lower(hex(randomblob(28)))`;

/** Payments with an output each, and sends with change each, every tenth of them a refund. */
function fill(path: string): void {
  const sqlite = new Sqlite(path);
  sqlite.pragma('foreign_keys = OFF');
  const columns = sqlite
    .prepare<[], { name: string }>("SELECT name FROM pragma_table_info('payments')")
    .all()
    .map(({ name }) => name);
  const own: Record<string, string> = { id: `'pay_' || n`, order_id: `'Order ' || n`, created_at: 'n' };
  sqlite.transaction(() => {
    sqlite.exec(`${numbers(RECEIVED)} INSERT INTO payments (${columns.join()})
      SELECT ${columns.map((name) => own[name] ?? `p.${name}`).join()} FROM numbers, (SELECT * FROM payments) p`);
    sqlite.exec(`${numbers(RECEIVED)} INSERT INTO addresses (id, merchant_id, coin, mode, branch, idx, address, watch_key,
        purpose, payment_id, created_at)
      SELECT n, m.id, 'BTC', 'sandbox', 0, n, 'bc1q' || printf('%010d', n), 'watch' || n, 'payment', 'pay_' || n, n
        FROM numbers, merchants m`);
    sqlite.exec(`${numbers(RECEIVED)} INSERT INTO outputs (coin, mode, txid, vout, address_id, merchant_id, payment_id, amount,
        state, maturity, first_seen_at, late, updated_at)
      SELECT 'BTC', 'sandbox', ${hash('n')}, 0, n, m.id, 'pay_' || n, 1000000 + n, 'unconfirmed', 1, n * 1000, 0, n
        FROM numbers, merchants m`);
    sqlite.exec(`${numbers(SENT)} INSERT INTO sends (id, merchant_id, coin, mode, purpose, destination, subtract_fee, ordered,
        amount, fee, max_fee, status, txid, version, created_at, updated_at, broadcasts)
      SELECT 'snd_' || n, m.id, 'BTC', 'sandbox', 'send', 'bc1z' || printf('%010d', n), 0, 2000000 + n, 2000000 + n, 100, 1000,
        'broadcast', ${hash('900000 + n')}, 1, n * 9000 + 1, n, 1 FROM numbers, merchants m`);
    sqlite.exec(`INSERT INTO send_versions (send_id, version, coin, mode, txid, raw, fee, fee_rate, plan_json, created_at)
      SELECT id, 1, coin, mode, txid, '', fee, '1', '{}', created_at FROM sends`);
    sqlite.exec(`${numbers(SENT)} INSERT INTO refunds (send_id, payment_id, coin, amount, created_at)
      SELECT 'snd_' || n, 'pay_' || n, 'BTC', '1', n FROM numbers WHERE n % 10 = 0`);
    sqlite.exec(`${numbers(SENT)} INSERT INTO addresses (id, merchant_id, coin, mode, branch, idx, address, watch_key, purpose,
        created_at)
      SELECT ${RECEIVED} + n, m.id, 'BTC', 'sandbox', 1, n, 'bc1y' || printf('%010d', n), 'change' || n, 'change', n
        FROM numbers, merchants m`);
    sqlite.exec(`INSERT INTO outputs (coin, mode, txid, vout, address_id, merchant_id, amount, state, maturity, first_seen_at,
        late, updated_at)
      SELECT coin, mode, txid, 1, ${RECEIVED} + substr(id, 5), merchant_id, '3000000', 'unconfirmed', 1, created_at, 0, 1
        FROM sends`);
    // The wallet is funded.
    sqlite.exec(`INSERT INTO addresses (id, merchant_id, coin, mode, branch, idx, address, watch_key, purpose, created_at)
      SELECT 200000, m.id, 'BTC', 'sandbox', 0, 200000, 'bc1w0000000001', 'wallet', 'wallet', 1 FROM merchants m`);
    sqlite.exec(`INSERT INTO outputs (coin, mode, txid, vout, address_id, merchant_id, amount, state, maturity, first_seen_at,
        late, updated_at)
      SELECT 'BTC', 'sandbox', 'ffffffff00000000', 0, 200000, m.id, '70000000', 'unconfirmed', 1, 5, 0, 5 FROM merchants m`);
  })();
  sqlite.close();
}

/** How the hash of a number begins. */
const startOf = (n: number): string => (n * 7919).toString(16).padStart(8, '0');

test.each([
  ['an order id, and the refund of it', { search: 'Order 4440' }, 2],
  ['the id of a payment', { search: 'pay_4441' }, 1],
  ['the id of a send', { search: 'snd_7' }, 1],
  ['the beginning of a transaction', { search: startOf(54_321) }, 1],
  [
    'the beginning of the transaction of a send, not its change',
    { search: startOf(900_123).toUpperCase() },
    1,
  ],
  ['the address of a payment', { search: 'BC1Q0000054321' }, 1],
  ['the beginning of many addresses', { search: 'bc1q00000' }, RECEIVED],
  ['destinations', { search: 'bc1z000000012' }, 10],
  ['the address of the wallet', { search: 'bc1w00' }, 1],
  ['change addresses, which are no income', { search: 'bc1y0000' }, 0],
  ['an amount', { search: '0.0101234' }, 10],
  ['a whole coin', { search: '0.7' }, 1],
  ['the beginning of nearly each amount', { search: '0.01' }, RECEIVED],
  ['nothing', { search: 'nothing-like-it' }, 0],
  ['wildcards, which mean nothing', { search: 'bc1q%' }, 0],
  ['a range of time', { fromMs: 1_000, toMs: 9_000 }, 9],
  ['most of the time', { fromMs: 1_000 }, RECEIVED + SENT],
  ['a range and an amount', { fromMs: 89_000_000, search: '0.0108900' }, 10],
  ['what was sent in a range', { toMs: 90_001, direction: 'out' }, 10],
] as const)(
  'pageWalletTransactions finds %s among 100,000 movements in interactive time',
  async (what, asked, total) => {
    const filter = { merchantId, mode: 'sandbox', coin: null, direction: null, ...asked } as const;
    const took: number[] = [];
    // The process may have other work in any of them.
    for (let time = 0; time < 10 && !took.some((ms) => ms < MAX_MS); time += 1) {
      const cpuMs = await measureCpuMs(async () => {
        const page = await pageWalletTransactions(shop.db, { ...filter, page: 1, limit: 20 });
        expect([page.total, page.rows.length]).toEqual([total, Math.min(20, total)]);
      });
      took.push(cpuMs);
    }
    if (process.env['SHOW_TIMES'] !== undefined) console.log(what, took.map(Math.round).join(' '));
    expect(Math.min(...took)).toBeLessThan(MAX_MS);
  },
);
