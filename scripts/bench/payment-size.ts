import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { applyRetention } from '../../src/usecases/retention/index.ts';
import { Shop } from '../../test/_helpers/api-client.ts';
import { WebhookSink } from '../../test/_helpers/webhook-sink.ts';
import { startDaemon, type Daemon } from './harness/daemon.ts';
import type { Bench, Question } from './harness/question.ts';

const COINS = ['BTC', 'LTC', 'ETH', 'SOL'] as const;
const AT_ONCE = 8;
const DAY_MS = 86_400_000;
const POLICY = { auditDays: 365, logRetentionDays: 30, logMaxBytes: 512_000_000 };
const QUIET = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
/** Tables and indexes below this many bytes for each payment are summed up. */
const SHOWN_BYTES = 100;

/** Bytes of each table and index. */
type Sizes = ReadonlyMap<string, number>;

/** What one payment costs on disk, by table and index: unpaid, paid, and after the retention. */
export const question: Question = {
  asks: 'bytes of the database for each payment with a customer and a webhook, by table and index',
  against: 'none: the table is in the notes',
  run: async (bench) => {
    const payments = bench.quick ? 64 : 400;
    const sink = await WebhookSink.start();
    bench.onEnd(async () => sink[Symbol.asyncDispose]());
    const daemon = await startDaemon(bench, { env: { TILLD_SANDBOX_BLOCK_INTERVAL: '250ms' } });
    const shop = await Shop.open(daemon.api, { webhookUrl: sink.url });
    await sleep(1_000);
    const empty = compactSizes(bench, daemon);
    bench.progress(`${payments} payments are created`);
    const ids = await inTurns(payments, async () => createPayment(shop));
    await deliveriesSettled(daemon);
    const unpaid = compactSizes(bench, daemon);
    await inTurns(payments, async (at) => pay(shop, ids[at] ?? '', COINS[at % COINS.length] ?? 'BTC'));
    await allCompleted(daemon, payments);
    await deliveriesSettled(daemon);
    const paid = compactSizes(bench, daemon);
    const copy = await pruned(bench, daemon);
    const notes = formatTable(payments, { empty, unpaid, paid, kept: readSizes(copy) });
    return { comparisons: [], notes };
  },
};

/** A customer of its own, because most orders of a shop have one. */
async function createPayment(shop: Shop): Promise<string> {
  const customer = await shop.api.must<{ id: string }>('POST', '/merchant/customer/create', {
    token: shop.secretKey,
    body: { email: `buyer-${crypto.randomUUID()}@example.com` },
  });
  return (await shop.createPayment({ customerId: customer.id, amount: '49.90', currency: 'USD' })).id;
}

async function pay(shop: Shop, paymentId: string, coin: string): Promise<void> {
  const body = { paymentId, scenario: 'exact', coin };
  await shop.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
}

async function inTurns<T>(count: number, work: (at: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let first = 0; first < count; first += AT_ONCE) {
    const size = Math.min(AT_ONCE, count - first);
    results.push(...(await Promise.all(Array.from({ length: size }, async (_, at) => work(first + at)))));
  }
  return results;
}

function read<T>(daemon: Daemon, ask: (db: Database.Database) => T): T {
  const db = new Database(join(daemon.dataDir, 'tilld.sqlite'), { readonly: true });
  try {
    return ask(db);
  } finally {
    db.close();
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(100);
}

async function allCompleted(daemon: Daemon, payments: number): Promise<void> {
  const count = "SELECT count(*) FROM payments WHERE status = 'completed'";
  await until(() => read(daemon, (db) => db.prepare(count).pluck().get()) === payments);
}

async function deliveriesSettled(daemon: Daemon): Promise<void> {
  const count = "SELECT count(*) FROM deliveries WHERE status = 'pending'";
  await until(() => read(daemon, (db) => db.prepare(count).pluck().get()) === 0);
}

/** Of a copy without free pages: pages fill up as more payments follow. */
function compactSizes(bench: Bench, daemon: Daemon): Sizes {
  const path = join(bench.newDir(), 'copy.sqlite');
  read(daemon, (db) => db.prepare('VACUUM INTO ?').run(path));
  return readSizes(path);
}

function readSizes(path: string): Sizes {
  const db = new Database(path, { readonly: true });
  const rows = db.prepare('SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name').all() as {
    name: string;
    bytes: number;
  }[];
  db.close();
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

/** A copy as the daemon's retention leaves it once logs and bodies are too old. */
async function pruned(bench: Bench, daemon: Daemon): Promise<string> {
  const [path, compact] = [join(bench.newDir(), 'pruned.sqlite'), join(bench.newDir(), 'compact.sqlite')];
  read(daemon, (db) => db.prepare('VACUUM INTO ?').run(path));
  const database = await openDatabase(path);
  const clock = { now: () => Date.now() + 40 * DAY_MS };
  await applyRetention({ db: database.db, clock, logger: QUIET }, POLICY, new AbortController().signal);
  await database.close();
  const db = new Database(path);
  db.prepare('VACUUM INTO ?').run(compact);
  db.close();
  return compact;
}

interface Measured {
  readonly empty: Sizes;
  readonly unpaid: Sizes;
  readonly paid: Sizes;
  readonly kept: Sizes;
}

/** One line per table and index: bytes for each payment, the largest first. */
function formatTable(payments: number, { empty, unpaid, paid, kept }: Measured): string[] {
  const perPayment = (sizes: Sizes, name: string): number =>
    Math.round(((sizes.get(name) ?? 0) - (empty.get(name) ?? 0)) / payments);
  const rows = [...paid.keys()]
    .map((name) => [name, perPayment(unpaid, name), perPayment(paid, name), perPayment(kept, name)] as const)
    .toSorted((a, b) => b[2] - a[2]);
  const sum = (column: 1 | 2 | 3, of = rows): number => of.reduce((total, row) => total + row[column], 0);
  const small = rows.filter((row) => row[2] < SHOWN_BYTES);
  return [
    formatLine('bytes for each payment', sum(1), sum(2), sum(3)),
    ...rows.filter((row) => row[2] >= SHOWN_BYTES).map((row) => formatLine(...row)),
    formatLine(`${small.length} others`, sum(1, small), sum(2, small), sum(3, small)),
  ];
}

function formatLine(name: string, unpaid: number, paid: number, kept: number): string {
  return `${name}: ${unpaid} unpaid, ${paid} paid, ${kept} after retention`;
}
