import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toFailure } from '../../../src/http/server/dispatch.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';
import { readReadiness } from '../../../src/workers/chain-watcher/readiness.ts';
import { eventually } from '../../_helpers/poll.ts';

let dir: string;
let database: OpenDatabase;
let told: string[];

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-full-'));
  told = [];
  const tell = (_fields: object, message: string): void => void told.push(message);
  database = await openDatabase(join(dir, 'tilld.sqlite'), {
    logger: { info: tell, warn: tell, error: tell },
  });
});
afterEach(async () => {
  await database.close();
  rmSync(dir, { recursive: true, force: true });
});

async function setRoom(extraPages: number): Promise<void> {
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(database.db);
  await sql.raw(`pragma max_page_count = ${(rows[0]?.page_count ?? 0) + extraPages}`).execute(database.db);
}

async function write(count: number): Promise<void> {
  await database.db.transaction(async (tx) => {
    for (let at = 0; at < count; at += 1) {
      await tx
        .insertInto('meta')
        .values({ key: `key-${at}`, value: 'v'.repeat(1_000) })
        .execute();
    }
  });
}

test('a full disk causes a specific error, leaves no partial write, and writes succeed once there is space', async () => {
  await setRoom(2);
  await expect(write(200)).rejects.toMatchObject({ code: 'SQLITE_FULL' });
  await expect(write(200)).rejects.toMatchObject({ code: 'SQLITE_FULL' });
  expect(await database.db.selectFrom('meta').selectAll().execute()).toEqual([]);
  await setRoom(1_000);
  await write(200);
  expect(await database.db.selectFrom('meta').selectAll().execute()).toHaveLength(200);
});

test('a full disk is reported once in readiness and log, as is its end, and refused requests may be retried', async () => {
  const { db } = database;
  await db.transaction(async (tx) => {
    await tx.insertInto('meta').values({ key: 'keyring_fingerprint', value: 'x' }).execute();
  });
  await setRoom(2);
  const refused: unknown = await write(200).catch((error: unknown) => error);
  expect(db.writeTrouble).toBe('disk full');
  expect(await readReadiness(db, async () => [])).toEqual({
    ready: false,
    database: 'disk full',
    chains: {},
    warnings: [],
  });
  const refusedAlone = db
    .insertInto('meta')
    .values({ key: 'alone', value: 'v'.repeat(1_000_000) })
    .execute();
  await expect(refusedAlone).rejects.toMatchObject({ code: 'SQLITE_FULL' });
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const { status, headers, body } = toFailure(log, refused, {});
  expect([status, headers['Retry-After'], body.error?.code]).toEqual([503, '30', 'DATABASE_UNAVAILABLE']);
  expect(log.error).not.toHaveBeenCalled();
  await setRoom(1_000);
  await eventually(
    'room',
    () => db.writeTrouble,
    (trouble) => trouble === null,
  );
  expect(told).toEqual([expect.stringContaining('is full'), expect.stringContaining('no longer full')]);
  await write(200);
});
