import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inPatientTransaction, inTransaction, type Tx } from '../../../src/store/database.ts';
import { FlushAside, NotFlushedError } from '../../../src/store/flush-aside.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/open.ts';
import { readReadiness } from '../../../src/watcher/readiness.ts';
import { eventually } from '../../_helpers/poll.ts';

let dir: string;
let path: string;
let store: OpenDatabase;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'till-flush-'));
  path = join(dir, 'tilld.sqlite');
  store = await openDatabase(path);
});
afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

async function put(tx: Tx, key: string): Promise<string> {
  await tx.insertInto('meta').values({ key, value: '' }).execute();
  return key;
}

/** 1 is NORMAL, 2 is FULL. */
async function levelOf(db: Parameters<typeof inTransaction>[0]): Promise<number | undefined> {
  const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(db);
  return rows[0]?.synchronous;
}

/** What it answers while the log cannot be flushed: nobody finds it where it should be. */
async function withoutLog<T>(work: () => Promise<T>): Promise<T> {
  renameSync(`${path}-wal`, `${path}-elsewhere`);
  return work().finally(() => renameSync(`${path}-elsewhere`, `${path}-wal`));
}

test('patient work is told as done only after its flush, and flushes by itself only with impatient work', async () => {
  await inTransaction(store.db, (tx) => put(tx, 'first'));
  const told = await withoutLog(() =>
    inPatientTransaction(store.db, (tx) => put(tx, 'patient')).catch((error: unknown) => error),
  );
  expect(told).toBeInstanceOf(NotFlushedError);
  // With somebody in the group who cannot wait, SQLite itself flushes for all.
  const both = await withoutLog(() =>
    Promise.all([
      inPatientTransaction(store.db, (tx) => put(tx, 'together')),
      inTransaction(store.db, (tx) => levelOf(tx)),
    ]),
  );
  expect(both).toEqual(['together', 2]);
});

test('only patient work is committed without a flush of its own, and whatever comes after it is not', async () => {
  expect(await inPatientTransaction(store.db, (tx) => levelOf(tx))).toBe(1);
  expect(await levelOf(store.db)).toBe(2);
  const failed = inPatientTransaction(store.db, async () => {
    throw new Error('changed its mind');
  });
  await expect(failed).rejects.toThrow('changed its mind');
  expect(await inTransaction(store.db, (tx) => levelOf(tx))).toBe(2);
});

test('patient works keep their order among all others, and fail alone', async () => {
  const works = Array.from({ length: 40 }, async (_, n) => {
    const work = async (tx: Tx): Promise<string> => {
      if (n % 7 === 3) throw new Error(`work ${n}`);
      return put(tx, `key-${String(n).padStart(2, '0')}`);
    };
    return n % 3 === 0 ? inTransaction(store.db, work) : inPatientTransaction(store.db, work);
  });
  const told = await Promise.allSettled(works);
  const kept = told.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  expect(kept).toHaveLength(34);
  const rows = await store.db.selectFrom('meta').select('key').where('key', 'like', 'key-%').execute();
  expect(rows.map(({ key }) => key)).toEqual(kept);
});

/** Where a log's frames begin; what is before it changes whenever the log begins anew. */
const LOG_HEADER_BYTES = 32;
const readLog = (of = path): Buffer => readFileSync(`${of}-wal`);

/** The keys that are left when the power fails now, and a part of the log as it was once never came to the disk. */
async function keysAfterPowerCut(
  log: Buffer,
  lost: { from: number; to: number },
  of = path,
): Promise<string[]> {
  const copy = join(dir, 'after.sqlite');
  copyFileSync(of, copy);
  const now = readLog(of);
  const isSameLog = now.subarray(0, LOG_HEADER_BYTES).equals(log.subarray(0, LOG_HEADER_BYTES));
  writeFileSync(`${copy}-wal`, isSameLog ? now.fill(0, lost.from, lost.to) : now);
  const after = await openDatabase(copy);
  const rows = await after.db.selectFrom('meta').select('key').execute();
  await after.close();
  return rows.map(({ key }) => key);
}

