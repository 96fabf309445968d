import { afterEach, beforeEach, expect, it } from 'vitest';
import { addressOf, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo } from '../../_helpers/scripted-chain.ts';

/** The price of every order here: 50 USD at 100 USD a coin. */
const DUE = 50_000_000n;

let world: PaymentWorld;

beforeEach(async () => {
  world = await openPaymentWorld();
});
afterEach(async () => world.close());

it('payment.overpaid is emitted once when additional money on a completed payment is settled', async () => {
  const payment = await world.order({ allowed: ['BTC'] });
  const pay = (amount: bigint): unknown =>
    world.chains.BTC.mine(world.now(), [creditTo(addressOf(payment, 'BTC'), amount)]);
  pay(DUE);
  world.chains.BTC.mine(world.now());
  await world.poll('BTC');
  expect((await world.eventsOf(payment)).at(-1)).toBe('completed');
  pay(DUE / 2n);
  await world.poll('BTC');
  expect(await world.eventsOf(payment)).not.toContain('overpaid');
  world.chains.BTC.mine(world.now());
  await world.poll('BTC');
  world.chains.BTC.mine(world.now());
  await world.poll('BTC');
  const events = await world.eventsOf(payment);
  expect(events.filter((type) => type === 'overpaid')).toHaveLength(1);
  expect((await world.payment(payment)).exception).toBe('overpaid');
});

it('payment.overpaid is emitted once for each overpayment when one settles in the block in which another arrives', async () => {
  const payment = await world.order({ allowed: ['BTC'] });
  const pay = (amount: bigint): unknown =>
    world.chains.BTC.mine(world.now(), [creditTo(addressOf(payment, 'BTC'), amount)]);
  pay(2n * DUE);
  pay(DUE);
  await world.poll('BTC');
  expect((await world.eventsOf(payment)).slice(-2)).toEqual(['completed', 'overpaid']);
  world.chains.BTC.mine(world.now());
  await world.poll('BTC');
  world.chains.BTC.mine(world.now());
  await world.poll('BTC');
  expect((await world.eventsOf(payment)).filter((type) => type === 'overpaid')).toHaveLength(2);
});
