/** Money that is refunded, reversed or spent twice: a subscription is entitled to the time whose money is still there. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolvePayment } from '../../../src/usecases/payments/decide-payment.ts';
import { payAhead } from '../../../src/usecases/subscriptions/pay-ahead.ts';
import { findSubscription } from '../../../src/store/subscriptions/subscriptions.ts';
import { SubscriptionWorld } from '../../_helpers/subscription-world.ts';

let world: SubscriptionWorld;
beforeEach(async () => {
  world = await SubscriptionWorld.open();
});
afterEach(async () => world.close());

const balance = async (id: string): Promise<string | undefined> =>
  (await findSubscription(world.deps.db, id))?.balanceMinor;
const lose = async (paymentId: string): Promise<void> => {
  const [transaction] = (await world.payments.payment({ id: paymentId })).transactions;
  await world.lose(transaction?.txid ?? '');
};
const refund = async (paymentId: string): Promise<unknown> =>
  resolvePayment(world.deps, { merchantId: world.merchantId, paymentId }, 'refunded');
const shown = async (id: string): Promise<string[]> =>
  (await world.invoices(id)).map(({ n, due, status }) => `${n}: ${due} ${status}`);
const activeUntil = async (id: string): Promise<number> =>
  Date.parse((await world.read(id)).activeUntil ?? '');
const ends = async (id: string): Promise<number[]> =>
  (await world.invoices(id)).map(({ periodEnd }) => Date.parse(periodEnd));

async function subscribe(interval: 'weekly' | 'monthly' = 'monthly') {
  const { id, portalTokenSealed } = await world.subscribe(await world.price('10.00', interval));
  return { id, ahead: async () => payAhead(world.deps, portalTokenSealed ?? '') };
}
/** Pays a number of periods ahead, each with its own money. */
async function payPeriods(
  { id, ahead }: Awaited<ReturnType<typeof subscribe>>,
  count: number,
): Promise<string[]> {
  const payments = [await world.pay(id)];
  while (payments.length < count) {
    await ahead();
    payments.push(await world.pay(id));
  }
  return payments;
}

describe('a refund of the current period', () => {
  it('ends the entitlement now, and the next period, which is paid, is entitled when it begins', async () => {
    const made = await subscribe();
    const [first] = await payPeriods(made, 2);
    await world.pass(1);
    await refund(first ?? '');
    expect(await activeUntil(made.id)).toBeLessThan(world.payments.now());
    await world.pass(5);
    expect(await world.read(made.id)).toMatchObject({ status: 'past_due' });
    await world.pass(26);
    const [, second] = await ends(made.id);
    expect(await world.read(made.id)).toMatchObject({ status: 'active' });
    expect(await activeUntil(made.id)).toBe(second);
    expect((await world.events(made.id)).slice(-2)).toEqual(['past_due', 'updated']);
  });

  it('is not undone by a payment of the next period', async () => {
    const { id } = await subscribe();
    const first = await world.pay(id);
    await world.pass(25);
    await refund(first);
    await world.pay(id);
    expect(await shown(id)).toEqual(['0: 10 void', '1: 10 paid']);
    expect(await activeUntil(id)).toBeLessThan(world.payments.now());
  });
});

describe('a reversed payment of a period that is followed by paid ones', () => {
  it('leaves that period unpaid, and lapses when the next paid one begins', async () => {
    const made = await subscribe('weekly');
    const payments = await payPeriods(made, 4);
    await lose(payments[1] ?? '');
    const [first, , , last] = await ends(made.id);
    expect(await activeUntil(made.id)).toBe(first);
    await world.pass(8);
    expect(await world.read(made.id)).toMatchObject({ status: 'past_due' });
    expect(await activeUntil(made.id)).toBe(first);
    await world.pass(7);
    expect(await world.read(made.id)).toMatchObject({ status: 'active', openPaymentId: null });
    expect(await activeUntil(made.id)).toBe(last);
    expect(await shown(made.id)).toEqual(['0: 10 paid', '1: 10 void', '2: 10 paid', '3: 10 paid']);
    await world.pass(14);
    expect((await shown(made.id)).at(-1)).toBe('4: 10 open');
  });

  it('is entitled again when it is paid again before it lapses', async () => {
    const made = await subscribe('weekly');
    const payments = await payPeriods(made, 3);
    await lose(payments[1] ?? '');
    await world.pass(8);
    await world.pay(made.id);
    expect(await activeUntil(made.id)).toBe((await ends(made.id))[2]);
  });
});

