import Database from 'better-sqlite3';
import { completedShares, type CompletedRow, type Share } from '../../../src/store/ledger/volume-totals.ts';
import { compressJson, decompressJson } from '../../../src/store/sqlite/compressed-json.ts';
import type { Templates } from './payment-templates.ts';

export interface Copying {
  readonly payments: number;
  readonly merchantIds: readonly string[];
  readonly now: number;
}

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;
/** Payments younger than this that would expire are still pending. */
const WAITING_MS = 11 * HOUR_MS;
/** How long the daemon keeps deliveries, their logs and the payload of events. */
const TOLD_MS = 29 * DAY_MS;
/** Payments of one customer in a year. */
const PAYMENTS_PER_CUSTOMER = 20;

const TABLES = [
  'payments',
  'payment_options',
  'addresses',
  'outputs',
  'events',
  'deliveries',
  'webhook_logs',
];

/**
 * Copies the daemon's own payments up to a number, distributed evenly over these merchants and the last year: each with
 * its options, addresses, outputs and events, and the webhooks of the last month. All values are those of the template,
 * except ids, hashes, addresses and times.
 */
export function copyPayments(path: string, { templates, ...made }: Templates, copying: Copying): void {
  const sqlite = new Database(path);
  try {
    // No other process uses the file, and after a crash it is created again.
    sqlite.pragma('journal_mode = DELETE');
    sqlite.pragma('journal_mode = OFF');
    sqlite.pragma('synchronous = OFF');
    sqlite.pragma('foreign_keys = OFF');
    sqlite.pragma('locking_mode = EXCLUSIVE');
    sqlite.pragma('cache_size = -1500000');
    sqlite.function('replace_in_json', (stored: Buffer, from: string, to: string) =>
      compressJson((decompressJson(stored) ?? '').replaceAll(from, to)),
    );
    // Creating the indexes at the end takes minutes less than updating them with each row, because SQLite sorts once.
    const names = TABLES.map((name) => `'${name}'`).join();
    const indexes = sqlite
      .prepare<unknown[], { type: string; name: string; sql: string }>(
        `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND type IN ('index', 'trigger')
          AND tbl_name IN (${names})`,
      )
      .all();
    sqlite.exec('BEGIN');
    for (const { type, name } of indexes) sqlite.exec(`DROP ${type} ${name}`);
    takeTemplates(sqlite, templates);
    planCopies(sqlite, made, copying);
    for (const table of TABLES) copyTable(sqlite, table);
    for (const { sql } of indexes) sqlite.exec(sql);
    for (const sql of COUNTED) sqlite.exec(sql);
    totalVolume(sqlite);
    raiseChains(sqlite, copying.payments);
    sqlite.exec('COMMIT');
    sqlite.pragma('journal_mode = WAL');
  } finally {
    sqlite.close();
  }
}

function takeTemplates(sqlite: Database.Database, templates: Templates['templates']): void {
  sqlite.exec('CREATE TEMP TABLE share (luck INTEGER PRIMARY KEY, payment_id TEXT NOT NULL)');
  const insertShare = sqlite.prepare('INSERT INTO share VALUES (?, ?)');
  let luck = 0;
  for (const { paymentId, share } of templates) {
    for (let at = 0; at < share; at += 1) insertShare.run((luck += 1) - 1, paymentId);
  }
  if (luck !== 100) throw new Error(`the shares of the templates add up to ${luck}, not 100`);
  for (const table of TABLES) {
    const payment = table === 'payments' ? 'id' : 'payment_id';
    sqlite.exec(`CREATE TEMP TABLE t_${table} AS SELECT * FROM ${table} WHERE ${payment} IS NOT NULL;
      CREATE INDEX temp.t_${table}_by_payment ON t_${table} (${payment})`);
  }
}

