import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inPatientTransaction, inTransaction, writeTroubleOf, type Tx } from '../../../src/store/database.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/open.ts';
import { DatabaseLockedError } from '../../../src/store/outside-lock.ts';
import { eventually } from '../../_helpers/poll.ts';

let dir: string;
let store: OpenDatabase;
let said: string[];
/** A shell of another process, as far as SQLite can tell. */
let shell: Database.Database;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'till-lock-'));
  said = [];
  const hear = (_fields: object, line: string): void => void said.push(line);
  store = await openDatabase(join(dir, 'tilld.sqlite'), { logger: { warn: hear, error: hear } });
  shell = new Database(join(dir, 'tilld.sqlite'));
});
afterEach(async () => {
  shell.close();
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

async function put(tx: Tx, key: string): Promise<string> {
  await tx.insertInto('meta').values({ key, value: '' }).execute();
  return key;
}

async function keys(): Promise<string[]> {
  const rows = await store.db.selectFrom('meta').select('key').orderBy('key').execute();
  return rows.map(({ key }) => key);
}

test('what is to be written waits for another process, while reads and everything else go on', async () => {
  shell.exec("BEGIN IMMEDIATE; INSERT INTO meta (key, value) VALUES ('theirs', '')");
  let done = 0;
  const works = [
    inTransaction(store.db, (tx) => put(tx, 'ours')),
    inPatientTransaction(store.db, (tx) => put(tx, 'ours, patiently')),
    store.db.insertInto('meta').values({ key: 'ours, alone', value: '' }).execute(),
  ].map(async (work) => work.then(() => (done += 1)));
  let longestReadMs = 0;
  for (let reads = 0; reads < 20; reads += 1) {
    const from = performance.now();
    expect(await keys()).toEqual([]);
    longestReadMs = Math.max(longestReadMs, performance.now() - from);
    await sleep(10);
  }
  expect(done).toBe(0);
  // SQLite itself would have waited for seconds.
  expect(longestReadMs).toBeLessThan(2_000);
  shell.exec('COMMIT');
  await Promise.all(works);
  expect(await keys()).toEqual(['ours', 'ours, alone', 'ours, patiently', 'theirs']);
  expect(said).toEqual([]);
});

test('what waited too long is told so, was not done, and never is; the log names the cause and its end', async () => {
  await inTransaction(store.db, (tx) => put(tx, 'before'));
  shell.exec('BEGIN IMMEDIATE');
  let runs = 0;
  const work = async (tx: Tx): Promise<string> => put(tx, `ours ${(runs += 1)}`);
  const early = inTransaction(store.db, work).catch((error: unknown) => error);
  const alone = store.db
    .insertInto('meta')
    .values({ key: 'alone', value: '' })
    .execute()
    .catch((error: unknown) => error);
  await sleep(3_000);
  expect(writeTroubleOf(store.db)).toBe('locked by another process');
  const late = inTransaction(store.db, work);
  const refusal = { code: 'DATABASE_UNAVAILABLE', retryAfterMs: expect.any(Number) };
  expect(await Promise.all([early, alone])).toMatchObject([refusal, refusal]);
  expect(runs).toBe(0);
  shell.exec('ROLLBACK');
  expect(await late).toBe('ours 1');
  expect(writeTroubleOf(store.db)).toBeNull();
  expect(await keys()).toEqual(['before', 'ours 1']);
  expect(said).toEqual([
    expect.stringContaining('another process holds the write lock of the database'),
    'the database can be written again',
  ]);
}, 20_000);

test('each is told what became of it when the time of many is up while they are looked at', async () => {
  shell.exec('BEGIN IMMEDIATE');
  let [nowMs, stepMs] = [0, 0];
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += stepMs));
  try {
    const told = Array.from({ length: 20 }, async (_, at) => {
      const work = inTransaction(store.db, (tx) => put(tx, `ours ${at}`));
      return work.catch((error: unknown) => (error instanceof DatabaseLockedError ? null : error));
    });
    // It goes on with each look at the clock: the first of them are still in time, the last are not.
    [nowMs, stepMs] = [4_990, 1];
    await eventually(
      'the first try',
      () => nowMs,
      (now) => now > 5_000,
    );
    stepMs = 0;
    nowMs = 4_000;
    shell.exec('ROLLBACK');
    const done = (await Promise.all(told)).filter((key) => key !== null);
    expect(await keys()).toEqual(done.map(String).toSorted());
  } finally {
    clock.mockRestore();
  }
});

test('the end of a lock is noticed even when nothing more is to be written', async () => {
  shell.exec('BEGIN IMMEDIATE');
  await expect(inTransaction(store.db, (tx) => put(tx, 'ours'))).rejects.toThrow('cannot be written');
  expect(writeTroubleOf(store.db)).toBe('locked by another process');
  shell.exec('ROLLBACK');
  await eventually(
    'the end',
    () => writeTroubleOf(store.db),
    (trouble) => trouble === null,
  );
}, 20_000);
