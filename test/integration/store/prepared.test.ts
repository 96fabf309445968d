import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Db, Tx } from '../../../src/store/sqlite/database.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';
import {
  prepared,
  preparedInsert,
  preparedInserts,
  type ParamOf,
} from '../../../src/store/sqlite/prepared.ts';

const valueOf = prepared((db, param: ParamOf<{ key: string }>) =>
  db.selectFrom('meta').select('value').where('key', '=', param('key')),
);
const insert = preparedInsert('meta');
const insertAll = preparedInserts('meta', ['key', 'value']);

async function read(db: Db, key = 'k'): Promise<string | undefined> {
  return (await valueOf(db, { key }))[0]?.value;
}

describe.each(['in a file', 'in memory'])('prepared statements of a database %s', (place) => {
  let dir = '';
  let database: OpenDatabase;
  let db: Db;

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'till-prepared-'));
    database = await openDatabase(place === 'in memory' ? ':memory:' : join(dir, 'db.sqlite'));
    ({ db } = database);
  });

  afterEach(async () => {
    await database.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('return the rows for the parameters of each run', async () => {
    await db.transaction(async (tx) => {
      await insert(tx, { key: 'k', value: '1' });
      await insert(tx, { key: 'l', value: '2' });
    });
    expect([await read(db, 'k'), await read(db, 'l'), await read(db, 'm')]).toEqual(['1', '2', undefined]);
  });

  it('insert none, one and many rows at once, and return the stored rows', async () => {
    const rows = Array.from({ length: 21 }, (_, at) => ({ key: `key ${at}`, value: `value ${at}` }));
    for (const some of [[], rows.slice(0, 4), rows.slice(4)]) {
      const stored = await db.transaction(async (tx) => insertAll(tx, some));
      expect(new Map(stored.map(({ key, value }) => [key, value]))).toEqual(
        new Map(some.map(({ key, value }) => [key, value])),
      );
    }
    for (const { key, value } of rows) expect(await read(db, key)).toBe(value);
  });

  it('see the writes of their own transaction, which others see only after the commit', async () => {
    const outside: Promise<string | undefined>[] = [];
    await db.transaction(async (tx) => {
      await insert(tx, { key: 'k', value: '1' });
      expect(await read(tx)).toBe('1');
      outside.push(read(db));
    });
    // In a file it was read at once; in memory it waited for the transaction.
    expect(await outside[0]).toBe(place === 'in memory' ? '1' : undefined);
    expect(await read(db)).toBe('1');
  });

  it('never return data that was rolled back', async () => {
    const work = db.transaction(async (tx) => {
      await insert(tx, { key: 'k', value: '1' });
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await read(db)).toBeUndefined();
  });

  it('see every committed change immediately, whatever statement wrote it', async () => {
    await insertPlainly(db, 'first');
    for (let round = 0; round < 50; round += 1) {
      expect(await read(db)).toBe(round === 0 ? 'first' : `round ${round - 1}`);
      if (round % 2 === 0) await set(db, `round ${round}`);
      else await db.transaction(async (tx) => set(tx, `round ${round}`));
      expect(await read(db)).toBe(`round ${round}`);
    }
    await db.deleteFrom('meta').where('key', '=', 'k').execute();
    expect(await read(db)).toBeUndefined();
  });

  it('see a change that was committed within the same turn of the event loop as an earlier read', async () => {
    await insertPlainly(db, 'before');
    const turns: string[] = [];
    const immediate = new Promise<void>((resolve) => setImmediate(() => resolve(void turns.push('turned'))));
    expect(await read(db)).toBe('before');
    await set(db, 'after');
    expect(await read(db)).toBe('after');
    if (place === 'in a file') expect(turns).toEqual([]);
    await immediate;
  });

  it('see the changes of another process immediately', async () => {
    if (place === 'in memory') return;
    await insertPlainly(db, 'before');
    expect(await read(db)).toBe('before');
    await new Promise<void>((resolve) => setImmediate(() => resolve()));
    const other = new Database(join(dir, 'db.sqlite'));
    other.prepare("UPDATE meta SET value = 'after'").run();
    other.close();
    expect(await read(db)).toBe('after');
  });

  it('cannot be used with a transaction that has ended', async () => {
    let kept: Tx | null = null;
    await db.transaction(async (tx) => void (kept = tx));
    if (kept === null) throw new Error('no transaction');
    await expect(insert(kept, { key: 'k', value: '1' })).rejects.toThrow();
    expect(await read(db)).toBeUndefined();
  });
});

async function insertPlainly(db: Db, value: string): Promise<void> {
  await db.insertInto('meta').values({ key: 'k', value }).execute();
}

async function set(db: Db, value: string): Promise<void> {
  await db.updateTable('meta').set({ value }).where('key', '=', 'k').execute();
}
