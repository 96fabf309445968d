import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { applyRetention } from '../../src/usecases/retention/index.ts';
import { startDaemon, type Daemon } from './harness/daemon.ts';
import { manyPayments } from './harness/many-payments.ts';
import { runCommand } from './harness/replica.ts';
import type { Bench, Question } from './harness/question.ts';

const ORDERS_A_DAY = 1_000;
const DAYS = 365;
const DAY_MS = 86_400_000;
const CLIENTS = 16;
const POLICY = { auditDays: 365, logRetentionDays: 30, logMaxBytes: 512_000_000 };
const QUIET = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** What a year of orders means for disk, backup and restore. */
export const question: Question = {
  asks: `database, log, backup, restore and vacuum after a year of a shop with ${ORDERS_A_DAY} orders a day`,
  against: 'none: the figures are in the notes',
  run: async (bench) => {
    const payments = bench.quick ? 3_650 : ORDERS_A_DAY * DAYS;
    const { dataDir, merchants } = await manyPayments(bench, payments, 1);
    const file = join(dataDir, 'tilld.sqlite');
    const notes = [`${payments} payments: the database has ${megabytes(sizeOf(file))} MB`];
    const step = async (what: string, work: () => Promise<void> | void): Promise<void> => {
      const startedMs = performance.now();
      await work();
      notes.push(`${what}: ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
      bench.progress(notes.at(-1) ?? what);
    };

    const daemon = await startDaemon(bench, { dataDir });
    notes.push(`started in ${(daemon.readyMs / 1_000).toFixed(1)} s`);
    await step(`a day's ${ORDERS_A_DAY} orders by ${CLIENTS} clients`, async () =>
      createDay(daemon, merchants[0]?.secretKey ?? ''),
    );
    notes.push(`write-ahead log after them: ${megabytes(sizeOf(`${file}-wal`))} MB`);
    const backup = join(bench.newDir(), 'year.backup');
    await step('backup beside the daemon', async () =>
      runCommand(bench, ['backup', backup, '--data-dir', dataDir], {}),
    );
    notes.push(`the backup has ${megabytes(sizeOf(backup))} MB`);
    await daemon.stop();

    const restored = join(bench.newDir(), 'restored');
    const passphrase = ['--passphrase-file', join(dataDir, 'keyring-passphrase')];
    await step('restore', async () =>
      runCommand(bench, ['restore', backup, '--nothing-revoked', '--data-dir', restored, ...passphrase], {}),
    );
    await step('start of the restored daemon', async () =>
      (await startDaemon(bench, { dataDir: restored })).stop(),
    );
    await step('retention of a year at once', async () => pruneAll(file));
    await step('vacuum into a new file', () => vacuum(bench, file, notes));
    return { comparisons: [], notes };
  },
};

async function createDay({ api }: Daemon, token: string): Promise<void> {
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < ORDERS_A_DAY) {
      const orderId = `late-${next}`;
      next += 1;
      const customer = { email: `${orderId}@example.com` };
      const body = { amount: '10.00', currency: 'USD', orderId, customer };
      await api.must('POST', '/payment/create', { token, body });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** As the daemon's retention does it, in batches, once everything in the file is old. */
async function pruneAll(file: string): Promise<void> {
  const database = await openDatabase(file);
  const clock = { now: () => Date.now() + 40 * DAY_MS };
  try {
    await applyRetention({ db: database.db, clock, logger: QUIET }, POLICY, new AbortController().signal);
  } finally {
    await database.close();
  }
}

function vacuum(bench: Bench, file: string, notes: string[]): void {
  const compact = join(bench.newDir(), 'compact.sqlite');
  const db = new Database(file);
  try {
    db.prepare('VACUUM INTO ?').run(compact);
  } finally {
    db.close();
  }
  notes.push(`the vacuumed file has ${megabytes(sizeOf(compact))} MB`);
}

function sizeOf(path: string): number {
  return statSync(path).size;
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(0);
}
