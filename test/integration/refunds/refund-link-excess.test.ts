import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendClaims } from '../../../src/usecases/refunds/links/send-claims.ts';
import { LinkWorld } from './link-world.ts';

let world: LinkWorld;

beforeEach(async () => {
  world = await LinkWorld.open();
});
afterEach(async () => world[Symbol.asyncDispose]());

const EXCESS = { wish: { kind: 'excess' } } as const;

/** The price is 0.5 LTC, and twice as much was received. */
async function paidTwice(): Promise<{ id: string }> {
  const payment = await world.paid('exact');
  await world.pay(payment, 'overpay');
  // Pays the fees.
  await world.paid();
  return payment;
}

const refunded = async (payment: { id: string }) => (await world.read(payment)).refunds;

describe('refund links for the excess of an overpaid payment', () => {
  it('never refund a part of the price, however many are open', async () => {
    const payment = await paidTwice();
    const [first, second] = [await world.newLink(payment, EXCESS), await world.newLink(payment, EXCESS)];
    expect(second.coinAmounts).toEqual(first.coinAmounts);
    await world.claim(first);
    await expect(world.claim(second)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect((await world.page(second)).status).toBe('gone');
    await sendClaims(world.deps());
    expect((await world.linkNow(first)).status).toBe('paid');
    await expect(world.claim(second)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(await refunded(payment)).toHaveLength(1);
  });

  it('refund nothing once a direct refund paid the excess', async () => {
    const payment = await paidTwice();
    const link = await world.newLink(payment, EXCESS);
    await world.refund(payment, link.coinAmounts.LTC);
    await expect(world.claim(link)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect((await world.page(link)).status).toBe('gone');
    expect(await refunded(payment)).toHaveLength(1);
  });

  it('refund the value of the excess once when they use the current rate', async () => {
    const payment = await paidTwice();
    const terms = { ...EXCESS, rate: 'current' } as const;
    const [first, second] = [await world.newLink(payment, terms), await world.newLink(payment, terms)];
    // Twice the price: half the coins are worth as much.
    await world.claim(first, 7, { ...world.nodeThat({}), ...world.deps('200') });
    await expect(
      world.claim(second, 8, { ...world.nodeThat({}), ...world.deps('200') }),
    ).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect((await world.page(second, world.deps('200'))).status).toBe('gone');
  });

  it('send nothing once a reorg dropped the excess', async () => {
    const payment = await paidTwice();
    const link = await world.newLink(payment, EXCESS);
    await world.claim(link);
    const { transactions } = await world.read(payment);
    const price = transactions.find(({ amount }) => amount === '0.5');
    await world.shop.control('LTC').reorg({ fate: 'dropped', txids: [price?.txid ?? ''] });
    await world.shop.control('LTC').mine(3);
    await world.shop.world.sync('LTC');
    const confirmed = (await world.read(payment)).transactions.filter((one) => one.confirmations >= 2);
    expect(confirmed.map(({ txid }) => txid)).not.toContain(price?.txid);
    expect(confirmed).toHaveLength(1);
    await sendClaims(world.deps());
    expect(await world.linkNow(link)).toMatchObject({ status: 'claimed', sendId: null });
    expect(await refunded(payment)).toEqual([]);
    expect((await world.page(link)).status).toBe('waiting');
  });

  it('do not limit a refund link over a given amount, which may include the price', async () => {
    const payment = await paidTwice();
    const excess = await world.newLink(payment, EXCESS);
    const part = await world.newLink(payment, { wish: { kind: 'amount', amount: '50', currency: 'USD' } });
    expect([excess.preset, part.preset, (await world.newLink(payment)).preset]).toEqual([
      'excess',
      null,
      'all',
    ]);
    await world.claim(excess);
    await world.claim(part, 8);
    await sendClaims(world.deps());
    expect((await world.linkNow(part)).status).toBe('paid');
  });
});