/** The last copy is the newest: a minute old. */
const COPIES = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < @payments),
  drawn AS (SELECT i, i % @merchants AS shop, (i / @merchants * 37 + i % @merchants) % 100 AS luck,
    CAST(@now - 60000 - (@payments - 1 - i) * @stepMs AS INTEGER) AS at FROM n),
  shaped AS (SELECT d.*, CASE WHEN t.status = 'expired' AND d.at > @now - @waitingMs THEN @waitingId ELSE t.id END AS shape
    FROM drawn AS d JOIN share ON share.luck = d.luck JOIN t_payments AS t ON t.id = share.payment_id)
  INSERT INTO copies
  SELECT i, shape, shop.id, 'cus_' || printf('%024d', (i / @merchants * 31 + i % @merchants) % @customers),
    substr(lower(hex(randomblob(12))), 1, 24), at, at - @madeAt, at > @now - @toldMs, shape = @waitingId
  FROM shaped JOIN shop ON shop.n = shaped.shop ORDER BY i`;

function planCopies(
  sqlite: Database.Database,
  made: Omit<Templates, 'templates'>,
  { payments, merchantIds, now }: Copying,
): void {
  const customers = Math.ceil(payments / PAYMENTS_PER_CUSTOMER);
  sqlite.exec('CREATE TEMP TABLE shop (n INTEGER PRIMARY KEY, id TEXT NOT NULL)');
  const open = sqlite.prepare('INSERT INTO shop VALUES (?, ?)');
  for (const [n, id] of merchantIds.entries()) open.run(n, id);
  sqlite.prepare(CUSTOMERS).run({ customers, now, stepMs: Math.floor(YEAR_MS / customers) });
  sqlite.exec(`CREATE TEMP TABLE copies (i INTEGER PRIMARY KEY, shape TEXT NOT NULL, shop TEXT NOT NULL,
    customer TEXT NOT NULL, own TEXT NOT NULL, at INTEGER NOT NULL, shift INTEGER NOT NULL, told INTEGER NOT NULL,
    waits INTEGER NOT NULL)`);
  sqlite.prepare(COPIES).run({
    payments,
    merchants: merchantIds.length,
    customers,
    now,
    madeAt: made.madeAt,
    waitingId: made.waitingId,
    stepMs: YEAR_MS / payments,
    waitingMs: WAITING_MS,
    toldMs: TOLD_MS,
  });
}

const CUSTOMERS = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < @customers)
  INSERT INTO customers (id, user_id, email, email_key, metadata_json, created_at, updated_at)
  SELECT 'cus_' || printf('%024d', i), (SELECT user_id FROM merchants WHERE id = (SELECT id FROM shop WHERE n = 0)),
    'buyer-' || i || '@example.com', 'buyer-' || i || '@example.com', '{}',
    @now - (@customers - i) * @stepMs, @now - (@customers - i) * @stepMs FROM n`;

/** A unique text of the same length in the alphabet of addresses. */
function another(column: string): string {
  const number = `((c.i * 4 + instr('BTC LTC ETH SOL', t.coin) / 4) * 2654435761 % 4294967296)`;
  // Without 1, b, i, o (not in bech32) and 0, l (not in base58).
  const mixed = `replace(replace(replace(printf('%08x', ${number}), '1', 'g'), 'b', 'h'), '0', 'j')`;
  const mixedHex = `printf('%08x', ${number})`;
  const middle = `CASE t.coin WHEN 'ETH' THEN ${mixedHex} ELSE ${mixed} END`;
  return `substr(t.${column}, 1, 6) || ${middle} || substr(t.${column}, 15)`;
}

const ANOTHER_HASH = `CASE WHEN t.coin = 'ETH' THEN '0x' || lower(hex(randomblob(32)))
  WHEN t.coin = 'SOL' THEN replace(hex(randomblob(44)), '0', 'x') ELSE lower(hex(randomblob(32))) END`;
const ADDRESS_ID = `(SELECT value FROM last WHERE name = 'address') + c.i * 4 + instr('BTC LTC ETH SOL', t.coin) / 4`;
const SEQ = (sequence: string): string =>
  `(SELECT value FROM last WHERE name = 'event') + c.i * 16 + ${sequence}`;
const SEQUENCE = '(SELECT e.sequence FROM t_events AS e WHERE e.id = t.event_id)';
const EVENT_ID = (sequence: string): string =>
  `'evt_' || substr(c.own, 1, 22) || printf('%02x', ${sequence})`;
const DELIVERY_ID = (sequence: string): string =>
  `'dlv_' || substr(c.own, 1, 22) || printf('%02x', ${sequence})`;
