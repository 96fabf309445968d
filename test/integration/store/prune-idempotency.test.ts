import { expect, it } from 'vitest';
import { claimIdempotencyKey } from '../../../src/store/idempotency.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { pruneIdempotency } from '../../../src/usecases/webhooks/prune-idempotency.ts';

it('pruneIdempotency removes every expired key, and keeps valid and permanent ones', async () => {
  const { db, ...database } = await openDatabase(':memory:').then((it) => ({
    db: it.db,
    close: () => it.close(),
  }));
  const add = async (key: string, expiresAt: number | null): Promise<void> => {
    await claimIdempotencyKey(db, {
      scope: 'merchant',
      key,
      route: 'POST /payment/create',
      request_hash: 'hash',
      state: 'done',
      status: 201,
      body_sealed: 'sealed',
      created_at: 1,
      expires_at: expiresAt,
    });
  };
  for (let at = 0; at < 1_201; at += 1) await add(`old ${at}`, 1_000);
  await add('later', 1_001);
  await add('for ever', null);
  expect(await pruneIdempotency({ db, clock: { now: () => 1_000 } })).toBe(1_201);
  const left = await db.selectFrom('idempotency').select('key').orderBy('key').execute();
  expect(left.map(({ key }) => key)).toEqual(['for ever', 'later']);
  await database.close();
});
