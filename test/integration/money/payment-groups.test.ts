/** Payments of one order that renew each other have one balance, and at most one of them asks for money. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { liveCredits } from '../../../src/domain/payment/payment-machine.ts';
import { findPayment } from '../../../src/store/payments/payments.ts';
import { writeReread } from '../../../src/store/chain/reread-requests.ts';
import { sumVolume } from '../../../src/store/payments/volume.ts';
import { rereadBlocks } from '../../../src/usecases/chain-sync/reread-blocks.ts';
import { MOST_IN_GROUP } from '../../../src/usecases/checkout/renewal.ts';
import { storeEventNotices } from '../../../src/usecases/notices/store-event-notices.ts';
import { cancelPayment, resolvePayment } from '../../../src/usecases/payments/decide-payment.ts';
import { loadPayment } from '../../../src/usecases/payments/load-payment.ts';
import { quoteLatePayments } from '../../../src/usecases/payments/quote-late-payments.ts';
import { readCheckout } from '../../../src/usecases/checkout/read-checkout.ts';
import { updatePayment } from '../../../src/usecases/payments/update-payment.ts';
import { createRefundLink } from '../../../src/usecases/refunds/links/create-link.ts';
import { orderRefund } from '../../../src/usecases/refunds/refund-order.ts';
import { expectBooksToAgree } from '../../_helpers/books.ts';
import { openGroupWorld, PRICE, type GroupWorld } from '../../_helpers/payment-group-world.ts';
import { addressOf, MINUTE, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, unconfirmed } from '../../_helpers/scripted-chain.ts';
import { volumeByPayments } from '../../_helpers/volume-by-payments.ts';
import { SECRET_KEY } from '../../_helpers/secret-key.ts';

/** No mail is written here. */
const NO_BOX = { seal: (plain: string) => plain, open: (sealed: string) => sealed };

let group: GroupWorld;
let world: PaymentWorld;
beforeEach(async () => {
  group = await openGroupWorld();
  ({ world } = group);
});
afterEach(async () => {
  await expectBooksToAgree(world.deps.db);
  await expectVolumeToAgree();
  await world.close();
});

async function expectVolumeToAgree(): Promise<void> {
  const { id: merchantId } = world.wallet.merchant;
  const filter = { merchantId, mode: 'live' as const, fromMs: 0, beforeMs: 2 * world.now() };
  const [kept, added] = [
    await sumVolume(world.deps.db, filter),
    await volumeByPayments(world.deps.db, filter),
  ];
  expect([new Set(kept.coins), new Set(kept.fiat)]).toEqual([new Set(added.coins), new Set(added.fiat)]);
}

async function creditedTo(payment: { id: string }): Promise<bigint> {
  const row = await findPayment(world.deps.db, payment.id);
  const { state } = await loadPayment(world.deps.db, world.deps, row!);
  return liveCredits(state).reduce((sum, { amount }) => sum + amount, 0n);
}

async function merchant() {
  return world.deps.db.selectFrom('merchants').selectAll().executeTakeFirstOrThrow();
}

async function checkout({ id }: { id: string }) {
  return readCheckout({ ...world.deps, payerExplorers: {} }, id);
}

const superseded = (lead: { id: string }) => ({
  status: 'cancelled',
  exception: null,
  supersededBy: lead.id,
  transactions: [],
});

