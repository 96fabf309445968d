import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readMeta, writeMeta } from '../../../src/store/meta.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';

let dir: string;
let database: OpenDatabase;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-checkpoint-'));
  database = await openDatabase(join(dir, 'till.sqlite'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const MB = 1_000_000;
const size = (name: string) => statSync(join(dir, name)).size;

async function write(key: string, bytes: number): Promise<void> {
  await database.db.transaction((tx) => writeMeta(tx, key, 'x'.repeat(bytes)));
}

it('a commit after a long write-ahead log checkpoints it into the database file, so that the log starts over', async () => {
  const beside = new Database(join(dir, 'till.sqlite'));
  for (let n = 0; n < 3; n += 1) {
    await write(`text-${n}`, 20 * MB);
    const [found] = beside.pragma('wal_checkpoint(NOOP)') as { log: number; checkpointed: number }[];
    expect(found).toMatchObject({ checkpointed: found?.log });
  }
  expect(size('till.sqlite')).toBeGreaterThan(60 * MB);
  expect(size('till.sqlite-wal')).toBeLessThan(50 * MB);
  beside.close();
  await database.close();
});

it('checkpoints limit the size of the write-ahead log although requests read between the commits', async () => {
  let longest = 0;
  for (let n = 0; n < 100; n += 1) {
    const reads = Array.from({ length: 5 }, async () => readMeta(database.db, 'text-0'));
    await Promise.all([write(`text-${n}`, MB), ...reads]);
    longest = Math.max(longest, size('till.sqlite-wal'));
  }
  expect(longest).toBeLessThan(25 * MB);
  await database.close();
});

it('a transaction that waits for the database lock does not block a checkpoint of the process that has the lock', async () => {
  const beside = new Database(join(dir, 'till.sqlite'));
  await write('first', MB);
  let found: unknown;
  const writing = database.db.transaction(async () => {
    // A RESTART checkpoint waits for readers of an older WAL state and holds the write lock meanwhile.
    found = beside.pragma('wal_checkpoint(PASSIVE)');
  });
  await readMeta(database.db, 'first');
  beside.prepare("UPDATE meta SET value = 'changed' WHERE key = 'first'").run();
  await writing;
  const [{ log, checkpointed } = { log: 0, checkpointed: -1 }] = found as {
    log: number;
    checkpointed: number;
  }[];
  expect(checkpointed).toBe(log);
  beside.close();
  await database.close();
});

it('closing the database loses nothing that is only in the write-ahead log', async () => {
  await write('first', 20 * MB);
  await write('second', MB);
  expect(size('till.sqlite-wal')).toBeGreaterThan(0);
  await database.close();
  const copy = new Database(join(dir, 'till.sqlite'), { readonly: true });
  const lengths = copy.prepare("SELECT length(value) FROM meta WHERE key IN ('first', 'second')").pluck();
  expect(lengths.all()).toEqual([20 * MB, MB]);
  expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
  copy.close();
});
