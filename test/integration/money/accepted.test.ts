import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolvePayment } from '../../../src/usecases/payments/decide-payment.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { addressOf, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, unconfirmed } from '../../_helpers/scripted-chain.ts';

const MOST = 40_000_000n;
let world: PaymentWorld;
let payment: PaymentView;

beforeEach(async () => {
  world = await openPaymentWorld();
  await world.poll();
  payment = await world.order({ allowed: ['BTC'] });
  world.chains.BTC.mine(world.now(), [creditTo(addressOf(payment, 'BTC'), MOST)]);
  world.chains.BTC.mine(world.now());
  await world.poll('BTC');
  const accepted = await resolvePayment(
    world.deps,
    { merchantId: world.wallet.merchant.id, paymentId: payment.id },
    'accept',
  );
  expect(accepted.status).toBe('completed');
});

afterEach(async () => {
  await world.close();
});

describe('an underpaid payment that the merchant accepted', () => {
  it('stays completed when money that arrived after the acceptance is reversed', async () => {
    world.advance(1_000);
    const dust = creditTo(addressOf(payment, 'BTC'), 300n);
    world.chains.BTC.unconfirmed = [unconfirmed(dust)];
    await world.poll('BTC');
    world.chains.BTC.unconfirmed = [];
    world.chains.BTC.fates.set(dust.ref.txid, 'gone');
    await world.poll('BTC');
    expect((await world.payment(payment)).status).toBe('completed');
  });

  it('is not completed any more when a reorg drops the accepted money', async () => {
    world.chains.BTC.drop(2);
    world.chains.BTC.mine(world.now());
    world.chains.BTC.mine(world.now());
    world.chains.BTC.mine(world.now());
    const [lost] = (await world.payment(payment)).transactions;
    if (lost !== undefined) world.chains.BTC.fates.set(lost.txid, 'gone');
    await world.poll('BTC');
    expect((await world.payment(payment)).status).toBe('pending');
    expect(await world.eventsOf(payment)).toContain('reversed');
  });
});
