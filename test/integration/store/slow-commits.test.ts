import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Tx } from '../../../src/store/sqlite/database.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';

let dir: string;
let told: { facts: unknown; message: string }[];
let store: OpenDatabase;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-slow-'));
  told = [];
});
afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

async function open(slowCommitMs: number): Promise<void> {
  const hear = (facts: unknown, message = ''): void => void told.push({ facts, message });
  store = await openDatabase(join(dir, 'tilld.sqlite'), {
    logger: { info: hear, warn: hear, error: hear },
    slowCommitMs,
  });
  told.length = 0;
}

const put = async (tx: Tx): Promise<unknown> =>
  tx.insertInto('meta').values({ key: 'a', value: '' }).execute();

test('a slow commit is logged with its duration', async () => {
  await open(0);
  await store.db.transaction(put);
  expect(told).toEqual([
    {
      facts: { tookMs: expect.any(Number) as number },
      message: expect.stringContaining('commit was slow') as string,
    },
  ]);
});

test('a slow transaction that is rolled back is not logged', async () => {
  await open(0);
  const failed = store.db.transaction(async () => Promise.reject(new Error('changed its mind')));
  await expect(failed).rejects.toThrow('changed its mind');
  expect(told).toEqual([]);
});

test('a commit below the threshold is not logged', async () => {
  await open(600_000);
  await store.db.transaction(put);
  expect(told).toEqual([]);
});
