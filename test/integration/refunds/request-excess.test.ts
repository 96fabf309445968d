import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/domain/errors.ts';
import { formatCoinAmount } from '../../../src/domain/money.ts';
import { readCheckout } from '../../../src/usecases/checkout/read-checkout.ts';
import { cancelLink } from '../../../src/usecases/refunds/links/decide-link.ts';
import { listLinks } from '../../../src/usecases/refunds/links/list-links.ts';
import { readExcessPage, requestExcess } from '../../../src/usecases/refunds/links/request-excess.ts';
import { sendClaims } from '../../../src/usecases/refunds/links/send-claims.ts';
import type { RefundLinkView } from '../../../src/usecases/payments/refunds/present-link.ts';
import { LinkWorld } from './link-world.ts';

let world: LinkWorld;

beforeEach(async () => {
  world = await LinkWorld.open();
});
afterEach(async () => world[Symbol.asyncDispose]());

type Payment = Awaited<ReturnType<LinkWorld['paid']>>;

/** The price is 0.5 LTC, and twice as much was received. */
async function overpaid(): Promise<Payment> {
  const payment = await world.paid('exact');
  await world.pay(payment, 'overpay');
  return payment;
}

const shown = (atoms: bigint): string => formatCoinAmount(atoms, 'LTC');
const deps = (change: object = {}) => ({ ...world.nodeThat(change), baseUrl: 'http://localhost' });

/** Its node does not answer: the amount of a claim cannot be checked. */
const downNode = () =>
  deps({
    feeQuote: async () => Promise.reject(new AppError('NODE_UNAVAILABLE', 'down')),
  });

async function request({ id: paymentId }: Payment, index = 7, more: { amount?: string } = {}, of = deps()) {
  await requestExcess(of, { paymentId, coin: 'LTC', destination: world.payer(index), ...more });
}

async function links({ id: paymentId }: Payment): Promise<RefundLinkView[]> {
  const filter = { merchant: world.shop.world.merchant, paymentId, urls: 'none' } as const;
  return (await listLinks(deps(), filter, { page: 1, limit: 100 })).links;
}

const page = async ({ id }: Payment) => (await readExcessPage(deps(), id)).link;
const checkout = async ({ id }: Payment) =>
  readCheckout({ ...deps(), payerExplorers: {} }, id).then(({ mayRequestExcess, excessRequest }) => ({
    mayRequestExcess,
    excessRequest,
  }));

async function only(payment: Payment): Promise<RefundLinkView> {
  const [link, ...more] = await links(payment);
  if (link === undefined || more.length > 0) throw new Error(`${more.length + 1} links`);
  return link;
}

const decline = async ({ id: linkId }: RefundLinkView) =>
  cancelLink(deps(), { merchantId: world.shop.world.merchant.id, linkId });

