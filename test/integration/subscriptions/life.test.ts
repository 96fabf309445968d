/** Subscriptions on real payments: each period is invoiced once, and what is paid for is what counts. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Chains } from '../../../src/domain/chains.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { creditSubscription } from '../../../src/usecases/subscriptions/credit-subscription.ts';
import { renewPayment } from '../../../src/usecases/checkout/renew-payment.ts';
import { cancelPayment } from '../../../src/usecases/payments/decide-payment.ts';
import { SubscriptionWorld } from '../../_helpers/subscription-world.ts';

let world: SubscriptionWorld;
beforeEach(async () => {
  world = await SubscriptionWorld.open();
});
afterEach(async () => world.close());

const credit = async (
  id: string,
  amount: string,
  { isCorrection = false, chains = world.deps.chains }: { isCorrection?: boolean; chains?: Chains } = {},
): Promise<unknown> =>
  creditSubscription(
    { ...world.deps, chains },
    { merchantId: world.merchantId, subscriptionId: id, amount, isCorrection, note: 'A note' },
  );
const amounts = async (id: string): Promise<string[]> =>
  (await world.invoices(id)).map(
    ({ n, amount, creditApplied, due, status }) => `${n}: ${amount} - ${creditApplied} = ${due} ${status}`,
  );

describe('a subscription whose invoices are paid', () => {
  it('is active until the end of the paid period, and gets the next invoice a week before', async () => {
    const { id } = await world.subscribe(await world.price('10.00'), { quantity: 2 });
    expect(await world.read(id)).toMatchObject({
      status: 'past_due',
      openPaymentId: expect.stringMatching(/^pay_/),
    });
    const first = await world.pay(id);
    const paid = await world.read(id);
    expect(paid).toMatchObject({ status: 'active', openPaymentId: null, activeUntil: paid.currentPeriodEnd });
    expect(await world.payments.payment({ id: first })).toMatchObject({
      orderId: `${id}/0`,
      amount: '20',
      metadata: { subscriptionId: id },
      status: 'completed',
    });
    await world.pass(20);
    expect(await amounts(id)).toEqual(['0: 20 - 0 = 20 paid']);
    await world.pass(5);
    expect(await amounts(id)).toEqual(['0: 20 - 0 = 20 paid', '1: 20 - 0 = 20 open']);
    await world.pay(id);
    expect(await world.events(id)).toEqual(['created', 'invoiced', 'renewed', 'invoiced', 'renewed']);
    expect((await world.read(id)).activeUntil).toBe((await world.invoices(id))[1]?.periodEnd);
  });

  it('credits an overpayment to the next invoice', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id, 130n);
    expect((await world.read(id)).credit).toBe('3');
    await world.pass(25);
    expect(await amounts(id)).toEqual(['0: 10 - 0 = 10 paid', '1: 10 - 3 = 7 open']);
    expect((await world.read(id)).credit).toBe('0');
  });

  it('does not credit an overpayment when the shop has disabled that', async () => {
    await world.set({ excessToCredit: false });
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id, 130n);
    expect(await world.read(id)).toMatchObject({ status: 'active', credit: '0' });
  });

  it('is renewed without a payment when credit covers the invoice', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id, 250n);
    await world.pass(25);
    expect(await amounts(id)).toEqual(['0: 10 - 0 = 10 paid', '1: 10 - 10 = 0 paid']);
    expect((await world.invoices(id))[1]).toMatchObject({ paymentId: null });
    expect(await world.read(id)).toMatchObject({ credit: '5', status: 'active', openPaymentId: null });
    expect((await world.events(id)).slice(-2)).toEqual(['invoiced', 'renewed']);
  });

  it('asks again for credit that was spent and whose money a reorg dropped, before its period counts', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    const first = await world.pay(id, 150n);
    await world.pass(25);
    expect(await amounts(id)).toEqual(['0: 10 - 0 = 10 paid', '1: 10 - 5 = 5 open']);
    const [transaction] = (await world.payments.payment({ id: first })).transactions;
    await world.lose(transaction?.txid ?? '');
    expect(await amounts(id)).toEqual(['0: 10 - 0 = 10 open', '1: 10 - 5 = 5 open']);
    expect(await world.read(id)).toMatchObject({ credit: '0', openPaymentId: first });
    await world.pay(id);
    const { openPaymentId } = await world.read(id);
    await world.send(openPaymentId ?? '');
    await world.tick();
    expect((await amounts(id)).slice(1)).toEqual(['1: 10 - 5 = 5 void', '2: 10 - 5 = 5 open']);
    const [, taken, again] = await world.invoices(id);
    expect(again?.periodStart).toBe(taken?.periodStart);
  });
});

describe('a subscription whose invoice is not paid', () => {
  it('renews the quote of its invoice until the grace period is over, then ends', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    const { openPaymentId: first } = await world.read(id);
    await world.pass(1);
    world.payments.rate = '200';
    const renewed = await renewPayment(world.deps, first ?? '', async () => undefined);
    expect(renewed).toMatchObject({ isNew: true });
    expect(await world.read(id)).toMatchObject({ status: 'past_due', openPaymentId: renewed?.paymentId });
    await world.pass(3);
    expect((await world.read(id)).status).toBe('past_due');
    await world.pass(4);
    expect(await world.read(id)).toMatchObject({ status: 'ended', openPaymentId: null, nextInvoiceAt: null });
    expect(await amounts(id)).toEqual(['0: 10 - 0 = 10 void']);
    expect(await world.events(id)).toEqual(['created', 'invoiced', 'ended']);
    await world.pass(400);
    expect(await world.invoices(id)).toHaveLength(1);
  });

  it('gets credit for money that arrives after its end, and stays ended', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    const { openPaymentId } = await world.read(id);
    await world.pass(8);
    await world.send(openPaymentId ?? '');
    expect(await world.read(id)).toMatchObject({ status: 'ended', credit: '10' });
    expect((await world.events(id)).slice(-2)).toEqual(['ended', 'updated']);
  });

  it('gets credit for a partial payment when its grace period ends', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id, 40n);
    await world.pass(8);
    expect(await world.read(id)).toMatchObject({ status: 'ended', credit: '4' });
  });

  it('is invoiced once for the first missed period after a downtime', async () => {
    const { id } = await world.subscribe(await world.price('10.00', 'daily'));
    await world.pay(id);
    await world.pass(40);
    const invoices = await world.invoices(id);
    expect(invoices.map(({ n, status }) => `${n} ${status}`)).toEqual(['0 paid', '1 open']);
    expect((await world.read(id)).status).toBe('past_due');
  });

  it('does not allow cancelling the payment of its open invoice', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    const { openPaymentId } = await world.read(id);
    const at = { merchantId: world.merchantId, paymentId: openPaymentId ?? '' };
    await expect(cancelPayment(world.deps, at)).rejects.toThrow(/open invoice/);
  });
});

describe('credit of a subscription', () => {
  it('lowers an open invoice without money, and pays it when the credit covers it', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    const { openPaymentId } = await world.read(id);
    await credit(id, '4');
    expect(await amounts(id)).toEqual(['0: 10 - 4 = 6 open']);
    expect(await world.payments.payment({ id: openPaymentId ?? '' })).toMatchObject({ amount: '6' });
    await credit(id, '7');
    expect(await amounts(id)).toEqual(['0: 10 - 10 = 0 paid']);
    expect(await world.read(id)).toMatchObject({ status: 'active', credit: '1', openPaymentId: null });
    expect(await world.payments.payment({ id: openPaymentId ?? '' })).toMatchObject({ status: 'cancelled' });
  });

  it('does not change an invoice with money, and can be corrected down to zero', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id, 50n);
    await credit(id, '4');
    expect(await amounts(id)).toEqual(['0: 10 - 0 = 10 open']);
    expect((await world.read(id)).credit).toBe('4');
    await expect(credit(id, '4.01', { isCorrection: true })).rejects.toThrow(AppError);
    await credit(id, '4', { isCorrection: true });
    expect((await world.read(id)).credit).toBe('0');
  });

  it('pays an invoice whose remainder is too small for any coin, and adds the remainder to the next one', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    const chains: Chains = {
      get: (coin, mode) => {
        const adapter = world.deps.chains.get(coin, mode);
        return adapter === null ? null : { ...adapter, minimumPayment: 1_000_000n };
      },
    };
    await credit(id, '9.99', { chains });
    expect(await world.read(id)).toMatchObject({ status: 'active', credit: '0' });
    await world.pass(25);
    expect((await amounts(id))[1]).toBe('1: 10.01 - 0 = 10.01 open');
  });
});

describe('an edited subscription', () => {
  it('gets credit for the rest of its paid period when the price falls, and owes the rest when it rises', async () => {
    const { id } = await world.subscribe(await world.price('31.00'));
    await world.pay(id);
    await world.pass(15);
    const period = await world.read(id);
    const [start, end] = [Date.parse(period.currentPeriodStart), Date.parse(period.currentPeriodEnd)];
    const left = Math.floor((end - world.payments.now()) / 1000) / ((end - start) / 1000);
    const cents = (change: number): number => Math.floor(change * 100 * left) / 100;
    await world.edit(id, { priceId: await world.price('21.00') });
    expect(Number((await world.read(id)).credit)).toBe(cents(10));
    await world.edit(id, { quantity: 2 });
    expect((await world.read(id)).credit).toBe('0');
    await world.pass(10);
    const debt = cents(11);
    expect((await world.invoices(id))[1]).toMatchObject({
      amount: String(42 + debt),
      due: String(42 + debt),
    });
  });

  it('gets a new quote while its invoice has no money, and rejects another currency', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.edit(id, { quantity: 3 });
    expect(await amounts(id)).toEqual(['0: 30 - 0 = 30 open']);
    const { openPaymentId } = await world.read(id);
    expect(await world.payments.payment({ id: openPaymentId ?? '' })).toMatchObject({ amount: '30' });
    await expect(world.edit(id, { priceId: await world.price('10.00', 'monthly', 'EUR') })).rejects.toThrow(
      /USD/,
    );
    await expect(world.edit(id, { priceId: await world.price('10.00', null) })).rejects.toThrow(/recurring/);
  });

  it('changes its interval with the next period', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id);
    const { currentPeriodEnd } = await world.read(id);
    await world.edit(id, { priceId: await world.price('100.00', 'yearly') });
    expect(await world.read(id)).toMatchObject({
      interval: 'yearly',
      credit: '0',
      activeUntil: currentPeriodEnd,
    });
    await world.pass(25);
    const [, next] = await world.invoices(id);
    expect(next).toMatchObject({ due: '100', periodStart: currentPeriodEnd });
    expect(Number(next?.periodEnd.slice(0, 4))).toBe(Number(currentPeriodEnd.slice(0, 4)) + 1);
  });
});

describe('a paused or cancelled subscription', () => {
  it('voids its open invoice, returns the credit, and keeps the remaining paid time', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id, 120n);
    await world.pass(25);
    const { openPaymentId } = await world.read(id);
    await world.act(id, { type: 'pause', by: 'merchant' });
    expect(await world.read(id)).toMatchObject({ status: 'paused', credit: '2', openPaymentId: null });
    expect(await world.payments.payment({ id: openPaymentId ?? '' })).toMatchObject({ status: 'cancelled' });
    await world.pass(50);
    expect(await world.invoices(id)).toHaveLength(2);
    const [before] = await world.invoices(id);
    await world.act(id, { type: 'resume', by: 'merchant' });
    const [after] = await world.invoices(id);
    expect(Date.parse(after?.periodEnd ?? '') - Date.parse(before?.periodEnd ?? '')).toBeGreaterThanOrEqual(
      50 * 86_400_000,
    );
    expect(await world.read(id)).toMatchObject({ status: 'active', activeUntil: after?.periodEnd });
    await world.tick();
    expect(await amounts(id)).toEqual(['0: 10 - 0 = 10 paid', '1: 10 - 2 = 8 void', '2: 10 - 2 = 8 open']);
  });

  it('ends with the paid period when cancelled', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id);
    const { currentPeriodEnd } = await world.read(id);
    await world.act(id, { type: 'cancel', by: 'merchant', atPeriodEnd: false });
    expect(await world.read(id)).toMatchObject({ status: 'cancelled', activeUntil: currentPeriodEnd });
    await expect(world.act(id, { type: 'pause', by: 'merchant' })).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });
    await world.pass(40);
    expect(await world.read(id)).toMatchObject({ status: 'ended', activeUntil: currentPeriodEnd });
    expect(await world.invoices(id)).toHaveLength(1);
  });
});

describe('the creation of a subscription', () => {
  it.each([
    ['a start in the past', { startAt: Date.now() - 86_400_000 }],
    ['a start more than two years ahead', { startAt: Date.now() + 800 * 86_400_000 }],
    ['a payer without an address', { payer: { kind: 'anonymous' } as const }],
  ])('is rejected for %s', async (_, more) => {
    const price = await world.price('10.00');
    await expect(world.subscribe(price, more)).rejects.toMatchObject({ code: 'VALIDATION_INVALID' });
  });
});
