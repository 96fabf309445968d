import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quoteLatePayments } from '../../../src/usecases/payments/quote-late-payments.ts';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, freshTxid } from '../../_helpers/scripted-chain.ts';

const DUE = 50_000_000n;
let world: PaymentWorld;

beforeEach(async () => {
  world = await openPaymentWorld();
  await world.look();
});

afterEach(async () => {
  await world.close();
});

describe('late money that came while no rate was to be had', () => {
  it('is priced as soon as there is one, and completes the payment', async () => {
    const payment = await world.order({ allowed: ['BTC'] });
    world.advance(61 * MINUTE);
    world.rate = null;
    world.chains.BTC.mine(world.now(), [creditTo(addressOf(payment, 'BTC'), DUE)]);
    world.chains.BTC.mine(world.now());
    await world.look('BTC');
    expect(await world.payment(payment)).toMatchObject({ status: 'expired', exception: 'late' });
    world.rate = '100';
    await quoteLatePayments(world.deps, { coin: 'BTC', mode: 'live' });
    expect(await world.payment(payment)).toMatchObject({ status: 'completed', exception: 'late' });
  });

  it('is not held up by hundreds of outputs that no source can price', async () => {
    const odd = await world.order({ allowed: ['BTC'] });
    const payment = await world.order({ allowed: ['BTC'] });
    world.advance(61 * MINUTE);
    world.rate = null;
    const txid = freshTxid();
    const dust = Array.from({ length: 1_500 }, (_, index) =>
      creditTo(addressOf(odd, 'BTC'), 300n, txid, index),
    );
    await world.wallet.db.updateTable('payments').set({ currency: 'KES' }).where('id', '=', odd.id).execute();
    world.chains.BTC.mine(world.now(), [...dust, creditTo(addressOf(payment, 'BTC'), DUE)]);
    world.chains.BTC.mine(world.now());
    await world.look('BTC');
    world.rate = '100';
    world.unpriced = 'KES';
    await quoteLatePayments(world.deps, { coin: 'BTC', mode: 'live' });
    expect((await world.payment(payment)).status).toBe('completed');
    world.unpriced = null;
    const startedAt = performance.now();
    await quoteLatePayments(world.deps, { coin: 'BTC', mode: 'live' });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    const left = await world.wallet.db
      .selectFrom('outputs')
      .select('txid')
      .where('late', '=', 1)
      .where('late_due', 'is', null)
      .execute();
    expect(left).toEqual([]);
  });
});
