import { afterEach, beforeEach, expect, test } from 'vitest';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, unconfirmed } from '../../_helpers/scripted-chain.ts';

const DUE = 50_000_000n;
const YEAR = 365 * 24 * 60 * MINUTE;
let world: PaymentWorld;

beforeEach(async () => {
  world = await openPaymentWorld();
  // The machine's clock was wrong, and is put right.
  world.advance(YEAR);
  await world.poll();
  world.advance(-YEAR);
});

afterEach(async () => {
  await world.close();
});

test('a payment whose chain was read while the system clock was ahead does not expire early', async () => {
  const payment = await world.order({ allowed: ['BTC'] });
  // The node does not answer any more.
  world.advance(61 * MINUTE);
  expect(world.follower('BTC').seenThrough()).toBeNull();
  expect(await world.expire()).toBe(0);
  expect((await world.payment(payment)).status).toBe('pending');
  await world.poll();
  expect(await world.expire()).toBe(1);
});

test('money that arrived before the deadline is not late when its block is read after the deadline', async () => {
  const payment = await world.order({ allowed: ['BTC'] });
  world.advance(MINUTE);
  world.chains.BTC.mine(world.now(), [creditTo(addressOf(payment, 'BTC'), DUE)]);
  world.chains.BTC.mine(world.now());
  world.advance(90 * MINUTE);
  await world.poll('BTC');
  expect(await world.payment(payment)).toMatchObject({ status: 'completed', exception: null });
});

test('money that was seen while the system clock was ahead is reversed immediately when the node reports it gone', async () => {
  world.advance(YEAR);
  const payment = await world.order({ allowed: ['BTC'] });
  const credit = creditTo(addressOf(payment, 'BTC'), DUE);
  world.chains.BTC.unconfirmed = [unconfirmed(credit)];
  await world.poll('BTC');
  world.advance(-YEAR);
  expect((await world.payment(payment)).status).toBe('confirming');
  world.chains.BTC.unconfirmed = [];
  world.chains.BTC.fates.set(credit.ref.txid, 'gone');
  await world.poll('BTC');
  expect(await world.eventsOf(payment)).toEqual(['created', 'confirming', 'reversed']);
});
