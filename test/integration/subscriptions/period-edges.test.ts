/** The end of a period: after a refund, and with money on its way. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renewPayment } from '../../../src/usecases/checkout/renew-payment.ts';
import { resolvePayment } from '../../../src/usecases/payments/decide-payment.ts';
import { payAhead } from '../../../src/usecases/subscriptions/pay-ahead.ts';
import { addressOf } from '../../_helpers/payment-world.ts';
import { creditTo } from '../../_helpers/scripted-chain.ts';
import { SubscriptionWorld } from '../../_helpers/subscription-world.ts';

let world: SubscriptionWorld;
beforeEach(async () => {
  world = await SubscriptionWorld.open();
});
afterEach(async () => world.close());

describe('the paid time of a subscription', () => {
  it('does not include a refunded period when the next period is paid ahead', async () => {
    const { id, portalTokenSealed: token } = await world.subscribe(await world.price('10.00'));
    const first = await world.pay(id);
    await world.pass(1);
    await resolvePayment(world.deps, { merchantId: world.merchantId, paymentId: first }, 'refunded');
    await expect(payAhead(world.deps, token ?? '')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await world.pass(25);
    expect(await world.invoices(id)).toHaveLength(1);
    await world.pass(6);
    const [, next] = await world.invoices(id);
    expect(Date.parse(next?.periodStart ?? '')).toBeLessThanOrEqual(Date.parse(next?.createdAt ?? ''));
  });

  it('continues when money for the next period confirms after a cancellation at the end of the period', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id);
    await world.pass(25);
    await world.act(id, { type: 'cancel', by: 'merchant', atPeriodEnd: true });
    const { openPaymentId, currentPeriodEnd } = await world.read(id);
    world.payments.advance(Date.parse(currentPeriodEnd) - world.payments.now() - 60_000);
    for (const chain of Object.values(world.payments.chains)) chain.mine(world.payments.now());
    await world.payments.poll();
    await world.payments.expire();
    const renewed = await renewPayment(world.deps, openPaymentId ?? '', async () => undefined);
    const paymentId = renewed?.paymentId ?? '';
    const { BTC } = world.payments.chains;
    const address = addressOf(await world.payments.payment({ id: paymentId }), 'BTC');
    BTC.mine(world.payments.now(), [creditTo(address, await world.dueAtoms(paymentId))]);
    await world.payments.poll('BTC');
    world.payments.advance(120_000);
    await world.tick();
    expect(await world.read(id)).toMatchObject({ status: 'active', activeUntil: currentPeriodEnd });
    BTC.mine(world.payments.now());
    BTC.mine(world.payments.now());
    await world.payments.poll('BTC');
    const [, next] = await world.invoices(id);
    expect(await world.read(id)).toMatchObject({ status: 'active', activeUntil: next?.periodEnd });
    await world.pass(32);
    expect(await world.read(id)).toMatchObject({ status: 'ended', activeUntil: next?.periodEnd });
  });
});
