import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { addressOf, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, unconfirmed } from '../../_helpers/scripted-chain.ts';

let world: PaymentWorld;
let payment: PaymentView;

beforeEach(async () => {
  world = await openPaymentWorld();
  await world.poll();
  payment = await world.order({ allowed: ['BTC'] });
});
afterEach(async () => world.close());

it('the fiat value at receipt is stored in addition to the quoted rate, and does not change when a block contains the money', async () => {
  const credit = creditTo(addressOf(payment, 'BTC'), 25_000_000n);
  world.rate = '80';
  world.chains.BTC.unconfirmed = [unconfirmed(credit)];
  await world.poll('BTC');
  expect(await world.payment(payment)).toMatchObject({
    receivedFiat: '25',
    transactions: [{ rate: '80', fiatAmount: '20' }],
  });
  world.rate = '1000';
  world.chains.BTC.unconfirmed = [];
  world.chains.BTC.mine(world.now(), [credit]);
  await world.poll('BTC');
  expect(await world.payment(payment)).toMatchObject({
    receivedFiat: '25',
    transactions: [{ status: 'confirmed', rate: '80', fiatAmount: '20' }],
  });
});

it('the fiat value at receipt is null while no source has a rate', async () => {
  const [first, second] = [1n, 2n].map((part) => creditTo(addressOf(payment, 'BTC'), part * 10_000_000n));
  world.rate = null;
  world.chains.BTC.unconfirmed = [unconfirmed(first!)];
  await world.poll('BTC');
  expect(await world.payment(payment)).toMatchObject({
    receivedFiat: '10',
    transactions: [{ fiatAmount: null, rate: null, rateAt: null }],
  });
  world.rate = '100';
  world.chains.BTC.unconfirmed = [unconfirmed(first!), unconfirmed(second!)];
  await world.poll('BTC');
  const { receivedFiat, transactions } = await world.payment(payment);
  expect(receivedFiat).toBe('30');
  expect(new Set(transactions.map(({ fiatAmount }) => fiatAmount))).toEqual(new Set(['20', null]));
});
