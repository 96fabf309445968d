import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Coin } from '../../../src/domain/coins.ts';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { sendClaims } from '../../../src/usecases/refunds/links/send-claims.ts';
import { resolvePayment } from '../../../src/usecases/payments/decide-payment.ts';
import { readCheckout } from '../../../src/usecases/checkout/read-checkout.ts';
import { eventually } from '../../_helpers/poll.ts';
import type { RefundLinkView } from '../../../src/usecases/payments/refunds/present-link.ts';
import { LinkWorld } from './link-world.ts';

const HOUR_MS = 3_600_000;

let world: LinkWorld;

beforeEach(async () => {
  world = await LinkWorld.open();
});
afterEach(async () => world[Symbol.asyncDispose]());

type Payment = { readonly id: string };
const amountOf = (amount: string) => ({ wish: { kind: 'amount', amount, currency: 'USD' } }) as const;

/** What the checkout asks for now, in a coin. */
async function asked({ id }: Payment, coin: Coin = 'LTC'): Promise<string | undefined> {
  const view = await readCheckout({ ...world.deps(), payerExplorers: {} }, id);
  return view.due.find((due) => due.coin === coin)?.amount;
}

/** Pays an amount of a coin at the address of the payment, and waits until it is settled. */
async function send(payment: Payment, amount: string, coin: Coin = 'LTC'): Promise<void> {
  const before = (await world.read(payment)).transactions.length;
  const { address = '' } = (await world.read(payment)).options[coin] ?? {};
  await world.shop.control(coin).pay([{ address, amount: parseCoinAmount(amount, coin) }]);
  await world.shop.control(coin).mine(2);
  await eventually(
    'it is settled',
    async () => world.read(payment),
    ({ transactions }) =>
      transactions.length > before && transactions.every(({ confirmations }) => confirmations >= 2),
  );
}

async function giveBack(payment: Payment, amount: string): Promise<void> {
  await world.claim(await world.newLink(payment, amountOf(amount)));
  await sendClaims(world.deps());
  const { refunds } = await world.read(payment);
  expect(refunds.at(-1)).toMatchObject({ status: 'broadcast' });
}

describe('an order with a refund before it was paid completely', () => {
  it('requests the refunded amount again, and completes only once it is paid', async () => {
    await world.paid();
    const payment = await world.paid('underpay');
    await giveBack(payment, '24.99');
    expect(await asked(payment)).toBe('0.4999');
    expect(await world.read(payment)).toMatchObject({
      status: 'underpaid',
      receivedFiat: '25',
      keptFiat: '0.01',
    });
    await send(payment, '0.25');
    expect(await world.read(payment)).toMatchObject({ status: 'underpaid', keptFiat: '25.01' });
    await world.pay(payment, 'exact');
    expect(await world.read(payment)).toMatchObject({ status: 'completed', exception: null, keptFiat: '50' });
  });

  it('adds up money in two coins, one of which was refunded', async () => {
    await world.paid();
    const payment = await world.shop.order(['LTC', 'BTC']);
    await send(payment, '0.2');
    await send(payment, '0.00015', 'BTC');
    await world.claim(await world.newLink(payment, { coin: 'LTC' }));
    await sendClaims(world.deps());
    expect(await asked(payment, 'BTC')).toBe('0.00035');
    await send(payment, '0.00015', 'BTC');
    expect((await world.read(payment)).status).toBe('underpaid');
    expect(await asked(payment, 'BTC')).toBe('0.0002');
  });

  it('completes when the retained money covers the price after several payments and refunds', async () => {
    await world.paid();
    const payment = await world.shop.order(['LTC']);
    await send(payment, '0.2');
    await giveBack(payment, '19.99');
    await send(payment, '0.15');
    await giveBack(payment, '14.99');
    expect(await asked(payment)).toBe('0.4998');
    await send(payment, '0.15');
    expect((await world.read(payment)).status).toBe('underpaid');
    await world.pay(payment, 'exact');
    expect(await world.read(payment)).toMatchObject({ status: 'completed', keptFiat: '50' });
  });

  it('does not complete by money that is reserved for a refund claim', async () => {
    const payment = await world.paid('underpay');
    await world.claim(await world.newLink(payment));
    expect(await asked(payment)).toBe('0.5');
    await send(payment, '0.3');
    expect((await world.read(payment)).status).toBe('underpaid');
    expect(await asked(payment)).toBe('0.2');
  });
});

