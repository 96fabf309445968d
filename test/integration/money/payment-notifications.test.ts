import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPayment, updatePayment } from '../../../src/store/payments/payments.ts';
import { cancelPayment } from '../../../src/usecases/payments/decide-payment.ts';
import { PaymentChangeBus } from '../../../src/usecases/payments/payment-change-bus.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { readCheckout, readStamps } from '../../../src/usecases/checkout/read-checkout.ts';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, unconfirmed } from '../../_helpers/scripted-chain.ts';

let world: PaymentWorld;
let payment: PaymentView;

beforeEach(async () => {
  world = await openPaymentWorld();
  await world.poll();
  payment = await world.order({ allowed: ['BTC'] });
  world.news.length = 0;
});
afterEach(async () => world.close());

const newsOf = (): number => world.news.splice(0).filter((id) => id === payment.id).length;
const stampNow = async (): Promise<string | undefined> =>
  (await readStamps(world.wallet.db, [payment.id])).get(payment.id);
const stampShown = async (): Promise<string> =>
  (await readCheckout({ ...world.deps, payerExplorers: {} }, payment.id)).stamp;

describe('in-process notifications of a payment change', () => {
  it('are sent for received money, each new confirmation and reversed money, and for nothing else', async () => {
    const { BTC } = world.chains;
    await world.poll();
    BTC.mine(world.now());
    await world.poll();
    expect(newsOf()).toBe(0);
    const credit = creditTo(addressOf(payment, 'BTC'), 50_000_000n);
    BTC.unconfirmed = [unconfirmed(credit)];
    await world.poll('BTC');
    expect(newsOf()).toBeGreaterThan(0);
    BTC.unconfirmed = [];
    BTC.mine(world.now(), [credit]);
    await world.poll('BTC');
    expect(newsOf()).toBeGreaterThan(0);
    // Nothing of the payment is written by this one: it only counts.
    BTC.mine(world.now());
    await world.poll('BTC');
    BTC.mine(world.now());
    await world.poll('BTC');
    expect(newsOf()).toBeGreaterThan(0);
    BTC.drop(3);
    for (let block = 0; block < 4; block += 1) BTC.mine(world.now());
    BTC.fates.set(credit.ref.txid, 'gone');
    await world.poll('BTC');
    expect(newsOf()).toBeGreaterThan(0);
  });

  it('are sent for a decision of the merchant and at the deadline', async () => {
    const other = await world.order({ allowed: ['BTC'] });
    await cancelPayment(world.deps, { merchantId: world.wallet.merchant.id, paymentId: payment.id });
    expect(newsOf()).toBe(1);
    world.advance(61 * MINUTE);
    await world.poll();
    await world.expire();
    expect(world.news).toEqual([other.id]);
  });

  it('are sent to the subscribers of that payment until they unsubscribe', () => {
    const news = new PaymentChangeBus();
    const heard: string[] = [];
    const leave = news.subscribe('pay_1', () => heard.push('first'));
    news.subscribe('pay_1', () => heard.push('second'));
    news.tell('pay_1');
    news.tell('pay_2');
    leave();
    leave();
    news.tell('pay_1');
    expect(heard).toEqual(['first', 'second', 'second']);
  });
});

describe('a callback that is registered to run after the commit', () => {
  it('runs once when the change is visible to other readers, and never after a rollback', async () => {
    const { db } = world.wallet;
    const done: string[] = [];
    await expect(
      db.transaction(async (tx) => {
        tx.afterCommit(() => done.push('rolled back'));
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await db.transaction(async (tx) => {
      tx.afterCommit(() => done.push('committed'));
      expect(done).toEqual([]);
    });
    expect(done).toEqual(['committed']);
    await db.read(async (tx) => {
      expect(() => tx.afterCommit(() => {})).toThrow('outside of a transaction');
    });
  });
});

describe('the version stamp of a payment', () => {
  it('is the same in the checkout page and in the query for changed payments, and changes with every change of the payment', async () => {
    const first = await stampShown();
    expect(await stampNow()).toBe(first);
    const row = await findPayment(world.wallet.db, payment.id);
    world.advance(1_000);
    await world.wallet.db.transaction(async (tx) =>
      updatePayment(tx, payment.id, { ...row!, updatedAt: world.now() }),
    );
    expect(await stampNow()).not.toBe(first);
    expect(await stampShown()).toBe(await stampNow());
    await world.wallet.db.updateTable('merchants').set({ domainVerifiedAt: world.now() }).execute();
    expect(await stampNow()).toBe(await stampShown());
    expect((await readStamps(world.wallet.db, ['pay_none'])).size).toBe(0);
  });
});
