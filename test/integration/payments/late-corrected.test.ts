import { afterEach, beforeEach, expect, it } from 'vitest';
import type { BlockTimes } from '../../../src/domain/block-times.ts';
import type { Credit } from '../../../src/domain/chain.ts';
import { recordBlock } from '../../../src/usecases/chain-sync/record-block.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, unconfirmed } from '../../_helpers/scripted-chain.ts';

const CHAIN = { coin: 'BTC', mode: 'live' } as const;
const DUE = 50_000_000n;
let world: PaymentWorld;
let payment: PaymentView;
let credit: Credit;
let deadline: number;

beforeEach(async () => {
  world = await openPaymentWorld();
  await world.poll();
  payment = await world.order({ allowed: ['BTC'] });
  deadline = world.now() + 60 * MINUTE;
  credit = creditTo(addressOf(payment, 'BTC'), DUE);
  world.rate = '50';
  world.advance(62 * MINUTE);
  world.chains.BTC.unconfirmed = [unconfirmed(credit)];
  await world.poll('BTC');
  expect(await world.payment(payment)).toMatchObject({ exception: 'late' });
});
afterEach(async () => world.close());

async function minedAt(timeMs: number, blockTimes: BlockTimes): Promise<PaymentView> {
  world.chains.BTC.unconfirmed = [];
  for (const block of [world.chains.BTC.mine(timeMs, [credit]), world.chains.BTC.mine(world.now())])
    expect(await recordBlock(world.deps, CHAIN, block, { cameAfter: null, blockTimes })).toBe(true);
  return world.payment(payment);
}

it('a late payment becomes on time when the exact time of its block is before the deadline', async () => {
  expect(await minedAt(deadline - 1_000, 'exact')).toMatchObject({ status: 'completed', exception: null });
  // What was written down says the same as what was told.
  expect(await world.eventsOf(payment)).toEqual(['created', 'late', 'confirming', 'completed']);
  const row = await world.wallet.db.selectFrom('outputs').select(['late', 'lateDue']).executeTakeFirst();
  expect(row).toEqual({ late: false, lateDue: null });
});

it.each([
  ['came after the deadline', 'exact', 1_000],
  ['has a time that its miner chose', 'rough', -1_000],
] as const)('a late payment stays late when its block %s', async (_what, blockTimes, afterMs) => {
  expect(await minedAt(deadline + afterMs, blockTimes)).toMatchObject({
    status: 'expired',
    exception: 'late',
  });
});
