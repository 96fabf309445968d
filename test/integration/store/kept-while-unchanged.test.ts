import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction, type Db } from '../../../src/store/database.ts';
import { keptWhileUnchanged } from '../../../src/store/kept-while-unchanged.ts';
import { writeMeta } from '../../../src/store/meta.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/open.ts';
import { prepared, type SlotOf } from '../../../src/store/prepared.ts';

const MOST = 3;
const valueOf = prepared((db, slot: SlotOf<{ key: string }>) =>
  db.selectFrom('meta').select('value').where('key', '=', slot('key')),
);

let dir = '';
let path = '';
let database: OpenDatabase;
let db: Db;
/** Which keys were really read, in this order. */
let reads: string[] = [];
const kept = keptWhileUnchanged(MOST, async (from, key) => {
  reads.push(key);
  return (await valueOf(from, { key }))[0] ?? null;
});
const read = async (key: string, from: Db = db): Promise<string | null> =>
  (await kept(from, key))?.value ?? null;
const put = async (key: string, value: string): Promise<void> =>
  inTransaction(db, async (tx) => writeMeta(tx, key, value));

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'till-kept-'));
  path = join(dir, 'tilld.sqlite');
  database = await openDatabase(path);
  ({ db } = database);
  reads = [];
});
afterEach(async () => {
  await database.close();
  rmSync(dir, { recursive: true, force: true });
});

/** A script of another process on the same file. */
const beside = (body: string): string[] => [
  '-e',
  `const sqlite = new (require('better-sqlite3'))(${JSON.stringify(path)}); sqlite.pragma('busy_timeout = 5000'); ${body}`,
];

describe('what is kept while a database is unchanged', () => {
  it('is read once, however many turns pass', async () => {
    await put('k', '1');
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await read('k')).toBe('1');
      await nextTurn();
    }
    expect(reads).toEqual(['k']);
  });

  it('is read again at once after a commit of this process, in the same turn, too', async () => {
    await put('k', '1');
    expect(await read('k')).toBe('1');
    await put('k', '2');
    expect(await read('k')).toBe('2');
    await sql`UPDATE meta SET value = '3' WHERE key = 'k'`.execute(db);
    expect(await read('k')).toBe('3');
    await sql`DELETE FROM meta WHERE key = 'k'`.execute(db);
    expect(await read('k')).toBeNull();
  });

  it('is read again after a commit of another process', async () => {
    await put('k', '1');
    expect(await read('k')).toBe('1');
    execFileSync(process.execPath, beside(`sqlite.exec("DELETE FROM meta WHERE key = 'k'")`));
    // That held up this turn, in which all reads share one snapshot.
    await nextTurn();
    expect(await read('k')).toBeNull();
  });

  it('is no older than what another process committed before the question, however they race', async () => {
    await put('k', '0');
    const child = spawn(
      process.execPath,
      beside(`
        const count = sqlite.prepare("UPDATE meta SET value = ? WHERE key = 'k'");
        let at = 0;
        const step = () => {
          count.run(String((at += 1)));
          // Whoever leaves at once takes along what was not told yet.
          process.send(at, () => (at < 400 ? setImmediate(step) : process.disconnect()));
        };
        step();`),
      { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
    );
    const told = { committed: 0 };
    child.on('message', (at) => (told.committed = Number(at)));
    const ended = once(child, 'exit');
    const life = { hasEnded: false };
    void ended.then(() => (life.hasEnded = true));
    let asked = 0;
    const tooOld: string[] = [];
    while (told.committed < 400 && !life.hasEnded) {
      await nextTurn();
      const before = told.committed;
      const value = Number(await read('k'));
      asked += 1;
      if (value < before) tooOld.push(`${value} after ${before}`);
    }
    expect(await ended).toEqual([0, null]);
    expect(tooOld).toEqual([]);
    expect(await read('k')).toBe('400');
    // It was kept now and then, else this has shown nothing.
    expect(reads.length).toBeLessThan(asked);
  });

  it('does not keep what was not found', async () => {
    expect([await read('k'), await read('k')]).toEqual([null, null]);
    expect(reads).toEqual(['k', 'k']);
  });

  it('is bounded', async () => {
    for (const key of ['a', 'b', 'c', 'd']) await put(key, key);
    for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'd']) expect(await read(key)).toBe(key);
    expect(reads).toEqual(['a', 'b', 'c', 'd', 'a']);
  });

  it('is nobody’s business in a transaction, which sees what it wrote itself', async () => {
    await put('k', '1');
    expect(await read('k')).toBe('1');
    await inTransaction(db, async (tx) => {
      await writeMeta(tx, 'k', '2');
      expect(await read('k', tx)).toBe('2');
      expect(await read('k')).toBe('1');
    });
    expect(await read('k')).toBe('2');
  });

  it('is not kept for a database in memory', async () => {
    const memory = await openDatabase(':memory:');
    try {
      await inTransaction(memory.db, async (tx) => writeMeta(tx, 'k', '1'));
      expect([await read('k', memory.db), await read('k', memory.db)]).toEqual(['1', '1']);
      expect(reads).toEqual(['k', 'k']);
    } finally {
      await memory.close();
    }
  });
});
