import { afterEach, beforeEach, expect, it } from 'vitest';
import type { UnconfirmedCredit } from '../../../src/domain/chain.ts';
import { resolvePayment } from '../../../src/usecases/payments/decide-payment.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { addressOf, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, unconfirmed } from '../../_helpers/scripted-chain.ts';

const PART = 40_000_000n;
let world: PaymentWorld;
let payment: PaymentView;
beforeEach(async () => {
  world = await openPaymentWorld();
  await world.poll();
  payment = await world.order({ allowed: ['BTC'] });
});
afterEach(async () => world.close());

const pays = (amount: bigint): UnconfirmedCredit => unconfirmed(creditTo(addressOf(payment, 'BTC'), amount));

async function see(...credits: readonly UnconfirmedCredit[]): Promise<void> {
  world.advance(1_000);
  world.chains.BTC.unconfirmed = [...credits];
  await world.poll('BTC');
}

async function accept(): Promise<PaymentView> {
  const at = { merchantId: world.wallet.merchant.id, paymentId: payment.id };
  return resolvePayment(world.deps, at, 'accept');
}

async function mine(credit: UnconfirmedCredit): Promise<void> {
  world.chains.BTC.unconfirmed = [];
  world.chains.BTC.mine(world.now(), [credit]);
  await world.poll('BTC');
}

it('acceptance of an unconfirmed underpayment by the merchant waives the amount, not the confirmations', async () => {
  const credit = pays(PART);
  await see(credit);
  expect((await accept()).status).toBe('confirming');
  await mine(credit);
  expect((await world.payment(payment)).status).toBe('confirming');
  world.chains.BTC.mine(world.now());
  await world.poll('BTC');
  expect(await world.payment(payment)).toMatchObject({ status: 'completed', exception: 'underpaid' });
  expect(await world.eventsOf(payment)).toEqual(['created', 'underpaid', 'confirming', 'completed']);
});

it('acceptance of an unconfirmed underpayment stays valid when the payer bumps the fee (RBF)', async () => {
  const [first, second] = [pays(PART), pays(PART)];
  await see(first);
  await accept();
  world.chains.BTC.fates.set(first.ref.txid, 'gone');
  await see(second);
  expect((await world.payment(payment)).status).toBe('confirming');
  await mine(second);
  world.chains.BTC.mine(world.now());
  await world.poll('BTC');
  expect((await world.payment(payment)).status).toBe('completed');
  expect(await world.eventsOf(payment)).toEqual(['created', 'underpaid', 'confirming', 'completed']);
});

it('acceptance of an unconfirmed underpayment ends with an event when an RBF replacement pays less', async () => {
  const first = pays(PART);
  await see(first);
  await accept();
  world.chains.BTC.fates.set(first.ref.txid, 'gone');
  const second = pays(PART - 1n);
  await see(second);
  expect((await world.payment(payment)).status).toBe('underpaid');
  await mine(second);
  world.chains.BTC.mine(world.now());
  await world.poll('BTC');
  expect((await world.payment(payment)).status).toBe('underpaid');
  expect(await world.eventsOf(payment)).toEqual([
    'created',
    'underpaid',
    'confirming',
    'reversed',
    'underpaid',
  ]);
});