const LOGGED = `(SELECT e.sequence FROM t_deliveries AS d JOIN t_events AS e ON e.id = d.event_id WHERE d.id = t.delivery_id)`;
const PAYMENT_ID = `'pay_' || c.own`;

/** The values that differ between the copies of each table, except times. */
const OWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  payments: {
    id: PAYMENT_ID,
    merchant_id: 'c.shop',
    customer_id: 'c.customer',
    order_id: "'order-' || c.i",
    request_hash: 'lower(hex(randomblob(32)))',
    expires_at: `c.at + CASE WHEN c.waits THEN ${DAY_MS} ELSE ${HOUR_MS} END`,
    closed_at: `CASE WHEN t.closed_at IS NOT NULL THEN c.at + ${HOUR_MS} END`,
  },
  payment_options: {
    payment_id: PAYMENT_ID,
    address_id: ADDRESS_ID,
    address: another('address'),
  },
  addresses: {
    id: ADDRESS_ID,
    merchant_id: 'c.shop',
    idx: '1 + c.i / (SELECT count(*) FROM shop)',
    address: another('address'),
    watch_key: another('watch_key'),
    payment_id: PAYMENT_ID,
  },
  // 19 of 20 outputs were spent since.
  outputs: {
    seq: 'NULL',
    txid: ANOTHER_HASH,
    address_id: ADDRESS_ID,
    merchant_id: 'c.shop',
    payment_id: PAYMENT_ID,
    height: 'c.i + 1',
    block_hash: 'lower(hex(randomblob(32)))',
    spent_by: `CASE WHEN c.i / 7 % 20 > 0 THEN ${ANOTHER_HASH} END`,
    spent_height: 'CASE WHEN c.i / 7 % 20 > 0 THEN c.i + 2 END',
  },
  events: {
    seq: SEQ('t.sequence'),
    id: EVENT_ID('t.sequence'),
    merchant_id: 'c.shop',
    payment_id: PAYMENT_ID,
    // Events older than a month have no body.
    body_json: `CASE WHEN c.told THEN replace_in_json(t.body_json, t.payment_id, ${PAYMENT_ID}) END`,
  },
  deliveries: {
    id: DELIVERY_ID(SEQUENCE),
    event_id: EVENT_ID(SEQUENCE),
    event_seq: SEQ(SEQUENCE),
    merchant_id: 'c.shop',
    payment_id: PAYMENT_ID,
    order_key: `CASE t.order_key WHEN '' THEN '' ELSE ${PAYMENT_ID} END`,
  },
  webhook_logs: {
    id: `'whl_' || substr(lower(hex(randomblob(12))), 1, 24)`,
    delivery_id: DELIVERY_ID(LOGGED),
    merchant_id: 'c.shop',
    payment_id: PAYMENT_ID,
  },
};

function copyTable(sqlite: Database.Database, table: string): void {
  if (table === 'payments') {
    sqlite.exec(`CREATE TEMP TABLE last AS SELECT 'address' AS name, (SELECT max(id) + 1 FROM addresses) AS value
      UNION ALL SELECT 'event', (SELECT max(seq) + 1 FROM events)`);
  }
  const columns = sqlite
    .prepare<unknown[], string>('SELECT name FROM pragma_table_info(?)')
    .pluck()
    .all(table);
  const own = OWN[table] ?? {};
  const values = columns.map(
    (name) => own[name] ?? (name.endsWith('_at') ? `t.${name} + c.shift` : `t.${name}`),
  );
  const payment = table === 'payments' ? 'id' : 'payment_id';
  const condition = table === 'deliveries' || table === 'webhook_logs' ? 'WHERE c.told' : '';
  sqlite.exec(`INSERT INTO ${table} (${columns.join()}) SELECT ${values.join()}
    FROM copies AS c CROSS JOIN t_${table} AS t ON t.${payment} = c.shape ${condition}`);
}

