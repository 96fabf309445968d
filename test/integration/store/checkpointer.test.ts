import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeMeta } from '../../../src/store/meta.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';
import { eventually } from '../../_helpers/poll.ts';

let dir: string;
let database: OpenDatabase;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-checkpoint-'));
  database = await openDatabase(join(dir, 'till.sqlite'), { checkpointsAside: true });
});
afterEach(() => rmSync(dir, { recursive: true }));

const MB = 1_000_000;
const size = (name: string) => statSync(join(dir, name)).size;

async function write(key: string, bytes: number): Promise<void> {
  await database.db.transaction((tx) => writeMeta(tx, key, 'x'.repeat(bytes)));
}

it('moves what was written into the database file by itself, so that the log starts anew', async () => {
  const beside = new Database(join(dir, 'till.sqlite'));
  const pagesLeft = () => {
    const [found] = beside.pragma('wal_checkpoint(NOOP)') as { log: number; checkpointed: number }[];
    return (found?.log ?? 0) - (found?.checkpointed ?? 0);
  };
  for (let n = 0; n < 3; n += 1) {
    await write(`text-${n}`, 20 * MB);
    await eventually('a checkpoint', pagesLeft, (left) => left === 0);
  }
  expect(size('till.sqlite')).toBeGreaterThan(60 * MB);
  expect(size('till.sqlite-wal')).toBeLessThan(50 * MB);
  beside.close();
  await database.close();
});

it('loses nothing when it is closed in the middle of it', async () => {
  await write('first', 20 * MB);
  const empty = size('till.sqlite');
  await eventually(
    'a checkpoint',
    () => size('till.sqlite'),
    (bytes) => bytes > empty,
  );
  await write('second', 20 * MB);
  await database.close();
  const copy = new Database(join(dir, 'till.sqlite'), { readonly: true });
  const lengths = copy.prepare("SELECT length(value) FROM meta WHERE key IN ('first', 'second')").pluck();
  expect(lengths.all()).toEqual([20 * MB, 20 * MB]);
  expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
  copy.close();
});
