import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COINS, type Coin } from '../../../src/domain/coins.ts';
import { formatCoinAmount } from '../../../src/domain/money.ts';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';
import { atoms, eventsOf, paymentThat, read, refund, type RefundedPaymentJson } from './refund-client.ts';

/** Foreign addresses, as in the wallet's tests. */
const PAYER: Readonly<Record<Coin, string>> = {
  BTC: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
  ETH: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  LTC: 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0',
  SOL: '7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv',
};

/** A block every 250 ms may hold it before it is answered. */
const taken: unknown = expect.stringMatching(/^(broadcast|confirmed)$/);

let till: Till;
let sink: WebhookSink;
let shop: Shop;

beforeAll(async () => {
  till = await Till.start();
  await till.ready();
  sink = await WebhookSink.start();
  shop = await Shop.open(till.api, { webhookUrl: sink.url });
});

afterAll(async () => {
  await till.end();
  await sink.close();
});

async function simulate(payment: { id: string }, wish: Record<string, unknown>): Promise<void> {
  await shop.api.must('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId: payment.id, ...wish },
  });
}

async function paid(coin: Coin, wish: Record<string, unknown> = {}): Promise<RefundedPaymentJson> {
  const payment = await shop.createPayment();
  await simulate(payment, { scenario: 'exact', coin, ...wish });
  return settled(payment);
}

/** Every transaction has the confirmations asked for. */
async function settled(payment: PaymentJson): Promise<RefundedPaymentJson> {
  return paymentThat(
    shop,
    payment,
    'settled',
    ({ transactions }) =>
      transactions.length > 0 && transactions.every(({ confirmations }) => confirmations >= 2),
  );
}

function half(amount: string, coin: Coin): string {
  return formatCoinAmount(atoms(amount, coin) / 2n, coin);
}

describe.each(COINS)('a %s payment', (coin) => {
  it('is refunded in full, and not more than the received amount is sent from the wallet', async () => {
    const payment = await paid(coin);
    const received = payment.options[coin].amount;
    const { status, body } = await refund(shop, { paymentId: payment.id, destination: PAYER[coin] });
    expect(body.error).toBeNull();
    expect(status).toBe(200);
    expect(body.data.status).toBe('refunded');
    const { refund: made, refunds } = body.data;
    expect(made).toMatchObject({ coin, refunded: received, destination: PAYER[coin], status: taken });
    expect(atoms(made.amount, coin) + atoms(made.fee, coin)).toBe(atoms(received, coin));
    expect(refunds).toEqual([made]);
    const told = await sink.waitForEvent('payment.refunded', payment.id);
    expect(told.body.data.payment).toMatchObject({ status: 'refunded', refunds: [{ txHash: made.txHash }] });
    const later = await paymentThat(
      shop,
      payment,
      'refund confirmed',
      (now) => now.refunds[0]?.status === 'confirmed',
    );
    expect([later.status, eventsOf(later).at(-1)]).toEqual(['refunded', 'refunded']);
  });
});

describe('a partial refund', () => {
  it('pays exactly its amount twice, and the payment becomes refunded with the last of the money', async () => {
    const payment = await paid('LTC');
    const received = payment.options.LTC.amount;
    // Pays the fees, which go on top of a stated amount.
    await paid('LTC');
    const part = half(received, 'LTC');
    const first = await refund(shop, { paymentId: payment.id, destination: PAYER.LTC, amount: part });
    expect(first.body.data).toMatchObject({
      status: 'completed',
      refund: { amount: part, refunded: part, status: taken },
    });
    expect((await read(shop, payment)).refunds).toMatchObject([{ amount: part }]);
    const tooMuch = await refund(shop, { paymentId: payment.id, destination: PAYER.LTC, amount: received });
    expect([tooMuch.status, tooMuch.body.error?.code]).toEqual([400, 'VALIDATION_INVALID']);
    expect(tooMuch.body.error?.details?.map(({ field }) => field)).toEqual(['amount']);
    const rest = formatCoinAmount(atoms(received, 'LTC') - atoms(part, 'LTC'), 'LTC');
    const last = await refund(shop, { paymentId: payment.id, destination: PAYER.LTC, amount: rest });
    expect(last.body.data).toMatchObject({
      status: 'refunded',
      refunds: [{ amount: part }, { amount: rest }],
    });
    expect(eventsOf(last.body.data).filter((type) => type === 'refunded')).toHaveLength(1);
    const none = await refund(shop, { paymentId: payment.id, destination: PAYER.LTC });
    expect([none.status, none.body.error?.code]).toEqual([409, 'INVALID_STATE']);
  });

  it('is visible only to the merchant, and in the following webhooks', async () => {
    // Change of the first refund is not spendable yet when the second is made.
    await paid('SOL');
    const payment = await paid('SOL');
    await refund(shop, {
      paymentId: payment.id,
      destination: PAYER.SOL,
      amount: half(payment.options.SOL.amount, 'SOL'),
      subtractFee: true,
    });
    const seen = await shop.api.must('GET', `/payment/get?paymentId=${payment.id}`, {
      token: shop.publicKey,
    });
    expect(seen).not.toHaveProperty('refunds');
    const rest = await refund(shop, { paymentId: payment.id, destination: PAYER.SOL });
    expect(rest.body.data.status).toBe('refunded');
    const { body } = await sink.waitForEvent('payment.refunded', payment.id);
    expect(body.data.payment?.['refunds']).toHaveLength(2);
  });
});