describe('money that was credit and is spent twice', () => {
  it('takes back twenty periods that were paid ahead from it', async () => {
    const { id, ahead } = await subscribe();
    const first = await world.pay(id, 2_100n);
    for (let n = 1; n <= 20; n += 1) await ahead();
    expect(await world.invoices(id)).toHaveLength(21);
    await lose(first);
    expect(await activeUntil(id)).toBeLessThanOrEqual(world.payments.now());
    expect(await world.read(id)).toMatchObject({ credit: '0' });
    expect(await balance(id)).toBe('0');
    await world.pass(8);
    expect(await world.read(id)).toMatchObject({ status: 'ended' });
  });

  it('leaves the periods that other money has paid, and invoices the others again on their days', async () => {
    const { id, ahead } = await subscribe('weekly');
    await world.pay(id);
    await ahead();
    const second = await world.pay(id, 400n);
    for (let n = 2; n <= 4; n += 1) await ahead();
    await ahead();
    await world.pay(id);
    const [end0, end1, end2] = await ends(id);
    await lose(second);
    // Period 1 is due again; the money of period 5 pays the one after it.
    expect(await shown(id)).toEqual([
      '0: 10 paid',
      '1: 10 open',
      '2: 0 void',
      '3: 0 void',
      '4: 0 void',
      '5: 10 paid',
    ]);
    expect((await world.invoices(id))[5]).toMatchObject({ periodStart: new Date(end1 ?? 0).toISOString() });
    expect(await activeUntil(id)).toBe(end0);
    await world.pay(id);
    expect(await activeUntil(id)).toBe(end2);
    await world.pass(15);
    const next = (await world.invoices(id))[6];
    expect(next).toMatchObject({ n: 6, due: '10', periodStart: new Date(end2 ?? 0).toISOString() });
  });

  it('takes back a period of which it paid nearly all, and credits the rest of its money', async () => {
    const { id } = await subscribe();
    const first = await world.pay(id, 190n);
    await world.pass(25);
    const second = await world.pay(id);
    expect(await shown(id)).toEqual(['0: 10 paid', '1: 1 paid']);
    await lose(first);
    expect(await shown(id)).toEqual(['0: 10 open', '1: 1 void']);
    expect(await balance(id)).toBe('100');
    await refund(second);
    expect(await balance(id)).toBe('0');
  });

  it('does not pay an invoice that had reserved it', async () => {
    const { id } = await subscribe();
    const first = await world.pay(id, 190n);
    await world.pass(25);
    await lose(first);
    await world.pay(id);
    const { openPaymentId } = await world.read(id);
    await world.send(openPaymentId ?? '');
    expect(await shown(id)).toEqual(['0: 10 paid', '1: 1 void']);
    expect(await activeUntil(id)).toBe((await ends(id))[0]);
    await world.tick();
    expect((await shown(id)).at(-1)).toBe('2: 9 open');
    expect((await world.invoices(id))[2]).toMatchObject({
      periodStart: (await world.invoices(id))[1]?.periodStart,
    });
  });

  it('takes back the paid time of a paused and of a cancelled subscription', async () => {
    for (const action of ['pause', 'cancel'] as const) {
      const { id, ahead } = await subscribe();
      const first = await world.pay(id, 500n);
      for (let n = 1; n <= 4; n += 1) await ahead();
      await world.act(
        id,
        action === 'pause'
          ? { type: 'pause', by: 'payer' }
          : { type: 'cancel', by: 'payer', atPeriodEnd: false },
      );
      await lose(first);
      expect(await balance(id)).toBe('0');
      if (action === 'pause') await world.act(id, { type: 'resume', by: 'payer' });
      await world.tick();
      expect(await activeUntil(id)).toBeLessThanOrEqual(world.payments.now());
    }
  });
});
