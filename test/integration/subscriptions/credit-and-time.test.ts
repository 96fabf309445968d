/** A subscription yields no credit, time or money that was not paid for. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadPayment } from '../../../src/usecases/payments/index.ts';
import { resolvePayment } from '../../../src/usecases/payments/decide-payment.ts';
import { readExcess } from '../../../src/usecases/refunds/index.ts';
import { renewDueSubscriptions } from '../../../src/usecases/subscriptions/renew-due-subscriptions.ts';
import { findWaitingPayment } from '../../../src/store/attention/waiting-payments.ts';
import { findPayment } from '../../../src/store/payments/payments.ts';
import { findSubscription } from '../../../src/store/subscriptions/subscriptions.ts';
import { SubscriptionWorld } from '../../_helpers/subscription-world.ts';

const DAY = 86_400_000;
let world: SubscriptionWorld;
beforeEach(async () => {
  world = await SubscriptionWorld.open();
});
afterEach(async () => world.close());

/** Positive is credit, negative a debt, in minor units. */
const balance = async (id: string): Promise<string | undefined> =>
  (await findSubscription(world.deps.db, id))?.balanceMinor;
const txid = async (paymentId: string): Promise<string> =>
  (await world.payments.payment({ id: paymentId })).transactions[0]?.txid ?? '';
const amounts = async (id: string): Promise<string[]> =>
  (await world.invoices(id)).map(({ n, due, status }) => `${n}: ${due} ${status}`);

describe('edits of price or quantity, which create no credit that was not paid,', () => {
  it('leave the balance at zero after interval and quantity were changed and changed back in a paid period', async () => {
    const [monthly, yearly] = [await world.price('10.00'), await world.price('100.00', 'yearly')];
    const { id } = await world.subscribe(monthly);
    await world.pay(id);
    await world.edit(id, { priceId: yearly, quantity: 100 });
    await world.edit(id, { priceId: monthly });
    await world.edit(id, { quantity: 1 });
    expect(await balance(id)).toBe('0');
  });

  it('leave the balance at zero when the quantity changes by one', async () => {
    const { id } = await world.subscribe(await world.price('1', 'monthly', 'JPY'), { quantity: 1000 });
    await world.pay(id);
    world.payments.advance(2_000);
    for (const quantity of [1001, 1002, 1003, 1000]) await world.edit(id, { quantity });
    expect(await balance(id)).toBe('0');
  });

  it('do not change the price of an invoice that has unconfirmed money', async () => {
    const [cheap, dear] = [await world.price('10.00'), await world.price('100.00')];
    const { id } = await world.subscribe(cheap);
    const { openPaymentId } = await world.read(id);
    await world.send(openPaymentId ?? '', 1n);
    await world.edit(id, { priceId: dear });
    await world.pay(id);
    expect(await amounts(id)).toEqual(['0: 10 paid']);
    await world.edit(id, { priceId: cheap });
    // What was sent beyond the price.
    expect(Number(await balance(id))).toBeLessThanOrEqual(10);
  });

  it('leave the balance at zero when the whole invoice is refunded afterwards', async () => {
    const [dear, cheap] = [await world.price('100.00'), await world.price('1.00')];
    const { id } = await world.subscribe(dear);
    const first = await world.pay(id);
    await world.edit(id, { priceId: cheap });
    await resolvePayment(world.deps, { merchantId: world.merchantId, paymentId: first }, 'refunded');
    expect(await balance(id)).toBe('0');
  });

  it('after a pause count for the rest of the paid period, without the time of the pause', async () => {
    const [cheap, dear] = [await world.price('10.00'), await world.price('100.00')];
    const { id } = await world.subscribe(cheap);
    await world.pay(id);
    await world.pass(1);
    await world.act(id, { type: 'pause', by: 'merchant' });
    await world.pass(300);
    await world.act(id, { type: 'resume', by: 'merchant' });
    await world.edit(id, { priceId: dear });
    const debt = -Number(await balance(id)) / 100;
    const { currentPeriodEnd } = await world.read(id);
    const left = (Date.parse(currentPeriodEnd) - world.payments.now()) / DAY;
    // A month has 28 to 31 days, and one passed before the pause.
    expect(left).toBeGreaterThan(26.9);
    expect(debt).toBeGreaterThan((90 * 27) / 28 - 0.1);
    expect(debt).toBeLessThan((90 * 30) / 31 + 0.1);
    await world.edit(id, { priceId: cheap });
    expect(await balance(id)).toBe('0');
  });

  it('apply to an open invoice whose payment has expired, so that money for the former price does not pay it', async () => {
    await world.set({ latePolicy: 'accept' });
    const { id } = await world.subscribe(await world.price('10.00'));
    const { openPaymentId: first } = await world.read(id);
    const former = await world.dueAtoms(first ?? '');
    await world.pass(1);
    await world.edit(id, { quantity: 3 });
    await world.sendAtoms(first ?? '', former);
    expect(await amounts(id)).toEqual(['0: 30 open']);
    await world.sendAtoms(first ?? '', 2n * former);
    expect(await amounts(id)).toEqual(['0: 30 paid']);
    expect(await balance(id)).toBe('0');
  });

  it('do not lower an open invoice when the interval was changed before', async () => {
    const [monthly, yearly] = [await world.price('10.00'), await world.price('100.00', 'yearly')];
    const { id } = await world.subscribe(yearly);
    await world.edit(id, { priceId: monthly });
    await world.edit(id, { quantity: 2 });
    expect(await amounts(id)).toEqual(['0: 100 open']);
  });
});

