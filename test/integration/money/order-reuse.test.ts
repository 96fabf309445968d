import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, unconfirmed } from '../../_helpers/scripted-chain.ts';
import { cancelPayment } from '../../../src/usecases/payments/decide-payment.ts';

const DUE = 50_000_000n;
let world: PaymentWorld;

beforeEach(async () => {
  world = await openPaymentWorld();
  await world.poll();
});

afterEach(async () => {
  await world.close();
});

describe('an expired or cancelled payment that is paid after a new one was created with the same order id', () => {
  it('is completed by the money, and the new payment stays pending', async () => {
    const first = await world.order({ orderId: 'A-1' });
    world.advance(61 * MINUTE);
    await world.poll();
    expect(await world.expire()).toBe(1);
    const second = await world.order({ orderId: 'A-1' });
    expect(second.id).not.toBe(first.id);

    const credit = creditTo(addressOf(first, 'BTC'), DUE);
    world.chains.BTC.unconfirmed = [unconfirmed(credit)];
    await world.poll('BTC');
    world.chains.BTC.unconfirmed = [];
    world.chains.BTC.mine(world.now(), [credit]);
    world.chains.BTC.mine(world.now());
    await world.poll('BTC');
    expect(await world.payment(first)).toMatchObject({ status: 'completed', exception: 'late' });
    expect(await world.payment(second)).toMatchObject({ status: 'pending' });
  });

  it('is completed also when the shop had cancelled it', async () => {
    const first = await world.order({ orderId: 'A-2' });
    await cancelPayment(world.deps, { merchantId: world.wallet.merchant.id, paymentId: first.id });
    world.advance(1_000);
    const second = await world.order({ orderId: 'A-2' });
    world.chains.LTC.mine(world.now(), [creditTo(addressOf(first, 'LTC'), DUE)]);
    world.chains.LTC.mine(world.now());
    await world.poll('LTC');
    expect(await world.payment(first)).toMatchObject({ status: 'completed' });
    expect(await world.payment(second)).toMatchObject({ status: 'pending' });
  });

  it('is returned when the shop creates a payment with that order id again', async () => {
    const first = await world.order({ orderId: 'A-3' });
    world.advance(61 * MINUTE);
    await world.poll();
    await world.expire();
    await world.order({ orderId: 'A-3' });
    world.chains.LTC.mine(world.now(), [creditTo(addressOf(first, 'LTC'), DUE)]);
    await world.poll('LTC');
    expect((await world.order({ orderId: 'A-3' })).id).toBe(first.id);
  });
});
