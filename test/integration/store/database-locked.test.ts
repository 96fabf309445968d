import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toFailure } from '../../../src/http/server/dispatch.ts';
import type { Tx } from '../../../src/store/sqlite/database.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';
import { readReadiness } from '../../../src/workers/chain-watcher/readiness.ts';
import { eventually } from '../../_helpers/poll.ts';

const BUSY_TIMEOUT_MS = 20;

let dir: string;
let store: OpenDatabase;
let said: string[];
/** A shell of another process, as far as SQLite can tell. */
let shell: Database.Database;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'till-lock-'));
  said = [];
  const hear = (_fields: object, line: string): void => void said.push(line);
  const logger = { info: hear, warn: hear, error: hear };
  store = await openDatabase(join(dir, 'tilld.sqlite'), { logger, busyTimeoutMs: BUSY_TIMEOUT_MS });
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

test('writes are refused before any work while another process holds the database lock, and reads continue', async () => {
  await store.db.transaction((tx) => put(tx, 'before'));
  shell.exec('BEGIN IMMEDIATE');
  let runs = 0;
  const work = async (tx: Tx): Promise<string> => put(tx, `ours ${(runs += 1)}`);
  const asked = [
    store.db.transaction(work),
    store.db.transaction(work),
    store.db.relaxedTransaction(work),
    store.db.insertInto('meta').values({ key: 'alone', value: '' }).execute(),
  ].map(async (each) => each.catch((error: unknown) => error));
  expect(await keys()).toEqual(['before']);
  const refusal = { code: 'DATABASE_UNAVAILABLE', retryAfterMs: expect.any(Number) };
  const refused = await Promise.all(asked);
  expect(refused).toMatchObject([refusal, refusal, refusal, refusal]);
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const { status, headers } = toFailure(log, refused[0], {});
  expect([status, headers['Retry-After']]).toEqual([503, '5']);
  expect(runs).toBe(0);
  shell.exec('ROLLBACK');
  expect(await store.db.transaction(work)).toBe('ours 1');
  expect(await keys()).toEqual(['before', 'ours 1']);
});

test('writes wait for a database lock that is released in time', async () => {
  const patient = await openDatabase(join(dir, 'tilld.sqlite'), { busyTimeoutMs: 5_000 });
  // Another thread lets go while this one waits within SQLite.
  const holder = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     const sqlite = new (require(workerData.module))(workerData.path);
     sqlite.exec('BEGIN IMMEDIATE');
     parentPort.postMessage('held');
     setTimeout(() => { sqlite.exec('COMMIT'); sqlite.close(); }, 100);`,
    {
      eval: true,
      workerData: {
        path: join(dir, 'tilld.sqlite'),
        module: createRequire(import.meta.url).resolve('better-sqlite3'),
      },
    },
  );
  await new Promise((resolve) => void holder.once('message', resolve));
  expect(await patient.db.transaction((tx) => put(tx, 'ours'))).toBe('ours');
  await patient.close();
});

test('the operator is warned once when another process locks the database, and once when that ends, also without further writes', async () => {
  await store.db.transaction((tx) => put(tx, 'keyring_fingerprint'));
  const readiness = async () => readReadiness(store.db, async () => []);
  shell.exec('BEGIN IMMEDIATE');
  for (const key of ['one', 'two']) {
    await expect(store.db.transaction((tx) => put(tx, key))).rejects.toThrow('cannot be written');
  }
  expect(await readiness()).toMatchObject({ ready: false, database: 'locked by another process' });
  shell.exec('ROLLBACK');
  await eventually('it is ready again', readiness, ({ ready }) => ready);
  expect(said).toEqual([
    expect.stringContaining('another process holds the write lock of the database'),
    'the write lock of the database was released; writes succeed again',
  ]);
});
