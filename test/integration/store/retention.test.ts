import { describe, expect, it } from 'vitest';
import { claimIdempotencyKey } from '../../../src/store/idempotency.ts';
import type { Db } from '../../../src/store/sqlite/database.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { prune } from '../../../src/usecases/retention/index.ts';
import { pruned } from '../../_helpers/pruned.ts';
import { silent } from '../../_helpers/wallet-world.ts';

it('applyRetention removes every expired idempotency key, and keeps valid and permanent ones', async () => {
  const { db, ...database } = await openDatabase(':memory:').then((it) => ({
    db: it.db,
    close: () => it.close(),
  }));
  const add = async (key: string, expiresAt: number | null): Promise<void> => {
    await claimIdempotencyKey(db, {
      scope: 'merchant',
      key,
      route: 'POST /payment/create',
      requestHash: 'hash',
      state: 'done',
      status: 201,
      bodySealed: 'sealed',
      createdAt: 1,
      expiresAt,
    });
  };
  for (let at = 0; at < 1_201; at += 1) await add(`old ${at}`, 1_000);
  await add('later', 1_001);
  await add('for ever', null);
  expect(await pruned(db, 1_000)).toEqual({ idempotency: 1_201 });
  const left = await db.selectFrom('idempotency').select('key').orderBy('key').execute();
  expect(left.map(({ key }) => key)).toEqual(['for ever', 'later']);
  await database.close();
});

describe('prune (deletion of old rows)', () => {
  /** Never read: the rules are not about a database. */
  const deps = { db: null as unknown as Db, clock: { now: () => 10_000 }, logger: silent };

  it('repeats a retention rule until a batch is not full, and returns the number of deleted rows', async () => {
    const batches = [500, 500, 7];
    const limits: unknown[] = [];
    const rule = {
      rows: 'things',
      keepMs: 3_000,
      pruneBatch: async (_db: Db, before: number, limit: number) => {
        limits.push([before, limit]);
        return batches.shift() ?? 0;
      },
    };
    expect(await prune(deps, [rule])).toEqual({ things: 1_007 });
    expect(limits).toEqual([
      [7_000, 500],
      [7_000, 500],
      [7_000, 500],
    ]);
  });

  it('limits the number of batches in one run', async () => {
    const rule = { rows: 'endless', keepMs: 0, pruneBatch: async () => 500 };
    expect(await prune(deps, [rule])).toEqual({ endless: 50_000 });
  });

  it('runs the other rules when one throws', async () => {
    const broken = { rows: 'broken', keepMs: 0, pruneBatch: async () => Promise.reject(new Error('no')) };
    const next = { rows: 'next', keepMs: 0, pruneBatch: async () => 1 };
    expect(await prune(deps, [broken, next])).toEqual({ next: 1 });
  });

  it('ends after the current batch once it is aborted', async () => {
    const stopping = new AbortController();
    const rule = {
      rows: 'things',
      keepMs: 0,
      pruneBatch: async () => {
        stopping.abort();
        return 500;
      },
    };
    expect(await prune(deps, [rule, rule], stopping.signal)).toEqual({ things: 500 });
  });
});