describe('the first money for an expired payment or its renewals', () => {
  it('is credited to the open renewal when it is paid to the expired payment', async () => {
    const [first, second] = await group.renewed();
    await group.pay(first, PRICE);
    expect(await world.payment(second)).toMatchObject({
      status: 'completed',
      exception: 'late',
      renews: first.id,
    });
    expect(await world.payment(first)).toMatchObject({ ...superseded(second), renewedBy: second.id });
    await group.runOut();
    expect(await group.told(first, second)).toEqual([
      'P1 created',
      'P1 expired',
      'P2 created',
      'P1 superseded',
      'P2 late',
      'P2 confirming',
      'P2 completed',
    ]);
  });

  it('is credited to the newest renewal when all payments of the order have expired', async () => {
    const [first, second] = await group.renewed();
    await group.runOut();
    await group.pay(first, PRICE / 2n);
    expect(await world.payment(first)).toMatchObject(superseded(second));
    expect(await world.payment(second)).toMatchObject({ status: 'expired', exception: 'late' });
    await group.pay(first, PRICE / 2n);
    expect(await world.payment(second)).toMatchObject({ status: 'completed', exception: 'late' });
    expect(await group.told(second)).toEqual([
      'P1 created',
      'P1 expired',
      'P1 late',
      'P1 late',
      'P1 confirming',
      'P1 completed',
    ]);
  });

  it('supersedes the expired payment when it is paid to the renewal', async () => {
    const [first, second] = await group.renewed();
    await group.pay(second, PRICE);
    expect(await world.payment(second)).toMatchObject({ status: 'completed', exception: null });
    expect(await world.payment(first)).toMatchObject(superseded(second));
    expect(await group.told(first, second)).toEqual([
      'P1 created',
      'P1 expired',
      'P2 created',
      'P1 superseded',
      'P2 confirming',
      'P2 completed',
    ]);
  });

  it('supersedes every other payment once, also when the shop had cancelled the newest', async () => {
    const [first, second] = await group.renewed();
    await group.runOut();
    const third = await group.renew(second);
    await cancelPayment(world.deps, group.at(third.id));
    await group.pay(second, PRICE);
    for (const closed of [first, second])
      expect(await world.payment(closed)).toMatchObject(superseded(third));
    expect(await world.payment(third)).toMatchObject({ status: 'completed', exception: 'late' });
    const events = await group.told(first, second, third);
    expect(events.slice(-5).toSorted()).toEqual([
      'P1 superseded',
      'P2 superseded',
      'P3 completed',
      'P3 confirming',
      'P3 late',
    ]);
    expect(events.slice(0, -5)).not.toContain('P1 superseded');
  });

  it('is credited together with money in the same block for another payment of the order', async () => {
    const [first, second] = await group.renewed();
    world.chains.BTC.mine(world.now(), [
      creditTo(addressOf(second, 'BTC'), PRICE / 2n),
      creditTo(addressOf(first, 'BTC'), PRICE / 2n),
    ]);
    world.chains.BTC.mine(world.now());
    await world.poll('BTC');
    expect(await world.payment(second)).toMatchObject({ status: 'completed', exception: 'late' });
    expect(await world.payment(first)).toMatchObject(superseded(second));
  });
});

