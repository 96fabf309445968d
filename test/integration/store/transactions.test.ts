import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Tx } from '../../../src/store/sqlite/database.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';

let dir: string;
let store: OpenDatabase;
let outside: Database.Database;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'till-group-'));
  store = await openDatabase(join(dir, 'tilld.sqlite'));
  outside = new Database(join(dir, 'tilld.sqlite'), { readonly: true });
});

afterEach(async () => {
  outside.close();
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

async function put(tx: Tx, key: string, value = ''): Promise<string> {
  await tx.insertInto('meta').values({ key, value }).execute();
  return key;
}

/** What a reader of the file sees: only what is committed. */
function visible(): string[] {
  return outside
    .prepare("SELECT key FROM meta WHERE key LIKE 'test-%' ORDER BY key")
    .pluck()
    .all() as string[];
}

test('concurrent transactions are all flushed to disk before the first of them resolves', async () => {
  const works = Array.from({ length: 20 }, (_, index) =>
    store.db.transaction((tx) => put(tx, `test-${index}`)),
  );
  await works[0];
  expect(visible()).toHaveLength(20);
  expect(await Promise.all(works)).toHaveLength(20);
});

test('a failed transaction rolls back only its own writes, and rejects after the others are flushed', async () => {
  const good = store.db.transaction((tx) => put(tx, 'test-good'));
  const bad = store.db
    .transaction(async (tx) => {
      await put(tx, 'test-bad');
      throw new Error('changed its mind');
    })
    .catch((error: unknown) => [error, visible()]);
  const twice = store.db.transaction((tx) => put(tx, 'test-good'));
  await expect(twice).rejects.toThrow(/UNIQUE/);
  expect(await bad).toEqual([new Error('changed its mind'), ['test-good']]);
  expect(await good).toBe('test-good');
  expect(visible()).toEqual(['test-good']);
});

test('a group of transactions that SQLite rolls back rejects completely, and the next group succeeds', async () => {
  const works = [
    store.db.transaction((tx) => put(tx, 'test-first')),
    store.db.transaction(async (tx) => {
      await put(tx, 'test-second');
      // What a full disk does: the whole transaction is gone, whatever was done before in it.
      await sql`rollback`.execute(tx);
      throw new Error('database or disk is full');
    }),
    store.db.transaction((tx) => put(tx, 'test-third')),
  ];
  const outcomes = await Promise.allSettled(works);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(visible()).toEqual([]);
  expect(await store.db.transaction((tx) => put(tx, 'test-next'))).toBe('test-next');
  expect(visible()).toEqual(['test-next']);
});

/** 1 is NORMAL, 2 is FULL. */
async function synchronousIn(tx: Tx): Promise<number | undefined> {
  const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(tx);
  return rows[0]?.synchronous;
}

test('a transaction with option relaxed is committed without a flush, and never together with others', async () => {
  expect(await store.db.relaxedTransaction(synchronousIn)).toBe(1);
  expect(await store.db.transaction(synchronousIn)).toBe(2);
  const together = [store.db.relaxedTransaction(synchronousIn), store.db.transaction(synchronousIn)];
  expect(await Promise.all(together)).toEqual([2, 2]);
  const failed = store.db.relaxedTransaction(async () => Promise.reject(new Error('changed its mind')));
  await expect(failed).rejects.toThrow('changed its mind');
  expect(await store.db.transaction(synchronousIn)).toBe(2);
});

test('a transaction that has ended cannot be used', async () => {
  const tx = await store.db.transaction(async (open) => open);
  await expect(put(tx, 'test-late')).rejects.toThrow('has ended');
  expect(() => tx.all('select 1', [])).toThrow('has ended');
  expect(visible()).toEqual([]);
});

test('a read outside a transaction neither waits for the transaction nor sees its uncommitted data', async () => {
  const read = async () => store.db.selectFrom('meta').selectAll().execute();
  await store.db.transaction(async (tx) => {
    await put(tx, 'test-open');
    expect(await read()).toEqual([]);
  });
  expect(await read()).toHaveLength(1);
});

test('exactly the transactions that resolved are in the database, however many are concurrent or fail', async () => {
  let run = 0;
  const transaction = fc.constantFrom('transaction' as const, 'relaxedTransaction' as const);
  const asked = fc.array(fc.record({ fails: fc.boolean(), later: fc.boolean(), transaction }), {
    maxLength: 80,
  });
  await fc.assert(
    fc.asyncProperty(asked, async (jobs) => {
      run += 1;
      const works: Promise<string>[] = [];
      for (const [index, { fails, later, transaction: begun }] of jobs.entries()) {
        if (later) await new Promise((resolve) => setImmediate(resolve));
        const work = store.db[begun](async (tx) => {
          const key = await put(tx, `test-${run}-${index}`);
          if (fails) throw new Error(key);
          return key;
        });
        work.catch(() => undefined);
        works.push(work);
      }
      const outcomes = await Promise.allSettled(works);
      const done = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      expect(done).toHaveLength(jobs.filter(({ fails }) => !fails).length);
      expect(visible().filter((key) => key.startsWith(`test-${run}-`))).toEqual(done.toSorted());
    }),
    { numRuns: 20 },
  );
});

test('prepared statements work after a change of the schema', async () => {
  const read = () => store.db.selectFrom('meta').selectAll().where('key', '=', 'test-1').execute();
  await store.db.transaction((tx) => put(tx, 'test-1', 'one'));
  expect(await read()).toEqual([{ key: 'test-1', value: 'one' }]);
  await sql`alter table meta add column more text not null default 'x'`.execute(store.db);
  expect(await read()).toEqual([{ key: 'test-1', value: 'one', more: 'x' }]);
});

test('a write of another process between a read and a write does not make the transaction fail', async () => {
  const other = new Database(join(dir, 'tilld.sqlite'), { timeout: 0 });
  let tries = 0;
  const busy: unknown[] = [];
  const works = ['test-a', 'test-b', 'test-c'].map((key) =>
    store.db.transaction(async (tx) => {
      await tx.selectFrom('meta').selectAll().execute();
      try {
        other.prepare(`INSERT INTO meta (key, value) VALUES ('test-other-${(tries += 1)}', '')`).run();
      } catch (error) {
        busy.push(error);
      }
      return put(tx, key);
    }),
  );
  expect(await Promise.allSettled(works)).toEqual(
    ['test-a', 'test-b', 'test-c'].map((value) => ({ status: 'fulfilled', value })),
  );
  expect(busy).toHaveLength(tries);
  other.prepare("INSERT INTO meta (key, value) VALUES ('test-other', '')").run();
  other.close();
  expect(visible()).toEqual(['test-a', 'test-b', 'test-c', 'test-other']);
});

test('a read within a snapshot neither sees nor delays writes of another process', async () => {
  const other = new Database(join(dir, 'tilld.sqlite'), { timeout: 0 });
  const seen = await store.db.read(async (tx) => {
    const count = async (): Promise<number> => (await tx.selectFrom('meta').selectAll().execute()).length;
    const before = await count();
    other.prepare("INSERT INTO meta (key, value) VALUES ('test-other', '')").run();
    return (await count()) - before;
  });
  other.close();
  expect(seen).toBe(0);
  expect(visible()).toEqual(['test-other']);
});
