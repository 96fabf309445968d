import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { ApiClient, type PaymentJson } from '../../test/_helpers/api-client.ts';
import { startDaemon, type Daemon } from './harness/daemon.ts';
import { manyPayments } from './harness/many-payments.ts';
import type { Bench, Question } from './harness/question.ts';

const COINS = ['BTC', 'LTC', 'ETH', 'SOL'] as const;
const CLIENTS = 16;
const ALONE = 64;
/** Few enough that SQLite seldom begins the write-ahead log again, from which the pages are read. */
const TRACED = 12;
const TRIES = 5;
/** The frames of a write-ahead log: https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Tables and indexes with fewer pages than this per payment are summed up. */
const SHOWN_PAGES = 0.5;

/** What one payment makes the daemon write to the disk, and which pages those are. */
export const question: Question = {
  asks: 'bytes written to the disk for each payment: the write-ahead log, and pages copied from it',
  against: 'none: the figures are in the notes',
  run: async (bench) => {
    const { dataDir, payments, merchants } = await manyPayments(bench, bench.quick ? 10_000 : 100_000);
    const daemon = await startDaemon(bench, {
      dataDir,
      env: { TILLD_SANDBOX_BLOCK_INTERVAL: '1s' },
    });
    const key = merchants[0]?.secretKey ?? '';
    const create = async (): Promise<string> => createPayment(daemon.api, key);
    await repeat(CLIENTS, 1, create);
    const idle = await idleRate(daemon);
    bench.progress(`idle: ${kilobytes(idle * 1_000)} kB a second`);

    const pages = await tracePages(bench, daemon, create);
    const alone = await measure(daemon, idle, ALONE, async () => repeat(ALONE, 1, create));
    const count = bench.quick ? 64 : 640;
    const together = await measure(daemon, idle, count, async () => repeat(count, CLIENTS, create));
    const ids = together.results;
    const paid = await measure(daemon, idle, count, async () => {
      await repeat(count, CLIENTS, async (at) =>
        pay(daemon.api, key, ids[at] ?? '', COINS[at % COINS.length] ?? 'BTC'),
      );
      await allCompleted(daemon, ids);
    });
    return {
      comparisons: [],
      notes: [
        `beside ${payments} payments, kB written for each: ${kilobytes(alone.bytes)} created alone, ` +
          `${kilobytes(together.bytes)} created by ${CLIENTS} clients, ${kilobytes(paid.bytes)} more until completed`,
        ...formatPages(pages),
      ],
    };
  },
};

async function createPayment(api: ApiClient, token: string): Promise<string> {
  const orderId = crypto.randomUUID();
  const body = { amount: '49.90', currency: 'USD', orderId, customer: { email: `${orderId}@example.com` } };
  return (await api.must<PaymentJson>('POST', '/payment/create', { token, body })).id;
}

async function pay(api: ApiClient, token: string, paymentId: string, coin: string): Promise<void> {
  await api.must('POST', '/sandbox/payment/simulate', {
    token,
    body: { paymentId, scenario: 'exact', coin },
  });
}

/** Does the work so many times by so many clients. */
async function repeat<T>(count: number, clients: number, work: (at: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < count) {
      const at = next;
      next += 1;
      results[at] = await work(at);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return results;
}

async function allCompleted(daemon: Daemon, ids: readonly string[]): Promise<void> {
  const db = openFile(daemon);
  try {
    const wanted = JSON.stringify(ids);
    const open = db
      .prepare(
        "SELECT count(*) FROM payments WHERE status <> 'completed' AND id IN (SELECT value FROM json_each(?))",
      )
      .pluck();
    while (open.get(wanted) !== 0) await sleep(200);
  } finally {
    db.close();
  }
}

function openFile(daemon: Daemon): Database.Database {
  return new Database(join(daemon.dataDir, 'tilld.sqlite'), { readonly: true });
}

/** Bytes that the process has sent to the disk. @throws when its files are in memory */
function writtenBytes({ pid }: Daemon): number {
  const bytes = Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
  if (!(bytes > 0)) throw new Error('nothing was written to a disk: set TMPDIR to a folder on one');
  return bytes;
}

/** Bytes a millisecond without any order. */
async function idleRate(daemon: Daemon): Promise<number> {
  const [from, since] = [writtenBytes(daemon), performance.now()];
  await sleep(10_000);
  return (writtenBytes(daemon) - from) / (performance.now() - since);
}

/** Bytes for each of so many payments, without those that an idle daemon writes meanwhile. */
async function measure<T>(
  daemon: Daemon,
  idle: number,
  count: number,
  work: () => Promise<T>,
): Promise<{ bytes: number; results: T }> {
  const [from, since] = [writtenBytes(daemon), performance.now()];
  const results = await work();
  const bytes = writtenBytes(daemon) - from - idle * (performance.now() - since);
  return { bytes: bytes / count, results };
}

interface Frame {
  readonly at: number;
  readonly salt: string;
}

function readLog(daemon: Daemon): { log: Buffer; pageSize: number } {
  const log = readFileSync(join(daemon.dataDir, 'tilld.sqlite-wal'));
  return { log, pageSize: log.readUInt32BE(8) };
}

/** The last frame of the log's present run. */
function lastLogFrame(daemon: Daemon): Frame {
  const { log, pageSize } = readLog(daemon);
  const salt = log.toString('hex', 16, 24);
  let at = LOG_HEADER_BYTES;
  const size = FRAME_HEADER_BYTES + pageSize;
  while (at + size <= log.length && log.toString('hex', at + 8, at + 16) === salt) at += size;
  return { at, salt };
}

/** Pages of the write-ahead log by table or index, while payments are created one after the other. */
async function tracePages(
  bench: Bench,
  daemon: Daemon,
  create: () => Promise<unknown>,
): Promise<ReadonlyMap<string, number>> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const before = lastLogFrame(daemon);
    await repeat(TRACED, 1, create);
    const after = lastLogFrame(daemon);
    if (after.salt === before.salt) return countPages(bench, daemon, before.at, after.at);
  }
  throw new Error('the write-ahead log began again during each attempt');
}

function countPages(bench: Bench, daemon: Daemon, from: number, to: number): ReadonlyMap<string, number> {
  const { log, pageSize } = readLog(daemon);
  const db = openFile(daemon);
  bench.onEnd(() => void db.close());
  const names = db.prepare('SELECT pageno, name FROM dbstat').raw().all() as [number, string][];
  const tables = new Map(names);
  const counts = new Map<string, number>();
  for (let at = from; at < to; at += FRAME_HEADER_BYTES + pageSize) {
    const name = tables.get(log.readUInt32BE(at)) ?? 'other';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function formatPages(counts: ReadonlyMap<string, number>): string[] {
  const rows = [...counts]
    .map(([name, pages]) => ({ name, pages: pages / TRACED }))
    .toSorted((a, b) => b.pages - a.pages);
  const sum = rows.reduce((total, { pages }) => total + pages, 0);
  const shown = rows.filter(({ pages }) => pages >= SHOWN_PAGES);
  const rest = rows.slice(shown.length).reduce((total, { pages }) => total + pages, 0);
  return [
    `pages in the log for each payment created alone: ${sum.toFixed(1)}`,
    ...shown.map(({ name, pages }) => `${name}: ${pages.toFixed(1)}`),
    `${rows.length - shown.length} others: ${rest.toFixed(1)}`,
  ];
}

function kilobytes(bytes: number): string {
  return (bytes / 1_000).toFixed(0);
}
