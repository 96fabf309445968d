/** Orders of payments, edits and races that could give time or credit away. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolvePayment } from '../../../src/usecases/payments/decide-payment.ts';
import { payAhead } from '../../../src/usecases/subscriptions/pay-ahead.ts';
import { actInPortal } from '../../../src/usecases/subscriptions/portal-actions.ts';
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
const shown = async (id: string): Promise<string[]> =>
  (await world.invoices(id)).map(({ n, due, status }) => `${n}: ${due} ${status}`);
const activeUntil = async (id: string): Promise<number> =>
  Date.parse((await world.read(id)).activeUntil ?? '');
const ends = async (id: string): Promise<number[]> =>
  (await world.invoices(id)).map(({ periodEnd }) => Date.parse(periodEnd));

describe('a payment of a later period', () => {
  it('does not entitle to the period before it, whose money was reversed', async () => {
    const { id, portalTokenSealed: token } = await world.subscribe(await world.price('10.00', 'weekly'));
    const payments = [await world.pay(id)];
    while (payments.length < 4) {
      await payAhead(world.deps, token ?? '');
      payments.push(await world.pay(id));
    }
    for (const paymentId of payments.slice(1, 3)) await lose(paymentId);
    const [first] = await ends(id);
    await world.send(payments[2] ?? '');
    expect(await shown(id)).toEqual(['0: 10 paid', '1: 10 open', '2: 10 paid', '3: 10 paid']);
    expect(await activeUntil(id)).toBe(first);
    await world.send(payments[1] ?? '');
    expect(await activeUntil(id)).toBe((await ends(id))[3]);
  });
});

describe('credit whose money is reversed', () => {
  it('pays the same number of periods when the money confirms again', async () => {
    const { id, portalTokenSealed: token } = await world.subscribe(await world.price('10.00', 'weekly'));
    const first = await world.pay(id, 300n);
    for (let n = 1; n <= 2; n += 1) await payAhead(world.deps, token ?? '');
    const [, , last] = await ends(id);
    await lose(first);
    await world.send(first, 300n);
    expect(await balance(id)).toBe('2000');
    for (let n = 1; n <= 2; n += 1) await payAhead(world.deps, token ?? '');
    expect(await activeUntil(id)).toBe(last);
    expect(await balance(id)).toBe('0');
    expect((await shown(id)).filter((one) => one.endsWith('paid'))).toHaveLength(3);
  });

  it('takes back periods from before a change of the interval, and the new interval begins with the first of them', async () => {
    const { id, portalTokenSealed: token } = await world.subscribe(await world.price('10.00', 'weekly'));
    const first = await world.pay(id);
    await payAhead(world.deps, token ?? '');
    const second = await world.pay(id, 300n);
    for (let n = 2; n <= 3; n += 1) await payAhead(world.deps, token ?? '');
    await world.edit(id, { priceId: await world.price('40.00', 'monthly') });
    const before = await world.invoices(id);
    await lose(second);
    expect(await shown(id)).toEqual(['0: 10 paid', '1: 10 open', '2: 0 void', '3: 0 void']);
    await world.send(second);
    await payAhead(world.deps, token ?? '');
    expect((await world.invoices(id))[4]).toMatchObject({ due: '40', periodStart: before[2]?.periodStart });
    expect(await world.payments.payment({ id: first })).toMatchObject({ status: 'completed' });
  });

  it('takes back periods in a shop that has turned credit off since', async () => {
    const { id, portalTokenSealed: token } = await world.subscribe(await world.price('10.00', 'weekly'));
    const first = await world.pay(id, 300n);
    for (let n = 1; n <= 2; n += 1) await payAhead(world.deps, token ?? '');
    await world.set({ excessToCredit: false });
    await lose(first);
    expect([await balance(id), await activeUntil(id)]).toEqual([
      '0',
      (await world.invoices(id)).map(({ periodStart }) => Date.parse(periodStart))[0],
    ]);
  });

  it('takes back periods when the shop refunds the whole payment', async () => {
    const { id, portalTokenSealed: token } = await world.subscribe(await world.price('10.00', 'weekly'));
    const first = await world.pay(id, 300n);
    for (let n = 1; n <= 2; n += 1) await payAhead(world.deps, token ?? '');
    await resolvePayment(world.deps, { merchantId: world.merchantId, paymentId: first }, 'refunded');
    expect(await shown(id)).toEqual(['0: 10 void', '1: 0 void', '2: 0 void']);
    expect(await balance(id)).toBe('0');
    expect(await activeUntil(id)).toBeLessThanOrEqual(world.payments.now());
  });
});

describe('edits of the quantity during a trial', () => {
  it('make neither credit nor debt, and the first invoice has the last quantity', async () => {
    const { id, portalTokenSealed: token } = await world.subscribe(await world.price('10.00'), {
      trialDays: 14,
    });
    for (const quantity of [100, 1, 7, 3]) await world.edit(id, { quantity });
    await payAhead(world.deps, token ?? '');
    for (const quantity of [50, 2]) await world.edit(id, { quantity });
    await world.pay(id);
    for (const quantity of [1, 2]) await world.edit(id, { quantity });
    expect(await shown(id)).toEqual(['0: 20 paid']);
    expect(await balance(id)).toBe('0');
  });
});

describe('two pages of one subscription', () => {
  it('make one invoice together, and leave none open after a concurrent cancellation', async () => {
    const { id, portalTokenSealed } = await world.subscribe(await world.price('10.00'));
    const token = portalTokenSealed ?? '';
    await world.pay(id);
    const paid = [payAhead(world.deps, token), payAhead(world.deps, token), payAhead(world.deps, token)];
    const made = await Promise.all(paid);
    expect(new Set(made).size).toBe(1);
    const acts = [
      actInPortal(world.deps, token, 'cancel'),
      payAhead(world.deps, token),
      actInPortal(world.deps, token, 'keep'),
      actInPortal(world.deps, token, 'cancel'),
      world.act(id, { type: 'cancel', by: 'merchant', atPeriodEnd: false }),
      payAhead(world.deps, token),
    ];
    await Promise.allSettled(acts);
    expect(await world.read(id)).toMatchObject({ status: 'cancelled', openPaymentId: null });
    expect(await shown(id)).toEqual(['0: 10 paid', '1: 10 void']);
    await world.send(made[0] ?? '');
    expect(await world.read(id)).toMatchObject({
      credit: '10',
      activeUntil: new Date((await ends(id))[0] ?? 0).toISOString(),
    });
  });
});
