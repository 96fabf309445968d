import { afterEach, beforeEach, expect, it } from 'vitest';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, unconfirmed } from '../../_helpers/scripted-chain.ts';

const HALF = 25_000_000n;
const DAY = 24 * 60 * MINUTE;
let world: PaymentWorld;
beforeEach(async () => {
  world = await openPaymentWorld({ latePolicy: 'review' });
});
afterEach(async () => world.close());

it('money counts as late only once its chain was read past the grace period after the deadline', async () => {
  await world.poll();
  const payment = await world.order({ allowed: ['BTC', 'LTC'] });
  const [bitcoin, litecoin] = [
    creditTo(addressOf(payment, 'BTC'), HALF),
    creditTo(addressOf(payment, 'LTC'), HALF),
  ];
  world.chains.BTC.unconfirmed = [unconfirmed(bitcoin)];
  world.chains.LTC.unconfirmed = [unconfirmed(litecoin)];
  world.advance(30 * MINUTE);
  await world.poll();
  // Litecoin's node is away from here on; its network takes the money in time.
  world.advance(MINUTE);
  world.chains.LTC.unconfirmed = [];
  world.chains.LTC.mine(world.now(), [litecoin]);
  world.advance(30 * MINUTE + DAY);
  await world.poll('BTC');
  await world.expire();
  expect(await world.eventsOf(payment)).toContain('late');
  await world.poll('LTC');
  world.chains.LTC.mine(world.now());
  await world.poll('LTC');
  const outputs = await world.deps.db
    .selectFrom('outputs')
    .select(['coin', 'late'])
    .orderBy('coin')
    .execute();
  expect(outputs).toEqual([
    { coin: 'BTC', late: true },
    { coin: 'LTC', late: false },
  ]);
});

it('a payment with money that is not settled does not end before every chain was read past its deadline', async () => {
  await world.poll();
  const payment = await world.order({ allowed: ['BTC', 'LTC'] });
  world.chains.BTC.unconfirmed = [unconfirmed(creditTo(addressOf(payment, 'BTC'), HALF))];
  world.advance(30 * MINUTE);
  await world.poll('BTC');
  world.chains.LTC.mine(world.now(), [creditTo(addressOf(payment, 'LTC'), 2n * HALF)]);
  world.advance(30 * MINUTE + DAY);
  await world.poll('BTC');
  await world.expire();
  expect((await world.payment(payment)).status).toBe('pending');
  world.chains.LTC.mine(world.now());
  await world.poll('LTC');
  expect((await world.payment(payment)).status).toBe('completed');
});