describe('concurrent refunds', () => {
  it('pay the received amount once, however many are requested', async () => {
    await paid('BTC');
    await paid('BTC');
    const payment = await paid('BTC');
    const answers = await Promise.all(
      Array.from({ length: 4 }, async () => refund(shop, { paymentId: payment.id, destination: PAYER.BTC })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    expect((await read(shop, payment)).refunds).toHaveLength(1);
  });

  it('are limited to the received amount in total when they are partial', async () => {
    const payment = await paid('BTC');
    const amount = formatCoinAmount((atoms(payment.options.BTC.amount, 'BTC') * 2n) / 5n, 'BTC');
    await Promise.all([paid('BTC'), paid('BTC'), paid('BTC')]);
    const wish = { paymentId: payment.id, destination: PAYER.BTC, amount };
    const answers = await Promise.all(Array.from({ length: 5 }, async () => refund(shop, wish)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 400, 400, 400]);
    const { refunds, status } = await read(shop, payment);
    expect([refunds.length, status]).toEqual([2, 'completed']);
  });
});

describe('a refund of an unusual payment', () => {
  it('requires a coin when several were paid, refunds each coin separately, and sets the status refunded with the last', async () => {
    const payment = await shop.createPayment();
    await simulate(payment, { scenario: 'underpay', coin: 'BTC' });
    await simulate(payment, { scenario: 'exact', coin: 'LTC' });
    await settled(payment);
    const unnamed = await refund(shop, { paymentId: payment.id, destination: PAYER.BTC });
    expect(unnamed.body.error?.details?.map(({ field }) => field)).toEqual(['coin']);
    const first = await refund(shop, { paymentId: payment.id, destination: PAYER.LTC, coin: 'ltc' });
    expect(first.body.data).toMatchObject({ status: 'completed', refund: { coin: 'LTC' } });
    const again = await refund(shop, { paymentId: payment.id, destination: PAYER.LTC, coin: 'LTC' });
    expect(again.body.error?.code).toBe('INVALID_STATE');
    const last = await refund(shop, { paymentId: payment.id, destination: PAYER.BTC, coin: 'BTC' });
    expect(last.body.data).toMatchObject({ status: 'refunded', refunds: [{ coin: 'LTC' }, { coin: 'BTC' }] });
  });

  it('pays the excess of an overpaid payment, which stays completed', async () => {
    const payment = await paid('LTC', { scenario: 'overpay' });
    const excess = formatCoinAmount(
      atoms(payment.options.LTC.received, 'LTC') - atoms(payment.options.LTC.amount, 'LTC'),
      'LTC',
    );
    const { body } = await refund(shop, {
      paymentId: payment.id,
      destination: PAYER.LTC,
      amount: excess,
      subtractFee: true,
    });
    expect(body.data).toMatchObject({ status: 'completed', exception: null });
    expect(atoms(body.data.refund.amount, 'LTC') + atoms(body.data.refund.fee, 'LTC')).toBe(
      atoms(excess, 'LTC'),
    );
  });

  it('pays the received amount of an underpaid payment', async () => {
    const payment = await paid('ETH', { scenario: 'underpay' });
    expect(payment.status).toBe('underpaid');
    const { body } = await refund(shop, { paymentId: payment.id, destination: PAYER.ETH });
    expect(body.data).toMatchObject({
      status: 'refunded',
      refund: { refunded: payment.options.ETH.received },
    });
  });

  it('pays the received amount of a late payment', async () => {
    const payment = await paid('BTC', { scenario: 'late' });
    expect(payment.exception).toBe('late');
    const { body } = await refund(shop, { paymentId: payment.id, destination: PAYER.BTC });
    expect(body.data).toMatchObject({ status: 'refunded', exception: 'late' });
  });

  it('pays only the money that arrived after an earlier refund', async () => {
    const payment = await paid('SOL', { scenario: 'underpay' });
    await refund(shop, { paymentId: payment.id, destination: PAYER.SOL });
    await simulate(payment, { scenario: 'underpay', coin: 'SOL' });
    await settled(payment);
    const { body } = await refund(shop, { paymentId: payment.id, destination: PAYER.SOL });
    expect(body.data.refunds).toHaveLength(2);
    expect(body.data.status).toBe('refunded');
  });

  it('does not include money that was recorded as refunded outside tilld', async () => {
    const payment = await paid('LTC');
    await shop.api.must('POST', '/payment/resolve', {
      token: shop.secretKey,
      body: { paymentId: payment.id, action: 'refunded' },
    });
    const { body } = await refund(shop, { paymentId: payment.id, destination: PAYER.LTC });
    expect(body.error).toMatchObject({ code: 'INVALID_STATE' });
  });
});

describe('POST /payment/refund', () => {
  let untouched: RefundedPaymentJson | undefined;

  it('rejects a payment without money or without enough confirmations', async () => {
    const payment = await shop.createPayment();
    const nothing = await refund(shop, { paymentId: payment.id, destination: PAYER.BTC });
    expect([nothing.status, nothing.body.error?.code]).toEqual([409, 'INVALID_STATE']);
    await simulate(payment, { scenario: 'double-spend', coin: 'BTC' });
    const gone = await refund(shop, { paymentId: payment.id, destination: PAYER.BTC, coin: 'BTC' });
    expect(gone.body.error?.code).toBe('INVALID_STATE');
  });

  it('rejects a payment of another account, public keys and missing credentials', async () => {
    const payment = await paid('BTC');
    const stranger = await Shop.open(till.api);
    const wish = { paymentId: payment.id, destination: PAYER.BTC };
    const other = await refund(shop, wish, { token: stranger.secretKey });
    expect([other.status, other.body.error?.code]).toEqual([404, 'PAYMENT_NOT_FOUND']);
    expect((await refund(shop, { ...wish, paymentId: 'pay_nothing' })).status).toBe(404);
    expect((await refund(shop, wish, { token: shop.publicKey })).status).toBe(401);
    const owner = await refund(shop, { ...wish, merchantId: shop.merchantId }, { token: shop.token });
    expect(owner.body.data.status).toBe('refunded');
  });

  it.each([
    [{ amount: '0' }, 'amount'],
    [{ amount: '0.000000001' }, 'amount'],
    [{ amount: '0.00000001' }, 'amount'],
    [{ amount: '99' }, 'amount'],
    [{ coin: 'DOGE' }, 'coin'],
    [{ destination: PAYER.LTC }, 'destination'],
    [{ destination: 'nonsense' }, 'destination'],
  ])('rejects %j, names the field and stores nothing', async (fields, field) => {
    untouched ??= await paid('BTC');
    const payment = untouched;
    const { status, body } = await refund(shop, {
      paymentId: payment.id,
      destination: PAYER.BTC,
      ...fields,
    });
    expect([status, body.error?.code]).toEqual([400, 'VALIDATION_INVALID']);
    expect(body.error?.details?.map((detail) => detail.field)).toEqual([field]);
    expect((await read(shop, payment)).refunds).toEqual([]);
  });

  it('rejects an address of the merchant as the destination', async () => {
    const payment = await paid('BTC');
    for (const destination of [shop.wallets.BTC, payment.options.BTC.address]) {
      const { body } = await refund(shop, { paymentId: payment.id, destination });
      expect(body.error?.details?.map(({ field }) => field)).toEqual(['destination']);
    }
  });

  it('rejects an amount above the wallet balance when coins were sent elsewhere', async () => {
    const poor = await Shop.open(till.api);
    const payment = await poor.createPayment();
    await poor.api.must('POST', '/sandbox/payment/simulate', {
      token: poor.secretKey,
      body: { paymentId: payment.id, scenario: 'exact', coin: 'SOL' },
    });
    await paymentThat(poor, payment, 'completed', (now) => now.status === 'completed');
    const { amount } = payment.options.SOL;
    await poor.send({ coin: 'SOL', amount, destination: PAYER.SOL, subtractFee: true });
    const { status, body } = await refund(poor, { paymentId: payment.id, destination: PAYER.SOL });
    expect([status, body.error?.code]).toEqual([400, 'INSUFFICIENT_BALANCE']);
    expect((await read(poor, payment)).status).toBe('completed');
  });
});

describe('a refund with an Idempotency-Key', () => {
  it('pays once however often it is repeated, and rejects a different request with the same key', async () => {
    const payment = await paid('LTC');
    const wish = { paymentId: payment.id, destination: PAYER.LTC };
    const first = await refund(shop, wish, { key: `refund-${payment.id}` });
    const again = await refund(shop, wish, { key: `refund-${payment.id}` });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await refund(shop, { ...wish, amount: '0.1' }, { key: `refund-${payment.id}` });
    expect([other.status, other.body.error?.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    const send = await shop.send(
      { coin: 'LTC', amount: '0.1', destination: PAYER.LTC },
      { 'idempotency-key': `refund-${payment.id}` },
    );
    expect(send.body.error?.code).toBe('IDEMPOTENCY_MISMATCH');
    expect((await read(shop, payment)).refunds).toHaveLength(1);
  });
});
