/** The books of a big shop, read by a client that takes its time, while the shop goes on. */
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { TillProcess } from '../../_helpers/till.ts';

const PAYMENTS = 100_000;
/** The answer has some 35 MB, and what it is made of takes several times that: more than this heap of the daemon. */
const HEAP_MB = 80;

let till: TillProcess;
let shop: Shop;
let path: string;

beforeAll(async () => {
  till = await TillProcess.start({ NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` });
  shop = await Shop.open(till.api);
  const { id } = await shop.createPayment();
  path = join(till.dataDir, 'tilld.sqlite');
  await till.terminate();
  fill(id);
  await till.up();
  await till.ready();
});
afterAll(async () => till.end());

/** A hundred thousand payments, one a minute, each with its line. */
function fill(like: string): void {
  const db = new Sqlite(path);
  const names = db.prepare(`SELECT name FROM pragma_table_info('payments')`).pluck().all() as string[];
  const own: Record<string, string> = {
    id: `'pay_' || n`,
    order_id: `'order-' || n`,
    created_at: 'n * 60000',
    closed_at: '1',
  };
  const columns = names.map((name) => own[name] ?? name);
  const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${PAYMENTS})`;
  db.exec(`BEGIN;
    INSERT INTO payments (${names.join()}) ${numbers} SELECT ${columns.join()} FROM payments, numbers WHERE id = '${like}';
    ${INSERT} ${numbers} ${lineOf(`'pay_' || n`, 'n * 60000')} FROM numbers;
    COMMIT`);
  db.close();
}

const INSERT = `INSERT INTO movements (merchant_id, coin, mode, at, kind, amount, txid, vout, payment_id, address, currency, rate)`;

function lineOf(payment: string, at: string): string {
  return `SELECT '${shop.merchantId}', 'BTC', 'sandbox', ${at}, 'payment', '150000',
    hex(randomblob(32)), 0, ${payment}, 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', 'USD', '100000'`;
}

async function open(): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { authorization: `Bearer ${shop.secretKey}` };
  get(`${till.api.baseUrl}/payment/export`, { headers, agent: false }, resolve).on('error', reject);
  return promise;
}

it('the accounting export of a large shop uses little memory, delays no write and no checkpoint, and contains each line once', async () => {
  const { pid } = till;
  const answer = await open();
  let text = '';
  let isInTheMiddle = false;
  answer.setEncoding('utf8');
  for await (const part of answer) {
    text += String(part);
    if (isInTheMiddle || text.length < 5_000_000) continue;
    isInTheMiddle = true;
    await meanwhile();
  }
  const { data } = JSON.parse(text) as { data: { lines: { paymentId: string; orderId: string }[] } };
  expect(data.lines.length).toBe(PAYMENTS);
  const wrong = data.lines.filter(
    ({ paymentId, orderId }, at) => paymentId !== `pay_${at + 1}` || orderId !== `order-${at + 1}`,
  );
  expect(wrong).toEqual([]);
  // A daemon without memory ends.
  await till.ready();
  expect(till.pid).toBe(pid);
});

/** While the client takes nothing: lines are written before and behind where it stands, and the log is taken over. */
async function meanwhile(): Promise<void> {
  const made = await shop.createPayment();
  const db = new Sqlite(path, { timeout: 5_000 });
  try {
    for (const at of ['1', '60000 * 50000', `60000 * ${PAYMENTS} + 1`]) {
      db.exec(`${INSERT} ${lineOf(`'${made.id}'`, at)}`);
    }
    await eventually(
      'the whole log to be taken over',
      () => db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number; log: number }[],
      ([result]) => result?.busy === 0 && result.log === 0,
    );
  } finally {
    db.close();
  }
}