describe('money paid in excess of a subscription invoice', () => {
  it('cannot be refunded or claimed after it became credit', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    const first = await world.pay(id, 300n);
    const shop = { merchantId: world.merchantId, mode: 'live' } as const;
    expect(await findWaitingPayment(world.deps.db, shop, first)).toBeUndefined();
    const row = await findPayment(world.deps.db, first);
    if (row === undefined) throw new Error('the payment is gone');
    expect(readExcess(await loadPayment(world.deps.db, world.deps, row))).toBeNull();
  });

  it('can be refunded in a shop that does not turn an excess into credit', async () => {
    await world.set({ excessToCredit: false });
    const { id } = await world.subscribe(await world.price('10.00'));
    const first = await world.pay(id, 300n);
    const shop = { merchantId: world.merchantId, mode: 'live' } as const;
    expect(await findWaitingPayment(world.deps.db, shop, first)).toMatchObject({ exception: 'overpaid' });
  });

  it('becomes credit after the end of the subscription, also for an invoice that was paid before a reversal', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    const first = await world.pay(id);
    await world.lose(await txid(first));
    expect((await world.invoices(id))[0]).toMatchObject({ status: 'open', paidAt: null });
    await world.pass(1);
    await world.pass(50);
    expect((await world.read(id)).status).toBe('ended');
    await world.send(first);
    expect((await world.events(id)).slice(-2)).toEqual(['ended', 'updated']);
    expect(await world.read(id)).toMatchObject({ status: 'ended', credit: '10' });
    await resolvePayment(world.deps, { merchantId: world.merchantId, paymentId: first }, 'refunded');
    expect((await world.read(id)).credit).toBe('0');
  });

  it('becomes credit when credit has paid the invoice meanwhile', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    const { openPaymentId } = await world.read(id);
    await world.credit(id, '10');
    await world.send(openPaymentId ?? '');
    expect(await amounts(id)).toEqual(['0: 0 paid']);
    expect(await world.read(id)).toMatchObject({ status: 'active', credit: '10' });
    await world.lose(await txid(openPaymentId ?? ''));
    expect(await amounts(id)).toEqual(['0: 0 paid']);
    expect(await world.read(id)).toMatchObject({ status: 'active', credit: '0' });
  });
});

describe('credit that an invoice has used', () => {
  it('returns when a reorg drops the money of the invoice during a pause, and the money becomes credit if it confirms again', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id, 130n);
    await world.pass(25);
    const second = await world.pay(id);
    await world.act(id, { type: 'pause', by: 'merchant' });
    await world.lose(await txid(second));
    expect(await amounts(id)).toEqual(['0: 10 paid', '1: 7 void']);
    expect(await balance(id)).toBe('300');
    await world.send(second);
    expect(await balance(id)).toBe('1000');
  });

  it('does not cover a remainder that is too large for every coin', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id, 130n);
    world.payments.rate = '0.0000001';
    await world.pass(25);
    expect(await amounts(id)).toEqual(['0: 10 paid']);
    expect(await balance(id)).toBe('300');
  });
});

