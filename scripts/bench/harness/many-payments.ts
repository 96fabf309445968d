import { join } from 'node:path';
import Database from 'better-sqlite3';
import { startDaemon, type Daemon } from './daemon.ts';
import type { Bench } from './question.ts';

/** A data directory full of history, and who to be there. */
export interface History {
  readonly dataDir: string;
  readonly payments: number;
  /** A payment of the first merchant. */
  readonly paymentId: string;
  readonly merchants: readonly { readonly id: string; readonly secretKey: string }[];
}

const MERCHANTS = 100;
const YEAR_MS = 365 * 24 * 3600 * 1000;
const LARGE_TABLES = [
  'payments',
  'payment_options',
  'addresses',
  'outputs',
  'events',
  'deliveries',
  'webhook_logs',
];

const made = new Map<number, Promise<History>>();

/**
 * A history of so many payments over 100 merchants, made once per run of the suite. The schema and the
 * merchants are the daemon's own work; the rows are then written straight into its tables.
 */
export async function manyPayments(bench: Bench, payments: number): Promise<History> {
  let history = made.get(payments);
  if (history === undefined) made.set(payments, (history = make(bench, payments)));
  return history;
}

async function make(bench: Bench, payments: number): Promise<History> {
  const started = Date.now();
  const daemon = await startDaemon(bench, { dataDir: bench.keptDir() });
  const merchants = await openMerchants(daemon);
  await daemon.stop();
  const paymentId = fill(join(daemon.dataDir, 'tilld.sqlite'), payments);
  bench.progress(`made ${payments} payments in ${Math.round((Date.now() - started) / 1000)} s`);
  return { dataDir: daemon.dataDir, payments, paymentId, merchants };
}

async function openMerchants({ api }: Daemon): Promise<{ id: string; secretKey: string }[]> {
  const { token } = await api.must<{ token: string }>('POST', '/auth/register', {
    body: { email: 'owner@example.com', password: 'correct horse battery' },
  });
  const merchants: { id: string; secretKey: string }[] = [];
  for (let number = 0; number < MERCHANTS; number += 1) {
    const { merchant } = await api.must<{ merchant: { id: string; auth: { secret: string } } }>(
      'POST',
      '/merchant/create',
      { token, body: { name: `Shop ${number}`, domain: `shop-${number}.example` } },
    );
    merchants.push({ id: merchant.id, secretKey: merchant.auth.secret });
  }
  return merchants;
}

/** Indexes and triggers are put aside while rows are written and made again by SQLite's sorter: minutes less. */
function fill(path: string, payments: number): string {
  const sqlite = new Database(path);
  sqlite.pragma('journal_mode = DELETE');
  sqlite.pragma('synchronous = OFF');
  sqlite.pragma('cache_size = -1500000');
  sqlite.pragma('foreign_keys = OFF');
  const aside = sqlite
    .prepare<unknown[], { type: string; name: string; sql: string }>(
      `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND type IN ('index', 'trigger')
        AND tbl_name IN (${LARGE_TABLES.map((name) => `'${name}'`).join()})`,
    )
    .all();
  const write = sqlite.transaction(() => {
    for (const { type, name } of aside) sqlite.exec(`DROP ${type} ${name}`);
    sqlite.prepare(CUSTOMERS).run({ customers: Math.ceil(payments / 20), now: Date.now() });
    sqlite.exec(`CREATE TEMP TABLE shop AS SELECT row_number() OVER (ORDER BY account) - 1 AS n, id FROM merchants;
      CREATE UNIQUE INDEX temp.shop_by_n ON shop (n);
      CREATE TEMP TABLE coin (name, bit); INSERT INTO coin VALUES ('BTC', 1), ('LTC', 2), ('ETH', 4), ('SOL', 8);`);
    sqlite.prepare(PAYMENTS).run({
      payments,
      merchants: MERCHANTS,
      customers: Math.ceil(payments / 20),
      now: Date.now(),
      stepMs: YEAR_MS / payments,
    });
    for (const statement of FOLLOWING) sqlite.exec(statement);
    for (const { sql } of aside) sqlite.exec(sql);
  });
  write();
  const paymentId = sqlite.prepare("SELECT id FROM payments WHERE order_id = 'order-0'").pluck().get();
  sqlite.pragma('journal_mode = WAL');
  sqlite.close();
  return String(paymentId);
}

