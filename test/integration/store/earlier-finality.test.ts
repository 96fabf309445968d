import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Finality } from '../../../src/domain/confirmations.ts';
import type { Database } from '../../../src/store/sqlite/database.ts';
import { finalitiesAwaited } from '../../../src/store/payments/awaited-finality.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { FinalityCache } from '../../../src/usecases/chain-sync/finality-cache.ts';
import { addressOf, openPaymentWorld } from '../../_helpers/payment-world.ts';
import { recordQueries } from '../../_helpers/recorded-queries.ts';
import { creditTo } from '../../_helpers/scripted-chain.ts';
import { TestClock } from '../../_helpers/wallet-world.ts';

let db: Database;
const takeQueries = recordQueries();

beforeEach(async () => {
  ({ db } = await openDatabase(':memory:'));
  takeQueries();
});
afterEach(async () => db.close());

test('FinalityCache requests finality that only earlier payments require every few minutes, not in every poll', async () => {
  const clock = new TestClock();
  const earlier = new FinalityCache();
  for (let look = 0; look < 100; look += 1) {
    expect(await earlier.awaited({ db, clock }, { coin: 'ETH', mode: 'live' })).toEqual([]);
    clock.advance(5_000);
  }
  expect(takeQueries()).toHaveLength(1);
  clock.advance(10 * 60_000);
  await earlier.awaited({ db, clock }, { coin: 'ETH', mode: 'live' });
  expect(takeQueries()).toHaveLength(1);
});

test('FinalityCache keeps requesting the finality of a completed payment, because its refund needs it', async () => {
  const world = await openPaymentWorld();
  try {
    const chain = { coin: 'BTC', mode: 'live' } as const;
    const awaited = async () => finalitiesAwaited(world.wallet.db, chain);
    const [paid, unpaid] = [await world.order({ allowed: ['BTC'] }), await world.order({ allowed: ['BTC'] })];
    await world.poll('BTC');
    world.chains.BTC.mine(world.now(), [creditTo(addressOf(paid, 'BTC'), 50_000_000n)]);
    world.chains.BTC.mine(world.now());
    await world.poll('BTC');
    expect((await world.payment(paid)).status).toBe('completed');
    const quote = async (id: string, finality: Finality) =>
      world.wallet.db
        .updateTable('payment_options')
        .set({ requiredFinality: finality })
        .where('paymentId', '=', id)
        .execute();
    await quote(unpaid.id, 'safe');
    expect(await awaited()).toEqual(['safe']);
    const expired = { status: 'expired' } as const;
    await world.wallet.db.updateTable('payments').set(expired).where('id', '=', unpaid.id).execute();
    expect(await awaited()).toEqual([]);
    await quote(paid.id, 'finalized');
    expect(await awaited()).toEqual(['finalized']);
  } finally {
    await world.close();
  }
});