describe('money on an expired payment while its renewal is open', () => {
  it('does not cover a raised price of the order, although it has the amount of the expired payment', async () => {
    const [first, second] = await group.renewed({ amount: '1.00' });
    await updatePayment(world.deps, {
      merchant: await merchant(),
      actor: SECRET_KEY,
      paymentId: second.id,
      amount: '1000.00',
    });
    await group.pay(first, 1_000_000n);
    expect(await world.payment(second)).toMatchObject({
      status: 'underpaid',
      exception: null,
      receivedFiat: '1',
    });
    expect((await checkout(second)).due).toContainEqual(
      expect.objectContaining({ coin: 'BTC', amount: '9.99' }),
    );
  });

  it('leaves the renewal open for the remainder, which completes the order once', async () => {
    const [first, second] = await group.renewed();
    await group.pay(first, 1_000n);
    expect((await checkout(first)).renewal).toEqual({ paymentId: second.id });
    const { payment, due } = await checkout(second);
    expect([payment.status, payment.exception]).toEqual(['underpaid', null]);
    expect(due).toContainEqual(
      expect.objectContaining({ address: addressOf(second, 'BTC'), amount: '0.49999' }),
    );
    await group.pay(second, 49_999_000n);
    expect(await world.payment(second)).toMatchObject({ status: 'completed', exception: null });
    expect(await group.told(second)).toEqual([
      'P1 created',
      'P1 late',
      'P1 underpaid',
      'P1 confirming',
      'P1 completed',
    ]);
  });

  it('is reported to the shop by email when the renewal ends underpaid, not before', async () => {
    await storeEventNotices({ ...world.deps, secretBox: NO_BOX }, true);
    const [first] = await group.renewed();
    await group.pay(first, PRICE / 2n);
    await storeEventNotices({ ...world.deps, secretBox: NO_BOX }, true);
    const { expiresAt: end } = await world.deps.db
      .selectFrom('payments')
      .select('expiresAt')
      .where('status', '=', 'underpaid')
      .executeTakeFirstOrThrow();
    const notices = await world.deps.db.selectFrom('notices').select(['reason', 'dueAt']).execute();
    expect(notices).toEqual([{ reason: 'underpaid', dueAt: end }]);
  });

  it('is left for the merchant to decide when the renewal ends underpaid', async () => {
    const [first, second] = await group.renewed();
    await group.pay(first, PRICE / 2n);
    await group.runOut();
    expect(await world.payment(second)).toMatchObject({ status: 'underpaid', exception: 'late' });
    expect((await group.told(second)).slice(-2)).toEqual(['P1 underpaid', 'P1 underpaid']);
    await resolvePayment(world.deps, group.at(second.id), 'accept');
    expect(await world.payment(second)).toMatchObject({ status: 'completed' });
  });

  it('is left for the merchant to decide under the review policy, and the payer has to pay only the remainder', async () => {
    await world.deps.db.updateTable('merchants').set({ latePolicy: 'review' }).execute();
    const [first, second] = await group.renewed();
    await group.pay(first, PRICE / 2n);
    expect(await world.payment(second)).toMatchObject({ status: 'underpaid', exception: null });
    await group.pay(second, PRICE / 2n);
    expect(await world.payment(second)).toMatchObject({ status: 'underpaid', exception: 'late' });
  });
});