const CUSTOMERS = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < @customers)
  INSERT INTO customers (id, user_id, email, email_key, metadata_json, created_at, updated_at)
  SELECT 'cus_' || printf('%024d', i), (SELECT id FROM users), 'buyer-' || i || '@example.com',
    'buyer-' || i || '@example.com', '{}', @now - i, @now - i FROM n`;

/**
 * Evenly over the merchants and the last year: of 100, 62 are completed, 30 expired, 5 cancelled, 2
 * underpaid and 1 pending; 70 are offered in all four coins, 20 in two, 10 in one.
 */
const PAYMENTS = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < @payments),
  drawn AS (SELECT i, i % @merchants AS shop_n, (i / @merchants * 37 + i) % 100 AS luck,
    (i / @merchants * 53 + i * 7) % 100 AS taste, CAST(@now - (@payments - i) * @stepMs AS INTEGER) AS at FROM n)
  INSERT INTO payments (id, merchant_id, customer_id, order_id, mode, status, exception, amount, currency, product_id,
    price_id, metadata_json, custom_fields_json, webhook_url, success_url, return_url, allowed_cryptos_json, offered,
    tolerance_bps, late_policy, request_hash, sequence, created_at, expires_at, updated_at, closed_at, cancelled_at,
    accepted_at, refunded_at, refunded_by)
  SELECT 'pay_' || lower(hex(randomblob(12))), (SELECT id FROM shop WHERE n = shop_n),
    'cus_' || printf('%024d', (i / @merchants * 31 + i) % @customers), 'order-' || i, 'sandbox',
    CASE WHEN luck < 62 THEN 'completed' WHEN luck < 92 THEN 'expired' WHEN luck < 97 THEN 'cancelled'
      WHEN luck < 99 THEN 'underpaid' ELSE 'pending' END,
    CASE WHEN luck IN (97, 98) THEN 'underpaid' END, '49.90', 'USD', NULL, NULL, '{"tableNumber":7}', NULL, NULL,
    'https://shop.example/thanks', 'https://shop.example/cart', '["BTC","LTC","ETH","SOL"]',
    CASE WHEN taste < 70 THEN 15 WHEN taste < 90 THEN 3 ELSE 1 END, 50, 'accept', lower(hex(randomblob(32))),
    CASE WHEN luck < 62 THEN 3 WHEN luck < 99 THEN 2 ELSE 1 END, at,
    CASE WHEN luck >= 97 THEN @now + 86400000 ELSE at + 3600000 END, at + 600000,
    CASE WHEN luck < 97 THEN at + 3600000 END, CASE WHEN luck BETWEEN 92 AND 96 THEN at + 600000 END, NULL, NULL, NULL
  FROM drawn`;

/** What hangs on the payments, as the daemon would have written it. */
const FOLLOWING = [
  `INSERT INTO payment_counts SELECT merchant_id, mode, status, offered, count(*) FROM payments GROUP BY 1, 2, 3, 4`,
  // Index 0 of a branch is the merchant's own address.
  `INSERT INTO addresses (merchant_id, coin, mode, branch, idx, address, watch_key, purpose, payment_id, created_at)
    SELECT p.merchant_id, c.name, 'sandbox', 0, row_number() OVER (PARTITION BY p.merchant_id, c.name ORDER BY p.rowid),
      'tb1q' || lower(hex(randomblob(19))), lower(hex(randomblob(20))), 'payment', p.id, p.created_at
    FROM coin AS c CROSS JOIN payments AS p WHERE p.offered & c.bit`,
  `INSERT OR REPLACE INTO address_counters SELECT merchant_id, coin, mode, branch, max(idx) + 1 FROM addresses GROUP BY 1, 2, 3, 4`,
  `INSERT INTO payment_options (payment_id, coin, address_id, address, amount, rate, rate_sources_json, rate_at,
      required_confirmations, required_finality)
    SELECT payment_id, coin, id, address, '49900', '100000', '["fixed"]', created_at, 2, NULL FROM addresses
    WHERE payment_id IS NOT NULL ORDER BY payment_id, coin`,
  // Paid in the first coin offered. Of the money, 19 of 20 were spent since.
  `INSERT INTO outputs (coin, mode, txid, vout, address_id, merchant_id, payment_id, amount, state, height, block_hash, maturity,
      first_seen_at, late, late_due, spent_by, spent_height, send_id, updated_at)
    SELECT 'BTC', 'sandbox', lower(hex(randomblob(32))), 0, a.id, p.merchant_id, p.id, '49900',
      'confirmed', 1, NULL, 0, p.created_at + 300000, 0, NULL,
      CASE WHEN p.status = 'completed' AND p.rowid % 20 > 0 THEN lower(hex(randomblob(32))) END,
      CASE WHEN p.status = 'completed' AND p.rowid % 20 > 0 THEN 1 END, NULL, p.updated_at
    FROM payments AS p JOIN addresses AS a ON a.payment_id = p.id AND a.coin = 'BTC'
    WHERE p.status IN ('completed', 'underpaid')`,
  // Events keep their body as long as their deliveries are kept (30 days); older ones only say what happened.
  `WITH told (type, sequence) AS (VALUES ('payment.created', 1), ('payment.confirming', 2), ('payment.completed', 3))
    INSERT INTO events (id, merchant_id, mode, type, payment_id, send_id, sequence, body_json, created_at)
    SELECT 'evt_' || lower(hex(randomblob(12))), p.merchant_id, 'sandbox', t.type, p.id, NULL, t.sequence,
      json_object('id', p.id, 'type', t.type, 'sequence', t.sequence, 'data', json_object('payment', json_object('id', p.id,
        'metadata', CASE WHEN p.rowid % 12 = 0 THEN hex(zeroblob(900)) END))), p.created_at + 60000 * t.sequence
    FROM payments AS p JOIN told AS t ON t.sequence <= p.sequence`,
  `INSERT OR REPLACE INTO event_counts SELECT merchant_id, type, count(*) FROM events GROUP BY 1, 2`,
  `INSERT INTO deliveries (id, event_id, event_seq, merchant_id, payment_id, order_key, url, origin, status, attempts,
      next_attempt_at, lease_until, lease_token, created_at, updated_at)
    SELECT 'dlv_' || lower(hex(randomblob(12))), id, seq, merchant_id, payment_id, payment_id, 'https://shop.example/hook',
      'https://shop.example', 'delivered', 1, created_at, NULL, NULL, created_at, created_at FROM events WHERE seq % 12 = 0`,
  `INSERT INTO webhook_logs (id, delivery_id, merchant_id, payment_id, endpoint, status, attempt, duration_ms, error,
      request_json, response_json, size_bytes, created_at)
    SELECT lower(hex(randomblob(16))), id, merchant_id, payment_id, url, 200, 1, 20, NULL,
      '{"method":"POST","headers":{}}', '{"status":200,"headers":{},"body":"ok"}', 300, created_at FROM deliveries`,
];
