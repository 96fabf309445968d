import { createHash } from 'node:crypto';
import { closeSync, constants, copyFileSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { DAY_MS, HOUR_MS, MONEY } from '../../../src/store/ledger/volume-totals.ts';
import { startDaemon, type Daemon } from './daemon.ts';
import { copyPayments } from './payment-copies.ts';
import { makeTemplates } from './payment-templates.ts';
import type { Bench } from './question.ts';

/** A data directory with a long history, and the credentials of its merchants. */
export interface History {
  readonly dataDir: string;
  readonly payments: number;
  /** The oldest payment of the first merchant. */
  readonly paymentId: string;
  readonly merchants: readonly { readonly id: string; readonly secretKey: string }[];
}

const MERCHANTS = 100;
/** Ignored by git, like the results. */
const FOLDER = join('bench-results', 'data');
/** The newest payments are pending: after this time all of them would expire at the first start. */
const KEPT_MS = 8 * 3600 * 1000;

/**
 * Copies a history of this many payments of so many merchants. The history is created once and reused for up to eight
 * hours, as long as neither the schema nor the code that creates it changes.
 */
export async function manyPayments(bench: Bench, payments: number, shops = MERCHANTS): Promise<History> {
  const kept = join(FOLDER, `${payments}-payments-of-${shops}-${keyOfMaking()}`);
  if (!isFresh(kept)) await make(bench, kept, { payments, shops });
  const history = JSON.parse(readFileSync(join(kept, 'history.json'), 'utf8')) as Omit<History, 'dataDir'>;
  const dataDir = bench.newDir();
  for (const name of readdirSync(kept)) copyDown(join(kept, name), join(dataDir, name));
  return { ...history, dataDir };
}

/** A hash of the inputs of the rows: the schema, and the files that write them. */
function keyOfMaking(): string {
  const hash = createHash('sha256');
  const schema = fileURLToPath(new URL('../../../src/store/schema/schema.sql', import.meta.url));
  const makers = ['many-payments.ts', 'payment-templates.ts', 'payment-copies.ts'];
  const files = [schema, ...makers.map((name) => fileURLToPath(new URL(name, import.meta.url)))];
  for (const file of files.sort()) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 12);
}

function isFresh(kept: string): boolean {
  const told = join(kept, 'history.json');
  return existsSync(told) && Date.now() - statSync(told).mtimeMs < KEPT_MS;
}

/** Flushes to disk, so that no writes are pending during a measurement. */
function copyDown(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  const file = openSync(to, 'r+');
  fsyncSync(file);
  closeSync(file);
}

async function make(
  bench: Bench,
  kept: string,
  { payments, shops }: { readonly payments: number; readonly shops: number },
): Promise<void> {
  const started = Date.now();
  mkdirSync(FOLDER, { recursive: true });
  for (const name of readdirSync(FOLDER)) {
    if (name.startsWith(`${payments}-payments-of-${shops}-`)) rmSync(join(FOLDER, name), { recursive: true });
  }
  const dataDir = `${kept}.tmp`;
  mkdirSync(dataDir, { mode: 0o700 });
  const daemon = await startDaemon(bench, { dataDir });
  const merchants = await openMerchants(daemon, shops);
  const templates = await makeTemplates(bench, daemon);
  const path = join(dataDir, 'tilld.sqlite');
  const merchantIds = merchants.map(({ id }) => id);
  copyPayments(path, templates, { payments, merchantIds, now: Date.now() });
  const paymentId = check(path, payments);
  writeFileSync(join(dataDir, 'history.json'), JSON.stringify({ payments, paymentId, merchants }));
  renameSync(dataDir, kept);
  bench.progress(`made ${payments} payments in ${Math.round((Date.now() - started) / 1000)} s`);
}

async function openMerchants({ api }: Daemon, count: number): Promise<{ id: string; secretKey: string }[]> {
  const { token } = await api.must<{ token: string }>('POST', '/auth/register', {
    body: { email: 'owner@example.com', password: 'correct horse battery' },
  });
  const merchants: { id: string; secretKey: string }[] = [];
  for (let number = 0; number < count; number += 1) {
    const { merchant } = await api.must<{ merchant: { id: string; auth: { secret: string } } }>(
      'POST',
      '/merchant/create',
      { token, body: { name: `Shop ${number}`, domain: `shop-${number}.example` } },
    );
    merchants.push({ id: merchant.id, secretKey: merchant.auth.secret });
  }
  return merchants;
}

/** Histories up to this size are read page by page; a larger one is created by the same statements. */
const CHECKED_WHOLE = 10_000;

/** Checks the history and returns the oldest payment of the first merchant. @throws if the history is wrong */
function check(path: string, payments: number): string {
  const sqlite = new Database(path);
  try {
    const one = (sql: string): unknown => sqlite.prepare(sql).pluck().get();
    const shops = "SELECT id FROM merchants WHERE domain LIKE 'shop-%' AND name <> 'Shop'";
    const made = one(`SELECT count(*) FROM payments WHERE merchant_id IN (${shops})`);
    if (made !== payments) throw new Error(`the history has ${String(made)} payments`);
    const counted = one('SELECT sum(count) FROM payment_counts');
    if (counted !== one('SELECT count(*) FROM payments')) throw new Error('the counts of payments are wrong');
    const sold = one("SELECT count(*) FROM payments WHERE status = 'completed'");
    for (const period of [HOUR_MS, DAY_MS]) {
      const kept = `SELECT sum(payments) FROM volume_totals WHERE currency <> '${MONEY}' AND period_ms = ${period}`;
      if (sold !== one(kept)) throw new Error('the totals of the volume are wrong');
    }
    const logs = one('SELECT coalesce(sum(count), 0) FROM webhook_log_counts');
    if (logs !== one('SELECT count(*) FROM webhook_logs'))
      throw new Error('the counts of webhook logs are wrong');
    if (payments <= CHECKED_WHOLE) {
      const problems = [sqlite.pragma('integrity_check'), sqlite.pragma('foreign_key_check')];
      const expected = JSON.stringify([[{ integrity_check: 'ok' }], []]);
      if (JSON.stringify(problems) !== expected) throw new Error(JSON.stringify(problems));
    }
    return String(one("SELECT id FROM payments WHERE order_id = 'order-0'"));
  } finally {
    sqlite.close();
  }
}