describe('money at the address of a superseded payment (an older one of the same order)', () => {
  it('is credited once to the superseding payment, with the address to which it was paid', async () => {
    const [first, second] = await group.renewed();
    const own = await group.pay(second, PRICE);
    const late = await group.pay(first, PRICE);
    expect(await world.payment(second)).toMatchObject({
      status: 'completed',
      exception: 'multiple',
      receivedFiat: '100',
      transactions: [{ txid: own }, { txid: late, late: true, paymentId: first.id }],
    });
    expect(await world.payment(first)).toMatchObject({ ...superseded(second), receivedFiat: '0' });
    expect((await group.told(second)).slice(-2)).toEqual(['P1 late', 'P1 overpaid']);
    expect(await creditedTo(first)).toBe(0n);
    expect(await creditedTo(second)).toBe(2n * PRICE);
  });

  it('completes an underpaid payment', async () => {
    const [first, second] = await group.renewed();
    await group.pay(second, PRICE / 2n);
    expect(await world.payment(second)).toMatchObject({ status: 'underpaid' });
    await group.pay(first, PRICE / 2n);
    expect(await world.payment(second)).toMatchObject({ status: 'completed', exception: 'late' });
  });

  it('covers a share of the price of the superseding payment according to its value', async () => {
    const [first, second] = await group.renewed();
    await updatePayment(world.deps, {
      merchant: await merchant(),
      actor: SECRET_KEY,
      paymentId: second.id,
      amount: '75.00',
    });
    await group.pay(second, PRICE);
    await group.pay(first, PRICE / 2n - 1_000_000n);
    expect(await world.payment(second)).toMatchObject({ status: 'underpaid' });
    await group.pay(first, 1_000_000n);
    expect(await world.payment(second)).toMatchObject({ status: 'completed' });
  });

  it('is valued at the current rate when the superseding payment has another currency', async () => {
    const [first, second] = await group.renewed();
    const terms = { amount: '80.00', currency: 'EUR' };
    await updatePayment(world.deps, {
      merchant: await merchant(),
      actor: SECRET_KEY,
      paymentId: second.id,
      ...terms,
    });
    await group.pay(second, PRICE);
    world.rate = null;
    await group.pay(first, 30_000_000n);
    expect(await world.payment(second)).toMatchObject({ status: 'underpaid' });
    world.rate = '100';
    await quoteLatePayments(world.deps, { coin: 'BTC', mode: 'live' });
    expect(await world.payment(second)).toMatchObject({ status: 'completed', receivedFiat: '80' });
  });

  it('is credited in a coin that only the superseded payment offers, and can be refunded in that coin', async () => {
    const [first, second] = await group.renewed();
    await world.deps.db
      .deleteFrom('payment_options')
      .where('paymentId', '=', second.id)
      .where('coin', '=', 'LTC')
      .execute();
    await group.pay(second, PRICE);
    await group.pay(first, PRICE, 'LTC');
    expect(await world.payment(second)).toMatchObject({ status: 'completed', exception: 'multiple' });
    const order = await orderRefund(world.deps.db, world.deps, {
      merchant: await merchant(),
      paymentId: second.id,
      coin: 'LTC',
      destination: 'payer',
    });
    expect(order.amount).toBe(PRICE);
  });

  it('is refunded by a refund of the superseding payment', async () => {
    const [first, second] = await group.renewed();
    await group.pay(second, PRICE);
    await group.pay(first, PRICE);
    const refund = { merchant: await merchant(), destination: 'payer' };
    const order = await orderRefund(world.deps.db, world.deps, { ...refund, paymentId: second.id });
    expect(order.amount).toBe(2n * PRICE);
  });

  it('is credited once although a rescan reads it again', async () => {
    const [first, second] = await group.renewed();
    await group.pay(second, PRICE);
    await group.pay(first, PRICE);
    const events = await group.told(first, second);
    const chain = { coin: 'BTC', mode: 'live' } as const;
    const to = world.chains.BTC.tip.height;
    await writeReread(world.deps.db, chain, { from: 1, to, next: 1 });
    expect(await rereadBlocks(world.deps, world.chains.BTC.adapter('BTC'))).toBe(true);
    expect(await creditedTo(second)).toBe(2n * PRICE);
    expect(await group.told(first, second)).toEqual(events);
  });

  it('is reversed when a reorg removes its block, and credited again when the block returns', async () => {
    const [first, second] = await group.renewed();
    await group.pay(second, PRICE / 2n);
    const credit = creditTo(addressOf(first, 'BTC'), PRICE / 2n);
    world.chains.BTC.mine(world.now(), [credit]);
    world.chains.BTC.mine(world.now());
    await world.poll('BTC');
    expect(await world.payment(second)).toMatchObject({ status: 'completed' });
    world.chains.BTC.fates.set(credit.ref.txid, 'gone');
    world.chains.BTC.drop(2);
    for (let block = 0; block < 3; block += 1) world.chains.BTC.mine(world.now());
    await world.poll('BTC');
    world.advance(MINUTE);
    await world.poll('BTC');
    expect(await world.payment(second)).toMatchObject({ status: 'underpaid' });
    expect((await group.told(second)).slice(-2)).toEqual(['P1 reversed', 'P1 underpaid']);
  });
});

describe('a double spend of the only money of an order with several payments', () => {
  it('reopens the superseding payment, while the others stay closed', async () => {
    const [first, second] = await group.renewed();
    const credit = creditTo(addressOf(second, 'BTC'), PRICE);
    world.chains.BTC.unconfirmed = [unconfirmed(credit)];
    await world.poll('BTC');
    expect(await world.payment(second)).toMatchObject({ status: 'confirming' });
    world.chains.BTC.unconfirmed = [];
    world.chains.BTC.fates.set(credit.ref.txid, 'gone');
    world.advance(MINUTE);
    await world.poll('BTC');
    expect(await world.payment(second)).toMatchObject({ status: 'pending' });
    expect(await world.payment(first)).toMatchObject(superseded(second));
    await group.pay(first, PRICE);
    expect(await world.payment(second)).toMatchObject({ status: 'completed', exception: 'late' });
    const events = await group.told(first, second);
    expect(events.filter((event) => event.endsWith('superseded'))).toEqual(['P1 superseded']);
  });
});

