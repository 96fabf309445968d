import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Credit } from '../../../src/domain/chain.ts';
import type { MerchantRow } from '../../../src/store/schema/merchants.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { updatePayment } from '../../../src/usecases/payments/update-payment.ts';
import { addressOf, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, unconfirmed } from '../../_helpers/scripted-chain.ts';
import { SECRET_KEY } from '../../_helpers/secret-key.ts';

const DUE = 50_000_000n;
let world: PaymentWorld;
let merchant: MerchantRow;

beforeEach(async () => {
  world = await openPaymentWorld();
  await world.poll();
  merchant = await world.wallet.db.selectFrom('merchants').selectAll().executeTakeFirstOrThrow();
});
afterEach(async () => world.close());

/** Updates the price while `meanwhile` happens between the request and its transaction. */
async function update(
  payment: PaymentView,
  amount: string,
  meanwhile: () => Promise<void>,
): Promise<unknown> {
  const rates = { ...world.deps.rates, ensure: meanwhile };
  const input = { merchant, actor: SECRET_KEY, paymentId: payment.id, amount };
  return updatePayment({ ...world.deps, rates }, input).then(
    () => 'updated',
    (error: unknown) => (error as { code?: string }).code,
  );
}

async function see(credit: Credit): Promise<void> {
  world.chains.BTC.unconfirmed = [unconfirmed(credit)];
  await world.poll('BTC');
}

describe('a price update (PATCH /payment/update) concurrent with incoming money', () => {
  it('is refused when the money is recorded first, and the old price applies', async () => {
    const payment = await world.order({ allowed: ['BTC'] });
    const credit = creditTo(addressOf(payment, 'BTC'), DUE);
    expect(await update(payment, '100.00', async () => see(credit))).toBe('INVALID_STATE');
    expect(await world.payment(payment)).toMatchObject({ amount: '50.00', status: 'confirming' });
    expect(await world.eventsOf(payment)).toEqual(['created', 'confirming']);
  });

  it('succeeds when it is stored first, and the new price applies to the money', async () => {
    const payment = await world.order({ allowed: ['BTC'] });
    const credit = creditTo(addressOf(payment, 'BTC'), DUE);
    expect(await update(payment, '100.00', async () => undefined)).toBe('updated');
    await see(credit);
    expect(await world.payment(payment)).toMatchObject({ amount: '100.00', status: 'underpaid' });
    expect(await world.eventsOf(payment)).toEqual(['created', 'updated', 'underpaid']);
  });

  it('does not reopen a payment that expires at the same time', async () => {
    const payment = await world.order({ allowed: ['BTC'] });
    const answer = await update(payment, '100.00', async () => {
      world.advance(61 * 60_000);
      await world.poll();
      await world.expire();
    });
    expect(answer).toBe('INVALID_STATE');
    expect(await world.payment(payment)).toMatchObject({ amount: '50.00', status: 'expired' });
  });

  it('prevents expiry at the old deadline when it is stored before that', async () => {
    const payment = await world.order({ allowed: ['BTC'] });
    world.advance(59 * 60_000);
    expect(await update(payment, '100.00', async () => undefined)).toBe('updated');
    world.advance(2 * 60_000);
    await world.poll();
    expect(await world.expire()).toBe(0);
    expect(await world.payment(payment)).toMatchObject({ status: 'pending' });
  });
});

it.each([2, 3, 4, 6, 9])(
  'a payment that requires %i confirmations completes at exactly that number, also after an update',
  async (asked) => {
    const payment = await world.order({ allowed: ['BTC'], confirmations: { BTC: asked } });
    expect(await update(payment, '40.00', async () => undefined)).toBe('updated');
    const credit = creditTo(addressOf(payment, 'BTC'), DUE);
    world.chains.BTC.mine(world.now(), [credit]);
    for (let depth = 1; depth < asked; depth += 1) {
      await world.poll('BTC');
      expect(await world.payment(payment)).toMatchObject({ status: 'confirming' });
      world.chains.BTC.mine(world.now());
    }
    await world.poll('BTC');
    expect(await world.payment(payment)).toMatchObject({ status: 'completed' });
  },
);
