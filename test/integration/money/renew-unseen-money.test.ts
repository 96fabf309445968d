/** A payment that may have been paid is not renewed: a payer must not pay twice because a node lags. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { renewPayment } from '../../../src/usecases/checkout/renew-payment.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, unconfirmed } from '../../_helpers/scripted-chain.ts';

const HALF = 25_000_000n;
let world: PaymentWorld;
beforeEach(async () => {
  world = await openPaymentWorld({ latePolicy: 'review' });
  await world.deps.db.updateTable('merchants').set({ renewExpired: true }).execute();
  await world.poll();
});
afterEach(async () => world.close());

async function renew({ id }: PaymentView): Promise<string | null> {
  return (await renewPayment(world.deps, id, async () => {}))?.paymentId ?? null;
}

/** Late money that is replaced in the mempool by something else: it came, and is gone for good. */
async function comesLateAndGoes(payment: PaymentView): Promise<void> {
  const late = unconfirmed(creditTo(addressOf(payment, 'BTC'), HALF));
  world.chains.BTC.unconfirmed = [late];
  await world.poll('BTC');
  expect(await world.payment(payment)).toMatchObject({ status: 'expired', exception: 'late' });
  world.chains.BTC.unconfirmed = [];
  world.chains.BTC.fates.set(late.ref.txid, 'gone');
  for (let minute = 0; minute < 130; minute += 1) {
    world.advance(MINUTE);
    await world.poll('BTC');
  }
  expect(await world.payment(payment)).toMatchObject({ status: 'expired', exception: 'reversed' });
}

it('renewPayment refuses while blocks are unread in which the payment may have been paid in time', async () => {
  const payment = await world.order({ allowed: ['BTC', 'LTC'] });
  world.advance(30 * MINUTE);
  const paid = creditTo(addressOf(payment, 'LTC'), 2n * HALF);
  world.chains.LTC.mine(world.now(), [paid]);
  // Litecoin's node is away from before that until long after the deadline.
  world.advance(31 * MINUTE);
  await comesLateAndGoes(payment);
  expect(await renew(payment)).toBeNull();
});

it('renewPayment creates a renewal once every chain was read past the deadline without money', async () => {
  const payment = await world.order({ allowed: ['BTC', 'LTC'] });
  world.advance(61 * MINUTE);
  await world.poll('BTC');
  await world.expire();
  expect(await renew(payment)).toBeNull();
  await world.poll('LTC');
  await world.expire();
  expect(await renew(payment)).not.toBeNull();
});