describe('a request about a superseded payment (an older one of the same order)', () => {
  let first: { id: string };
  let second: { id: string };
  beforeEach(async () => {
    const made = await group.renewed();
    await group.pay(made[1], PRICE);
    [first, second] = made;
  });

  it('is rejected with the id of the superseding payment', async () => {
    const refused = {
      code: 'INVALID_STATE',
      details: [{ field: 'paymentId', code: 'superseded', existingId: second.id }],
    };
    const { id: merchantId } = world.wallet.merchant;
    const owner = await merchant();
    const to = { merchant: owner, paymentId: first.id };
    const link = { expiresInDays: 30, approval: false, deductFee: false, reason: null } as const;
    const chosen = { request: { kind: 'all' }, rate: 'received' } as const;
    const linkDeps = { ...world.deps, secretBox: { seal: () => Buffer.alloc(1), open: () => '' } };
    for (const ask of [
      () => cancelPayment(world.deps, group.at(first.id)),
      () => resolvePayment(world.deps, group.at(first.id), 'accept'),
      () => resolvePayment(world.deps, group.at(first.id), 'refunded'),
      () => orderRefund(world.deps.db, world.deps, { ...to, destination: 'payer' }),
      () => createRefundLink(linkDeps as never, { merchantId, paymentId: first.id, ...link, ...chosen }),
      () => updatePayment(world.deps, { ...to, actor: SECRET_KEY, amount: '1.00' }),
    ]) {
      await expect(ask()).rejects.toMatchObject(refused);
    }
  });

  it('to renew it returns the superseding payment, and creates none', async () => {
    expect(await group.tryRenew(first)).toBe(second.id);
    const count = await world.deps.db.selectFrom('payments').select('id').execute();
    expect(count).toHaveLength(2);
  });
});

describe('an order with several payments, one of which received money,', () => {
  it('has no payment that can be renewed', async () => {
    const [first, second] = await group.renewed();
    await group.runOut();
    const third = await group.renew(second);
    await group.runOut();
    await group.pay(first, PRICE / 2n);
    for (const [payment, leads] of [
      [first, third.id],
      [second, third.id],
      [third, null],
    ] as const) {
      expect(await group.tryRenew(payment)).toBe(leads);
    }
  });

  it('is answered with the superseding payment when the shop creates it again', async () => {
    const [first, second] = await group.renewed({ orderId: 'again' });
    expect((await world.order({ orderId: 'again' })).id).toBe(second.id);
    await group.pay(first, PRICE);
    expect((await world.order({ orderId: 'again' })).id).toBe(second.id);
  });

  it('gets at most one renewal when many renewals are requested while money arrives', async () => {
    const first = await world.order();
    await group.runOut();
    world.chains.BTC.mine(world.now(), [creditTo(addressOf(first, 'BTC'), PRICE)]);
    const [, ...asked] = await Promise.all([
      world.poll('BTC'),
      ...Array.from({ length: 8 }, async () => group.tryRenew(first)),
    ]);
    const made = new Set(asked);
    made.delete(null);
    expect(made.size).toBeLessThan(2);
    const rows = await world.deps.db
      .selectFrom('payments')
      .select(['id', 'status', 'supersededBy'])
      .orderBy('createdAt')
      .execute();
    expect(rows.filter(({ status }) => status === 'pending')).toEqual([]);
    const lead = rows.at(-1)?.id;
    for (const { id, supersededBy: by } of rows) expect(by).toBe(id === lead ? null : lead);
  });
});

describe('an order with the maximum number of payments', () => {
  it('cannot be renewed, and money on its first payment counts for the last', async () => {
    const first = await world.order();
    let last: { id: string } = first;
    for (let count = 1; count < MOST_IN_GROUP; count += 1) {
      await group.runOut();
      last = await group.renew(last);
    }
    await group.runOut();
    expect(await group.tryRenew(last)).toBeNull();
    await group.pay(first, PRICE);
    expect(await world.payment(last)).toMatchObject({ status: 'completed', exception: 'late' });
    const rows = await world.deps.db.selectFrom('payments').select('supersededBy').execute();
    expect(rows.filter(({ supersededBy: lead }) => lead === last.id)).toHaveLength(MOST_IN_GROUP - 1);
  });
});
