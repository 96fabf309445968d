import { afterEach, beforeEach, expect, it } from 'vitest';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, unconfirmed } from '../../_helpers/scripted-chain.ts';

const DUE = 50_000_000n;
const FLOOD = 120;
let world: PaymentWorld;

beforeEach(async () => {
  world = await openPaymentWorld();
  await world.poll();
});

afterEach(async () => {
  await world.close();
});

it('thousands of replaced payments are rechecked a few at a time, and all are reversed in the end', async () => {
  const payment = await world.order({ allowed: ['BTC'] });
  const credits = Array.from({ length: FLOOD }, () => unconfirmed(creditTo(addressOf(payment, 'BTC'), DUE)));
  world.chains.BTC.unconfirmed = credits;
  await world.poll('BTC');
  for (const { ref } of credits) world.chains.BTC.fates.set(ref.txid, 'gone');
  world.chains.BTC.unconfirmed = [];
  for (let look = 0; look < 3; look += 1) {
    world.advance(MINUTE);
    await world.poll('BTC');
  }
  expect(world.chains.BTC.rechecked.map(({ length }) => length)).toEqual([50, 50, 20]);
  expect((await world.payment(payment)).options.BTC?.received).toBe('0');
});

it('transactions with unknown status do not prevent the recheck of others', async () => {
  const payment = await world.order({ allowed: ['BTC'] });
  const credits = Array.from({ length: FLOOD }, () => unconfirmed(creditTo(addressOf(payment, 'BTC'), DUE)));
  world.chains.BTC.unconfirmed = credits;
  await world.poll('BTC');
  world.chains.BTC.unconfirmed = [];
  for (let look = 0; look < 3; look += 1) {
    world.advance(MINUTE);
    await world.poll('BTC');
  }
  expect(world.chains.BTC.rechecked.map(({ length }) => length)).toEqual([50, 50, 50]);
  expect(new Set(world.chains.BTC.rechecked.flat()).size).toBe(FLOOD);
  // Two hours in which the node does not have them end them, each when it was asked after.
  for (const { ref } of credits) world.chains.BTC.fates.set(ref.txid, 'absent');
  for (let look = 0; look < 126; look += 1) {
    world.advance(MINUTE);
    await world.poll('BTC');
  }
  expect((await world.payment(payment)).options.BTC?.received).toBe('0');
});
