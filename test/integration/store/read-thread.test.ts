import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from 'kysely';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Takes a second or more. */
const LONG = sql<{
  n: number;
}>`WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3000000)
  SELECT count(*) AS n FROM c`;

describe('Database.readThread', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tilld-read-thread-'));
  let open: OpenDatabase;

  beforeAll(async () => {
    open = await openDatabase(join(dir, 'tilld.sqlite'));
  });
  afterAll(async () => {
    await open.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('does not block the event loop during a long select', async () => {
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 1);
    const { rows } = await LONG.execute(open.db.readThread);
    clearInterval(ticking);
    expect(rows).toEqual([{ n: 3_000_000 }]);
    expect(turns).toBeGreaterThan(10);
  });

  it('sees data that was committed before it, with the same columns and flags as other queries', async () => {
    await open.db
      .insertInto('users')
      .values({
        id: 'u1',
        email: 'a@example.com',
        emailKey: 'a@example.com',
        passwordHash: 'none',
        isVerified: true,
        tokenVersion: 1,
        createdAt: 1,
        updatedAt: 1,
      })
      .execute();
    const read = async (db: typeof open.db.readThread): Promise<unknown> =>
      db.selectFrom('users').selectAll().where('id', '=', 'u1').execute();
    expect(await read(open.db.readThread)).toEqual(await read(open.db));
    expect(await read(open.db.readThread)).toMatchObject([{ id: 'u1', isVerified: true }]);
  });

  it('rejects an invalid select and runs the next one', async () => {
    await expect(sql`SELECT 1 FROM unknown_table`.execute(open.db.readThread)).rejects.toThrow(
      'no such table',
    );
    expect((await sql`SELECT 1 AS one`.execute(open.db.readThread)).rows).toEqual([{ one: 1 }]);
  });

  it('cannot write to the database', async () => {
    await expect(sql`DELETE FROM users`.execute(open.db.readThread)).rejects.toThrow('readonly');
  });

  it('refuses more than a hundred waiting selects with DATABASE_UNAVAILABLE', async () => {
    const reads = Array.from({ length: 120 }, async () => sql`SELECT 1 AS one`.execute(open.db.readThread));
    const outcomes = await Promise.allSettled(reads);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(100);
    expect(outcomes.at(-1)).toMatchObject({ reason: { code: 'DATABASE_UNAVAILABLE' } });
  });

  it('rejects waiting selects when the database closes', async () => {
    const other = await openDatabase(join(dir, 'other.sqlite'));
    const waiting = LONG.execute(other.db.readThread);
    const outcome = waiting.then(
      () => 'answered',
      () => 'rejected',
    );
    await other.close();
    expect(await outcome).toBe('rejected');
  });

  it('uses the main connection for an in-memory database and within a transaction', async () => {
    const memory = await openDatabase(':memory:');
    expect(memory.db.readThread).toBe(memory.db);
    await memory.close();
    const inTransaction = await open.db.transaction(async (tx) => tx.readThread === tx);
    expect(inTransaction).toBe(true);
  });
});
