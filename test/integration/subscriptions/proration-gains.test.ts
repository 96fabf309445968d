/** Proration yields no time or credit beyond the money that is there, also while money is under way or taken back. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findSubscription } from '../../../src/store/subscriptions/subscriptions.ts';
import { resolvePayment } from '../../../src/usecases/payments/decide-payment.ts';
import { payAhead } from '../../../src/usecases/subscriptions/pay-ahead.ts';
import { SubscriptionWorld } from '../../_helpers/subscription-world.ts';

let world: SubscriptionWorld;
beforeEach(async () => {
  world = await SubscriptionWorld.open();
});
afterEach(async () => world.close());

/** Positive is credit, negative a debt, in minor units. */
const balance = async (id: string): Promise<number> =>
  Number((await findSubscription(world.deps.db, id))?.balanceMinor);
const shown = async (id: string): Promise<string[]> =>
  (await world.invoices(id)).map(({ n, due, prorated, status }) => `${n}: ${due} ${prorated} ${status}`);
const lastTxid = async (paymentId: string): Promise<string> =>
  (await world.payments.payment({ id: paymentId })).transactions.at(-1)?.txid ?? '';
const open = async (id: string): Promise<string> => (await world.read(id)).openPaymentId ?? '';

/** Units at 10 dollars in a trial of 14 days, so that nothing of the first month is used. */
async function inTrial(quantity = 1): Promise<{ id: string; ahead: () => Promise<unknown> }> {
  const { id, portalTokenSealed } = await world.subscribe(await world.price('10.00'), {
    trialDays: 14,
    quantity,
  });
  return { id, ahead: async () => payAhead(world.deps, portalTokenSealed ?? '') };
}

describe('an edit while an invoice is open', () => {
  it('gives the invoice its new price, also where credit of the same amount leaves as much to pay', async () => {
    const { id, ahead } = await inTrial();
    await ahead();
    const first = await world.pay(id);
    const price = await world.dueAtoms(first);
    await ahead();
    await world.sendAtoms(first, 2n * price);
    expect(await balance(id)).toBe(2_000);
    // Two units: 10 for the first period, 20 for the second one.
    await world.edit(id, { quantity: 2 });
    expect(await shown(id)).toEqual(['0: 10 -10 paid', '1: 10 0 open']);
    expect(await balance(id)).toBe(0);
  });

  it('for which money was seen counts once it is paid', async () => {
    const { id, ahead } = await inTrial();
    await ahead();
    await world.send(await open(id), 1n);
    await world.edit(id, { quantity: 5 });
    expect(await shown(id)).toEqual(['0: 10 0 open']);
    await world.send(await open(id), 99n);
    expect(await shown(id)).toEqual(['0: 10 -40 paid']);
    await ahead();
    expect(await shown(id)).toEqual(['0: 10 -40 paid', '1: 90 0 open']);
    await world.edit(id, { quantity: 1 });
    expect(await shown(id)).toEqual(['0: 10 0 paid', '1: 10 0 open']);
  });

  it('credits the overpayment of an invoice whose money was seen before the edit', async () => {
    const { id, ahead } = await inTrial(5);
    await ahead();
    await world.send(await open(id), 1n);
    await world.edit(id, { quantity: 1 });
    expect(await balance(id)).toBe(0);
    await world.send(await open(id), 99n);
    expect(await shown(id)).toEqual(['0: 50 40 paid']);
    expect(await balance(id)).toBe(4_000);
  });

  it('whose money was reversed counts once it is paid again', async () => {
    const { id, ahead } = await inTrial();
    await ahead();
    const first = await world.pay(id);
    await world.lose(await lastTxid(first));
    await world.edit(id, { quantity: 4 });
    await world.send(first);
    expect(await shown(id)).toEqual(['0: 10 -30 paid']);
    await world.edit(id, { quantity: 1 });
    expect(await balance(id)).toBe(0);
  });
});

