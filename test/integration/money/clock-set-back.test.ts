import { afterEach, beforeEach, expect, test } from 'vitest';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo } from '../../_helpers/scripted-chain.ts';

const DUE = 50_000_000n;
const YEAR = 365 * 24 * 60 * MINUTE;
let world: PaymentWorld;

beforeEach(async () => {
  world = await openPaymentWorld();
  // The machine's clock was wrong, and is put right.
  world.advance(YEAR);
  await world.look();
  world.advance(-YEAR);
});

afterEach(async () => {
  await world.close();
});

test('a look that the clock dates after today ends no payment', async () => {
  const payment = await world.order({ allowed: ['BTC'] });
  // The node does not answer any more.
  world.advance(61 * MINUTE);
  expect(world.follower('BTC').seenThrough()).toBeNull();
  expect(await world.expire()).toBe(0);
  expect((await world.payment(payment)).status).toBe('pending');
  await world.look();
  expect(await world.expire()).toBe(1);
});

test('money that came in time, and is found after it, is not taken for late', async () => {
  const payment = await world.order({ allowed: ['BTC'] });
  world.advance(MINUTE);
  world.chains.BTC.mine(world.now(), [creditTo(addressOf(payment, 'BTC'), DUE)]);
  world.chains.BTC.mine(world.now());
  world.advance(90 * MINUTE);
  await world.look('BTC');
  expect(await world.payment(payment)).toMatchObject({ status: 'completed', exception: null });
});
