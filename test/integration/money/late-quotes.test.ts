import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { insertRefundLink } from '../../../src/store/payments/refund-links.ts';
import { readCheckout } from '../../../src/usecases/checkout/read-checkout.ts';
import { quoteLatePayments } from '../../../src/usecases/payments/quote-late-payments.ts';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, freshTxid } from '../../_helpers/scripted-chain.ts';
import { measureCpuMs } from '../../_helpers/timing/cpu-time.ts';

const DUE = 50_000_000n;
let world: PaymentWorld;

beforeEach(async () => {
  world = await openPaymentWorld();
  await world.poll();
});

afterEach(async () => {
  await world.close();
});

const NO_LINK = {
  tokenHash: 'hash',
  tokenSealed: 'sealed',
  currency: 'USD',
  rate: 'current',
  preset: null,
  approval: true,
  deductFee: false,
  requestedBy: 'merchant',
  reason: null,
  status: 'claimed',
  destination: 'payer',
  claimId: 'rcl_1',
  claimChecked: false,
  reopenedBy: null,
  sendId: null,
  problem: null,
  cancelReason: null,
  openedComplete: false,
  claimValue: null,
  claimCompletedJson: null,
  claimByAcceptance: false,
  createdAt: 0,
  updatedAt: 0,
  expiresAt: 0,
  claimedAt: 0,
  approvedAt: null,
  paidAt: null,
} as const;

/** A claim of atoms whose rate is not known, as its link stores it. */
async function claimBy(paymentId: string, atoms: bigint): Promise<void> {
  const link = {
    ...NO_LINK,
    id: 'rfl_claimed',
    merchantId: world.wallet.merchant.id,
    paymentId,
    amount: '50',
    amountsJson: `{"BTC":"${atoms}"}`,
    coin: 'BTC' as const,
    claimed: atoms.toString(),
    claimUnpriced: atoms.toString(),
  };
  await world.wallet.db.transaction(async (tx) => insertRefundLink(tx, link));
}

describe('late money that arrived while no exchange rate was available', () => {
  it('is valued as soon as there is a rate, and completes the payment', async () => {
    const payment = await world.order({ allowed: ['BTC'] });
    world.advance(61 * MINUTE);
    world.rate = null;
    world.chains.BTC.mine(world.now(), [creditTo(addressOf(payment, 'BTC'), DUE)]);
    world.chains.BTC.mine(world.now());
    await world.poll('BTC');
    expect(await world.payment(payment)).toMatchObject({ status: 'expired', exception: 'late' });
    world.rate = '100';
    await quoteLatePayments(world.deps, { coin: 'BTC', mode: 'live' });
    expect(await world.payment(payment)).toMatchObject({ status: 'completed', exception: 'late' });
  });

  it('is valued when a refund of it is claimed, and the value is stored with the claim', async () => {
    const payment = await world.order({ allowed: ['BTC'] });
    world.advance(61 * MINUTE);
    world.rate = null;
    world.chains.BTC.mine(world.now(), [creditTo(addressOf(payment, 'BTC'), DUE)]);
    world.chains.BTC.mine(world.now());
    await world.poll('BTC');
    const { db } = world.wallet;
    await claimBy(payment.id, DUE - 1n);
    world.rate = '100';
    await quoteLatePayments(world.deps, { coin: 'BTC', mode: 'live' });
    const claim = await db
      .selectFrom('refund_links')
      .select(['claimValue', 'claimUnpriced'])
      .executeTakeFirstOrThrow();
    expect(claim).toEqual({ claimValue: `${DUE - 1n}/${DUE}`, claimUnpriced: '0' });
    // One atom is left for the shop.
    expect((await world.payment(payment)).status).toBe('expired');
  });

  it('does not break the checkout page of a completed payment', async () => {
    const payment = await world.order({ allowed: ['BTC', 'LTC'] });
    world.chains.BTC.mine(world.now(), [creditTo(addressOf(payment, 'BTC'), 2n * DUE)]);
    world.chains.BTC.mine(world.now());
    await world.poll('BTC');
    world.advance(61 * MINUTE);
    world.rate = null;
    world.chains.LTC.mine(world.now(), [creditTo(addressOf(payment, 'LTC'), 300n)]);
    world.chains.LTC.mine(world.now());
    await world.poll('LTC');
    const view = await readCheckout({ ...world.deps, payerExplorers: {} }, payment.id);
    expect(view).toMatchObject({ payment: { status: 'completed' }, excess: { coin: 'BTC', amount: '0.5' } });
  });

  it('is valued without delay although hundreds of other outputs cannot be valued', async () => {
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
    await world.poll('BTC');
    world.rate = '100';
    world.unpriced = 'KES';
    await quoteLatePayments(world.deps, { coin: 'BTC', mode: 'live' });
    expect((await world.payment(payment)).status).toBe('completed');
    world.unpriced = null;
    const cpuMs = await measureCpuMs(async () =>
      quoteLatePayments(world.deps, { coin: 'BTC', mode: 'live' }),
    );
    expect(cpuMs).toBeLessThan(3_000);
    const left = await world.wallet.db
      .selectFrom('outputs')
      .select('txid')
      .where('late', '=', true)
      .where('lateDue', 'is', null)
      .execute();
    expect(left).toEqual([]);
  });
});