describe('a refund link for an order that is not paid completely', () => {
  it('is cancelled with a reason as soon as more money arrives', async () => {
    await world.paid();
    const payment = await world.paid('underpay');
    const link = await world.newLink(payment);
    await world.pay(payment, 'exact');
    expect((await world.read(payment)).status).toBe('completed');
    expect(await world.linkNow(link)).toMatchObject({
      status: 'cancelled',
      cancelReason: 'payment_received',
    });
    await expect(world.claim(link)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(await world.shop.eventsOf(payment)).toContain('refund.cancelled');
  });

  it('cannot be claimed after the merchant accepted the money', async () => {
    await world.paid();
    const payment = await world.paid('underpay');
    const link = await world.newLink(payment);
    await resolvePayment(
      world.deps(),
      { merchantId: world.shop.world.merchant.id, paymentId: payment.id },
      'accept',
    );
    expect((await world.read(payment)).status).toBe('completed');
    await expect(world.claim(link)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect((await world.page(link)).status).toBe('gone');
  });
});

/** In time half of the price, then late the same atoms at another rate; a half of both is claimed at their mean. */
async function claimHalf(lateRate: string): Promise<{ payment: Payment; link: RefundLinkView }> {
  await world.paid();
  const payment = await world.shop.order(['LTC']);
  await send(payment, '0.25');
  world.shop.world.clock.advance(2 * HOUR_MS);
  world.shop.rates.LTC = lateRate;
  await send(payment, '0.25');
  const link = await world.newLink(payment, amountOf('37.5'));
  await world.claim(link);
  expect(await world.linkNow(link)).toMatchObject({ status: 'claimed', coinAmounts: { LTC: '0.25' } });
  return { payment, link };
}

async function dropLate(payment: Payment): Promise<void> {
  const { txid = '' } = (await world.read(payment)).transactions.at(-1) ?? {};
  await world.shop.control('LTC').reorg({ fate: 'replaced', txids: [txid] });
  await world.shop.control('LTC').mine(3);
  await eventually(
    'the late money is gone',
    async () => world.read(payment),
    ({ transactions }) => transactions.some(({ status }) => status === 'reversed'),
  );
}

describe('a claim whose money a reorg dropped', () => {
  it('is sent at the value of the older money that pays it, so that the order owes no more than its price', async () => {
    const { payment, link } = await claimHalf('200');
    await dropLate(payment);
    await sendClaims(world.deps());
    expect(await world.linkNow(link)).toMatchObject({ status: 'paid' });
    const { value } = await world
      .deps()
      .db.selectFrom('refunds')
      .select('value')
      .where('paymentId', '=', payment.id)
      .executeTakeFirstOrThrow();
    expect(value).toBe('1/2');
    expect(await world.read(payment)).toMatchObject({ receivedFiat: '25', keptFiat: '0' });
  });
});

describe('a completed order with a later partial refund', () => {
  it('stays completed and reports the retained amount, also after a reorg that moves the payment', async () => {
    await world.paid();
    const payment = await world.paid();
    await giveBack(payment, '20');
    expect(await world.read(payment)).toMatchObject({ status: 'completed', exception: null, keptFiat: '30' });
    const [paid] = (await world.read(payment)).transactions;
    await world.shop.control('LTC').reorg({ fate: 'moved', txids: [paid?.txid ?? ''] });
    await world.shop.control('LTC').mine(3);
    await world.shop.world.sync('LTC');
    expect(await world.read(payment)).toMatchObject({ status: 'completed', keptFiat: '30' });
    expect(await world.shop.eventsOf(payment)).not.toContain('payment.underpaid');
  });

  it('requests the missing amount when the excess was refunded and a reorg then drops the transaction that paid the price', async () => {
    await world.paid();
    const payment = await world.paid('exact');
    await send(payment, '0.75');
    await giveBack(payment, '30');
    expect(await world.read(payment)).toMatchObject({ exception: 'overpaid', keptFiat: '95' });
    const price = (await world.read(payment)).transactions.find(({ amount }) => amount === '0.5');
    await world.shop.control('LTC').reorg({ fate: 'replaced', txids: [price?.txid ?? ''] });
    await world.shop.control('LTC').mine(3);
    const lost = await eventually(
      'the price is gone',
      async () => world.read(payment),
      ({ transactions }) => transactions.some(({ status }) => status === 'reversed'),
    );
    expect(lost.status).toBe('underpaid');
    expect(await asked(payment)).toBe('0.05');
  });
});