describe('requestExcess (a payer requests the refund of an overpayment)', () => {
  it('creates a claimed refund link for the excess that needs the approval of the shop', async () => {
    const payment = await overpaid();
    expect(await checkout(payment)).toEqual({ mayRequestExcess: true, excessRequest: null });
    const offer = await page(payment);
    expect(offer).toMatchObject({ status: 'open', needsApproval: true, deductsFee: true });
    await request(payment);
    const link = await only(payment);
    expect(link).toMatchObject({
      status: 'claimed',
      preset: 'excess',
      requestedBy: 'payer',
      approval: true,
      deductFee: true,
      coin: 'LTC',
      destination: world.payer(7),
      amount: offer.amount,
    });
    expect(await checkout(payment)).toEqual({
      mayRequestExcess: false,
      excessRequest: { status: 'claimed', coin: 'LTC', amount: link.coinAmounts.LTC },
    });
    await sendClaims(deps());
    expect((await only(payment)).sendId).toBeNull();
    const { refunds, timeline } = await world.read(payment);
    expect(refunds).toEqual([]);
    expect(timeline.map(({ type }) => type)).toContain('refund.claimed');
  });

  it('leads to one refund less the fee after the approval, and the page shows each state', async () => {
    const payment = await overpaid();
    await request(payment);
    const claimed = await only(payment);
    await world.approve(claimed);
    expect((await checkout(payment)).excessRequest?.status).toBe('approved');
    await sendClaims(deps());
    expect((await only(payment)).status).toBe('paid');
    expect((await page(payment)).status).toBe('paid');
    const { refunds, keptFiat } = await world.read(payment);
    expect(refunds).toHaveLength(1);
    expect(keptFiat).toBe('50');
    expect(await checkout(payment)).toMatchObject({
      mayRequestExcess: false,
      excessRequest: { status: 'paid' },
    });
    await expect(request(payment, 8)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });

  it('returns the same request when it is repeated, and refuses another destination', async () => {
    const payment = await overpaid();
    await request(payment);
    const first = await only(payment);
    await request(payment);
    await expect(request(payment, 8)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await world.approve(first);
    await request(payment);
    expect((await only(payment)).claimId).toBe(first.claimId);
  });

  it('stores one of many concurrent requests', async () => {
    const payment = await overpaid();
    const tabs = Array.from({ length: 6 }, async (_, index) => request(payment, 7 + (index % 3)));
    const outcomes = await Promise.allSettled(tabs);
    const won = (await only(payment)).destination;
    for (const [index, { status }] of outcomes.entries()) {
      expect(status).toBe(world.payer(7 + (index % 3)) === won ? 'fulfilled' : 'rejected');
    }
  });

  it('cannot be repeated after the shop declined it', async () => {
    const payment = await overpaid();
    await request(payment);
    await decline(await only(payment));
    expect(await checkout(payment)).toMatchObject({
      mayRequestExcess: false,
      excessRequest: { status: 'cancelled', coin: 'LTC' },
    });
    expect((await page(payment)).status).toBe('cancelled');
    await expect(request(payment)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(request(payment, 8)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });

  it('is refused when the shop does not allow it, and an earlier request stays valid', async () => {
    const [before, payment] = [await overpaid(), await overpaid()];
    await request(before);
    const { db } = world.shop.world.deps;
    await db.updateTable('merchants').set({ payerMayAskExcess: false }).execute();
    expect((await checkout(payment)).mayRequestExcess).toBe(false);
    await expect(request(payment)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(page(payment)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(await links(payment)).toEqual([]);
    expect((await page(before)).status).toBe('claimed');
  });

  it('is refused for an order without an excess', async () => {
    const [exact, short] = [await world.paid('exact'), await world.paid('underpay')];
    for (const payment of [exact, short]) {
      expect(await checkout(payment)).toEqual({ mayRequestExcess: false, excessRequest: null });
      await expect(request(payment)).rejects.toMatchObject({ code: 'INVALID_STATE' });
      expect(await links(payment)).toEqual([]);
    }
    await expect(request({ id: 'pay_none' })).rejects.toMatchObject({ code: 'PAYMENT_NOT_FOUND' });
  });

  it('refuses the request of a payer when the excess changed after the page showed it', async () => {
    const payment = await overpaid();
    const [option] = (await page(payment)).options;
    await world.pay(payment, 'overpay');
    const seen = { amount: shown(option?.atoms ?? 0n) };
    await expect(request(payment, 7, seen)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(await links(payment)).toEqual([]);
    const [now] = (await page(payment)).options;
    expect(now?.atoms).toBeGreaterThan(option?.atoms ?? 0n);
    await request(payment, 7, { amount: shown(now?.atoms ?? 0n) });
    expect((await only(payment)).status).toBe('claimed');
  });

  it('requests the rest of the excess when a part was refunded already', async () => {
    const payment = await overpaid();
    await world.refund(payment, '0.1');
    await request(payment);
    const { coinAmounts } = await only(payment);
    const { refunds } = await world.read(payment);
    expect(refunds).toHaveLength(1);
    await world.approve(await only(payment));
    await sendClaims(deps());
    expect((await only(payment)).status).toBe('paid');
    expect((await world.read(payment)).keptFiat).toBe('50');
    expect(Number(coinAmounts.LTC)).toBeGreaterThan(0);
  });

  it('rejects an invalid destination, or one of the shop, and names the field', async () => {
    const payment = await overpaid();
    const own = Object.values((await world.read(payment)).options)[0]?.address ?? '';
    for (const destination of ['', 'nonsense', own]) {
      await expect(
        requestExcess(deps(), { paymentId: payment.id, coin: 'LTC', destination }),
      ).rejects.toMatchObject({ code: 'VALIDATION_INVALID', details: [{ field: 'destination' }] });
    }
    await expect(
      requestExcess(deps(), { paymentId: payment.id, coin: 'BTC', destination: world.payer(7) }),
    ).rejects.toMatchObject({ code: 'VALIDATION_INVALID', details: [{ field: 'coin' }] });
    expect(await links(payment)).toEqual([]);
  });

  it('is refused when the network fee exceeds the excess', async () => {
    const payment = await overpaid();
    const dear = deps({
      feeQuote: async () => ({ ...(await world.shop.world.adapter('LTC').feeQuote()), rate: 10n ** 9n }),
    });
    await expect(request(payment, 7, {}, dear)).rejects.toMatchObject({ code: 'VALIDATION_INVALID' });
    expect(await links(payment)).toEqual([]);
  });

  it('can be sent again, on the same link, when the approved claim could not be sent', async () => {
    const payment = await overpaid();
    await request(payment, 7, {}, downNode());
    const first = await only(payment);
    await world.approve(first);
    const fee = await world.shop.world.adapter('LTC').feeQuote();
    await sendClaims(deps({ feeQuote: async () => ({ ...fee, rate: 10n ** 9n }) }));
    expect(await checkout(payment)).toMatchObject({
      mayRequestExcess: true,
      excessRequest: { status: 'open' },
    });
    expect(await page(payment)).toMatchObject({ status: 'open', reopenedBy: 'amount' });
    await request(payment, 8);
    const again = await only(payment);
    expect(again).toMatchObject({ id: first.id, status: 'claimed', destination: world.payer(8) });
    expect(again.approval).toBe(true);
  });

  it('sends nothing when a reorg has dropped the excess', async () => {
    const payment = await overpaid();
    await request(payment);
    const { transactions } = await world.read(payment);
    const price = transactions.find(({ amount }) => amount === '0.5');
    await world.shop.control('LTC').reorg({ fate: 'dropped', txids: [price?.txid ?? ''] });
    await world.shop.control('LTC').mine(3);
    await world.shop.world.sync('LTC');
    await world.approve(await only(payment));
    await sendClaims(deps());
    expect(await only(payment)).toMatchObject({ status: 'approved', sendId: null });
    expect((await world.read(payment)).refunds).toEqual([]);
  });

  it('can be repeated after a paid request when more money arrived', async () => {
    const payment = await overpaid();
    await request(payment);
    await world.approve(await only(payment));
    await sendClaims(deps());
    await world.pay(payment, 'overpay');
    world.shop.world.clock.advance(1);
    expect((await checkout(payment)).mayRequestExcess).toBe(true);
    await request(payment);
    expect((await links(payment)).map(({ status }) => status)).toEqual(['claimed', 'paid']);
  });
});