/** Recomputes the columns that triggers maintain. */
const COUNTED = [
  'DELETE FROM payment_counts',
  'INSERT INTO payment_counts SELECT merchant_id, mode, status, offered, count(*) FROM payments GROUP BY 1, 2, 3, 4',
  'DELETE FROM payment_day_counts',
  `INSERT INTO payment_day_counts SELECT merchant_id, mode, created_at / 86400000, status, offered, count(*)
    FROM payments GROUP BY 1, 2, 3, 4, 5`,
  'DELETE FROM output_counts',
  'INSERT INTO output_counts SELECT merchant_id, mode, coin, count(*) FROM outputs GROUP BY 1, 2, 3',
  'DELETE FROM event_counts',
  'INSERT INTO event_counts SELECT merchant_id, type, count(*) FROM events GROUP BY 1, 2',
  'DELETE FROM webhook_log_counts',
  `INSERT INTO webhook_log_counts SELECT merchant_id, created_at / 86400000, status, count(*), sum(size_bytes)
    FROM webhook_logs GROUP BY 1, 2, 3`,
  'DELETE FROM delivery_counts',
  `INSERT INTO delivery_counts SELECT merchant_id, created_at / 86400000, mode, event_type, coalesce(endpoint_id, ''), count(*)
    FROM deliveries WHERE replaced = 0 GROUP BY 1, 2, 3, 4, 5`,
  `INSERT OR REPLACE INTO address_counters
    SELECT merchant_id, coin, mode, branch, max(idx) + 1 FROM addresses GROUP BY 1, 2, 3, 4`,
  `INSERT OR REPLACE INTO meta SELECT 'webhooks.pruned_event_seq', max(seq) FROM events
    WHERE body_json IS NULL`,
];

/** Recomputes the totals of completed payments. */
function totalVolume(sqlite: Database.Database): void {
  const completed = sqlite.prepare<unknown[], CompletedRow>(
    `SELECT p.id, p.merchant_id AS merchantId, p.mode, p.created_at AS createdAt, p.currency, p.amount AS price, o.coin,
      o.amount AS atoms
      FROM payments AS p LEFT JOIN outputs AS o ON o.payment_id = p.id AND o.state = 'confirmed'
      WHERE p.status = 'completed' ORDER BY p.id`,
  );
  const totals = new Map<string, Share>();
  const add = (rows: readonly CompletedRow[]): void => {
    const [payment] = rows;
    if (payment === undefined) return;
    const { merchantId, mode, createdAt: at } = payment;
    for (const period of [HOUR_MS, DAY_MS]) {
      for (const share of completedShares(rows)) {
        const key = JSON.stringify([
          merchantId,
          mode,
          period,
          at - (at % period),
          share.currency,
          share.coin,
        ]);
        const had = totals.get(key);
        const sum = share.sum + (had?.sum ?? 0n);
        totals.set(key, { ...share, sum, payments: share.payments + (had?.payments ?? 0) });
      }
    }
  };
  let rows: CompletedRow[] = [];
  for (const row of completed.iterate()) {
    if (rows[0]?.id !== row.id) {
      add(rows);
      rows = [];
    }
    rows.push(row);
  }
  add(rows);
  sqlite.exec('DELETE FROM volume_totals');
  const insert = sqlite.prepare('INSERT INTO volume_totals VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  for (const [key, { sum, payments }] of totals) {
    insert.run(...(JSON.parse(key) as unknown[]), String(sum), payments);
  }
}

/** Extends the simulated chains over the time of the payments, so that their money has many confirmations. */
function raiseChains(sqlite: Database.Database, blocks: number): void {
  const by = blocks + 1_000;
  for (const [table, column] of [
    ['chain_cursors', 'height'],
    ['chain_blocks', 'height'],
    ['sim_blocks', 'height'],
    ['sim_transactions', 'height'],
    ['outputs', 'height'],
    ['outputs', 'spent_height'],
  ] as const) {
    // In descending order, because a number must not be taken already.
    const where = table === 'outputs' ? 'payment_id IN (SELECT id FROM t_payments)' : 'true';
    sqlite.exec(`UPDATE ${table} SET ${column} = -${column} - ${by} WHERE ${column} > 0 AND ${where};
      UPDATE ${table} SET ${column} = -${column} WHERE ${column} < 0`);
  }
  sqlite.exec(
    `UPDATE chain_cursors SET safe_height = safe_height + ${by}, finalized_height = finalized_height + ${by}`,
  );
}