describe('an unpaid subscription that a link started', () => {
  it('is returned again, but not after its price was changed', async () => {
    const priceId = await world.price('10.00');
    const byLink = { actor: { kind: 'link', id: 'link_1', role: null }, reusesUnpaid: true } as const;
    const { id } = await world.subscribe(priceId, byLink);
    expect((await world.subscribe(priceId, byLink)).id).toBe(id);
    await world.deps.db.updateTable('prices').set({ amount: '30.00' }).where('id', '=', priceId).execute();
    const dearer = await world.subscribe(priceId, byLink);
    expect((await world.read(dearer.id)).amount).toBe('30');
    expect((await world.subscribe(priceId, byLink)).id).toBe(dearer.id);
  });
});

describe('the order id of an invoice', () => {
  it('is rejected for any other payment of the shop, so that the invoice can be created', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id);
    const taken = world.payments.order({ orderId: `${id}/1`, amount: '1.00' });
    await expect(taken).rejects.toMatchObject({ code: 'VALIDATION_INVALID' });
    expect(await world.payments.order({ orderId: 'sub_other/1' })).toMatchObject({ orderId: 'sub_other/1' });
    await world.pass(25);
    expect(await amounts(id)).toEqual(['0: 10 paid', '1: 10 open']);
  });
});

describe('the paid time of a subscription', () => {
  it('is not extended by pauses', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id);
    const at = world.payments.now();
    const before = Date.parse((await world.read(id)).activeUntil ?? '');
    for (const _ of Array.from({ length: 20 })) {
      await world.act(id, { type: 'pause', by: 'merchant' });
      world.payments.advance(1);
      await world.act(id, { type: 'resume', by: 'merchant' });
    }
    const gained = Date.parse((await world.read(id)).activeUntil ?? '') - before;
    expect(gained).toBeLessThanOrEqual(world.payments.now() - at + 1_000);
  });

  it('continues while no invoice can be created for lack of a rate, and the invoice follows later', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id);
    world.payments.rate = null;
    await world.pass(45);
    expect(await world.read(id)).toMatchObject({ status: 'past_due', openPaymentId: null });
    world.payments.rate = '100';
    await world.pass(1);
    await world.pay(id);
    expect((await world.read(id)).openPaymentId).toBeNull();
    expect((await world.events(id)).slice(-3)).toEqual(['past_due', 'invoiced', 'renewed']);
  });

  it('begins on the day on which the trial was to end, also after the interval was edited', async () => {
    const { id } = await world.subscribe(await world.price('10.00'), { trialDays: 5 });
    await world.edit(id, { priceId: await world.price('100.00', 'yearly') });
    await world.pass(6);
    expect((await world.read(id)).status).toBe('past_due');
  });

  it('ends when the payment is reversed, also after the interval was edited', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    const first = await world.pay(id);
    await world.edit(id, { priceId: await world.price('100.00', 'yearly') });
    await world.lose(await txid(first));
    await world.pass(1);
    expect((await world.read(id)).status).toBe('past_due');
  });

  it('is invoiced for all due subscriptions with one rate request per currency', async () => {
    const price = await world.price('10.00');
    for (const email of ['a@example.com', 'b@example.com', 'c@example.com']) {
      const { id } = await world.subscribe(price, { payer: { kind: 'email', email, metadata: {} } });
      await world.pay(id);
    }
    const asked: string[] = [];
    const { rates } = world.deps;
    const counting = {
      ...rates,
      ensure: async (currency: string) => {
        asked.push(currency);
        return rates.ensure(currency);
      },
    };
    world.payments.advance(25 * 86_400_000);
    expect(
      await renewDueSubscriptions({ ...world.deps, rates: counting }, new AbortController().signal),
    ).toBe(3);
    expect(asked).toEqual(['USD']);
  });
});