test('what is told as durable after a flush that failed does not build on what the disk may have lost', async () => {
  await inTransaction(store.db, (tx) => put(tx, 'first'));
  const from = readLog().length;
  const failed = await withoutLog(() =>
    inPatientTransaction(store.db, (tx) => put(tx, 'unsure')).catch((error: unknown) => error),
  );
  expect(failed).toBeInstanceOf(NotFlushedError);
  const log = readLog();
  expect(log.length).toBeGreaterThan(from);
  // The kernel tells of lost writes once: asked again, it says that all is well.
  await inTransaction(store.db, (tx) => put(tx, 'told'));
  await inPatientTransaction(store.db, (tx) => put(tx, 'told too'));
  const kept = await keysAfterPowerCut(log, { from, to: log.length });
  expect(kept).toEqual(expect.arrayContaining(['first', 'told', 'told too']));
});

test('a start after a flush that failed does not build on what the disk may have lost, either', async () => {
  await inTransaction(store.db, (tx) => put(tx, 'first'));
  const from = readLog().length;
  await withoutLog(() => inPatientTransaction(store.db, (tx) => put(tx, 'unsure')).catch(() => undefined));
  const log = readLog();
  // The files as the next process finds them when this one is killed.
  const next = join(dir, 'next.sqlite');
  copyFileSync(path, next);
  writeFileSync(`${next}-wal`, log);
  const started = await openDatabase(next);
  await inTransaction(started.db, (tx) => put(tx, 'told'));
  const kept = await keysAfterPowerCut(log, { from, to: log.length }, next);
  await started.close();
  expect(kept).toEqual(expect.arrayContaining(['first', 'told']));
});

test('nothing more is committed while what the disk may have lost can be saved nowhere else', async () => {
  await inTransaction(store.db, (tx) => put(tx, 'first'));
  await withoutLog(() => inPatientTransaction(store.db, (tx) => put(tx, 'unsure')).catch(() => undefined));
  // A reader of another process keeps the log from beginning anew.
  const beside = new Database(path, { readonly: true });
  beside.exec('BEGIN');
  beside.prepare('SELECT count(*) FROM meta').get();
  await expect(inTransaction(store.db, (tx) => put(tx, 'too early'))).rejects.toThrow('could not be flushed');
  beside.exec('COMMIT');
  beside.close();
  expect(await inTransaction(store.db, (tx) => put(tx, 'told'))).toBe('told');
});

test('what needs no transaction waits for that as well, and a transaction that was open meanwhile is taken back', async () => {
  const values = { key: 'by itself', value: '' };
  await withoutLog(() => inPatientTransaction(store.db, (tx) => put(tx, 'unsure')).catch(() => undefined));
  const beside = new Database(path, { readonly: true });
  beside.exec('BEGIN');
  beside.prepare('SELECT count(*) FROM meta').get();
  const insert = store.db.insertInto('meta').values(values);
  await expect(insert.execute()).rejects.toThrow('could not be flushed');
  beside.exec('COMMIT');
  beside.close();
  await insert.execute();
  const aside = new FlushAside(join(dir, 'nowhere'), { leaveOut: () => undefined, copyLog: () => false });
  await expect(aside.flush()).rejects.toBeInstanceOf(NotFlushedError);
  expect(() => aside.check('commit', true)).toThrow('could not be flushed');
  expect(() => aside.check('rollback', true)).not.toThrow();
  await aside.close();
});

test('a disk that fails to flush makes the daemon unready, until all is in the database, even if nobody writes', async () => {
  await inTransaction(store.db, (tx) => put(tx, 'keyring_fingerprint'));
  const readiness = async () => readReadiness(store.db, async () => []);
  expect(await readiness()).toEqual({ ready: true, database: 'ok', chains: {}, warnings: [] });
  await withoutLog(() => inPatientTransaction(store.db, (tx) => put(tx, 'unsure')).catch(() => undefined));
  const beside = new Database(path, { readonly: true });
  beside.exec('BEGIN');
  beside.prepare('SELECT count(*) FROM meta').get();
  // Longer than it takes to try again.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await readiness()).toEqual({
    ready: false,
    database: 'not flushed by the disk',
    chains: {},
    warnings: [],
  });
  beside.exec('COMMIT');
  beside.close();
  await eventually('it is ready again', readiness, ({ ready }) => ready);
});

test('a flush that was asked for during another begins after it, one for all who asked', async () => {
  const aside = new FlushAside(`${path}-wal`, { leaveOut: () => undefined, copyLog: () => true });
  const ended: string[] = [];
  const first = aside.flush().then(() => ended.push('first'));
  await Promise.resolve();
  const second = aside.flush().then(() => ended.push('second'));
  const third = aside.flush().then(() => ended.push('third'));
  await Promise.all([first, second, third]);
  expect(ended).toEqual(['first', 'second', 'third']);
  await aside.close();
});