describe('a debt that an invoice asked for', () => {
  it('returns when the whole invoice is refunded', async () => {
    const { id, ahead } = await inTrial();
    await ahead();
    await world.pay(id);
    await world.edit(id, { quantity: 3 });
    await ahead();
    const second = await world.pay(id);
    expect(await shown(id)).toEqual(['0: 10 -20 paid', '1: 50 0 paid']);
    expect(await balance(id)).toBe(0);
    await resolvePayment(world.deps, { merchantId: world.merchantId, paymentId: second }, 'refunded');
    expect(await balance(id)).toBe(-2_000);
  });
});

describe('a period in progress that credit paid', () => {
  it('stays paid when an edit makes a debt, so that its credit does not pay a second one after a pause', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.credit(id, '10');
    expect(await shown(id)).toEqual(['0: 0 0 paid']);
    world.payments.advance(22 * 86_400_000);
    await world.edit(id, { quantity: 2 });
    expect((await shown(id))[0]).toMatch(/^0: 0 -[23]\.\d+ paid$/);
    expect(await balance(id)).toBeLessThan(0);
  });
});

describe('a reclaimed period', () => {
  it('makes credit of its money that is there, and not of what the shop went without', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    const first = await world.pay(id);
    await world.sendAtoms(first, (await world.dueAtoms(first)) / 2n);
    await world.pass(25);
    const second = await open(id);
    await world.send(second, 10n);
    await resolvePayment(world.deps, { merchantId: world.merchantId, paymentId: second }, 'accept');
    expect(await shown(id)).toEqual(['0: 10 0 paid', '1: 5 0 paid']);
    await resolvePayment(world.deps, { merchantId: world.merchantId, paymentId: first }, 'refunded');
    expect(await shown(id)).toEqual(['0: 10 0 void', '1: 5 0 void']);
    expect(await balance(id)).toBe(50);
  });

  it('leaves its used time to the period that takes its place', async () => {
    const { id, portalTokenSealed } = await world.subscribe(await world.price('10.00', 'weekly'), {
      quantity: 2,
    });
    const first = await world.pay(id);
    await world.sendAtoms(first, await world.dueAtoms(first));
    const ahead = async () => payAhead(world.deps, portalTokenSealed ?? '');
    await ahead();
    await ahead();
    await world.pay(id);
    expect(await shown(id)).toEqual(['0: 20 0 paid', '1: 0 0 paid', '2: 20 0 paid']);
    world.payments.advance(10.5 * 86_400_000 - 1_000);
    await world.edit(id, { quantity: 1 });
    expect(await shown(id)).toEqual(['0: 20 0 paid', '1: 0 5 paid', '2: 20 10 paid']);
    await world.lose(await lastTxid(first));
    // Half of the second week had two units: it costs 15.
    expect(await shown(id)).toEqual(['0: 20 0 paid', '1: 0 0 void', '2: 20 5 paid']);
    expect(await balance(id)).toBe(500);
  });
});

describe('periods reclaimed twice', () => {
  it('are taken by those behind them without a gap or an overlap', async () => {
    const { id, portalTokenSealed } = await world.subscribe(await world.price('10.00', 'weekly'));
    const ahead = async () => payAhead(world.deps, portalTokenSealed ?? '');
    await world.pay(id);
    const payments: string[] = [];
    // Odd periods are paid by money, even ones by credit of the period before.
    for (let n = 1; n <= 6; n += 1) {
      await ahead();
      if (n % 2 === 0) continue;
      const paid = await world.pay(id);
      await world.sendAtoms(paid, await world.dueAtoms(paid));
      payments.push(paid);
    }
    const times = async () =>
      (await world.invoices(id))
        .filter(({ status }) => status === 'paid')
        .map(({ periodStart }) => periodStart);
    const weeks = await times();
    for (const paid of [...payments.slice(0, 2), ...payments.slice(2)])
      await world.lose(await lastTxid(paid));
    expect((await times()).toSorted()).toEqual(weeks.slice(0, 4));
  });
});
