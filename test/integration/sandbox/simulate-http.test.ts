import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COINS } from '../../../src/domain/coins.ts';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop, type ApiAnswer, type PaymentJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';

const PATH = '/sandbox/payment/simulate';

let till: Till;
let shop: Shop;

beforeAll(async () => {
  till = await Till.start();
  await till.ready();
  shop = await Shop.open(till.api);
});

afterAll(async () => {
  await till.end();
});

async function simulate(
  body: Record<string, unknown>,
  token = shop.secretKey,
): Promise<ApiAnswer<PaymentJson>> {
  return shop.api.call<PaymentJson>('POST', PATH, { token, body });
}

async function settled(payment: { id: string }, status: string): Promise<PaymentJson> {
  return eventually(
    `payment ${status}`,
    async () => shop.payment(payment.id),
    (now) => now.status === status,
  );
}

function typesOf(payment: PaymentJson): string[] {
  return payment.timeline.map((entry) => entry.type);
}

describe('POST /sandbox/payment/simulate', () => {
  it.each(COINS)('pays a payment exactly in %s, which completes automatically', async (coin) => {
    const payment = await shop.createPayment();
    const { status, body } = await simulate({ paymentId: payment.id, scenario: 'exact', coin });
    expect(status).toBe(200);
    expect(body.data.id).toBe(payment.id);
    expect(['confirming', 'completed']).toContain(body.data.status);
    const done = await settled(payment, 'completed');
    expect(done.exception).toBeNull();
    expect(typesOf(done)).toEqual(['payment.created', 'payment.confirming', 'payment.completed']);
  });

  it('pays a payment too much, which completes and emits the excess', async () => {
    const payment = await shop.createPayment();
    await simulate({ paymentId: payment.id, scenario: 'overpay' });
    expect((await settled(payment, 'completed')).exception).toBe('overpaid');
  });

  it('pays the remainder in another coin, and the payment completes without exception or tolerance', async () => {
    const strict = await Shop.open(till.api, { settings: { tolerancePercent: '0' } });
    const { id: paymentId, options } = await strict.createPayment({ amount: '10', currency: 'EUR' });
    const play = async (fields: object): Promise<unknown> =>
      strict.api.must('POST', PATH, { token: strict.secretKey, body: { paymentId, ...fields } });
    await play({ scenario: 'underpay', coin: 'BTC', amount: '0.00005' });
    // What is missing in LTC then is no whole number of atoms.
    const [btc, ltc] = [options.BTC, options.LTC].map(({ amount }) => parseCoinAmount(amount, 'BTC'));
    expect((ltc! * 5_000n) % btc!).not.toBe(0n);
    await play({ scenario: 'exact', coin: 'LTC' });
    const done = await eventually(
      'the payment is completed',
      () => strict.payment(paymentId),
      ({ status }) => status === 'completed',
    );
    expect(done.exception).toBeNull();
    expect(typesOf(done)).not.toContain('payment.overpaid');
  });

  it('reverses a payment by a double spend while blocks continue', async () => {
    const payment = await shop.createPayment();
    const { status, body } = await simulate({ paymentId: payment.id, scenario: 'double-spend', coin: 'LTC' });
    expect(status).toBe(200);
    expect(body.data.transactions.map((transaction) => transaction.status)).toEqual(['reversed']);
    expect(typesOf(body.data)).toContain('payment.reversed');
  });

  it('reverses a payment by a reorg while blocks continue', async () => {
    const payment = await shop.createPayment();
    const { status, body } = await simulate({ paymentId: payment.id, scenario: 'reorg', coin: 'SOL' });
    expect(status).toBe(200);
    expect(body.data.transactions.map((transaction) => transaction.status)).toEqual(['reversed']);
    expect(typesOf(body.data)).toContain('payment.reversed');
  });

  it('pays a payment after its expiry, as late money', async () => {
    const payment = await shop.createPayment();
    const { body } = await simulate({ paymentId: payment.id, scenario: 'late' });
    expect(body.data.transactions).toMatchObject([{ late: true }]);
    expect(typesOf(body.data).slice(0, 3)).toEqual(['payment.created', 'payment.expired', 'payment.late']);
    expect((await settled(payment, 'completed')).exception).toBe('late');
  });

  it('accepts a user token with merchantId, but no public key and no other account', async () => {
    const payment = await shop.createPayment();
    const wish = { paymentId: payment.id, scenario: 'underpay' };
    const stranger = await Shop.open(till.api);
    expect((await simulate(wish, shop.publicKey)).status).toBe(401);
    // The payment names its merchant.
    expect((await simulate(wish, shop.token)).status).toBe(200);
    const { id } = await shop.createPayment();
    expect((await simulate({ ...wish, paymentId: id }, shop.token)).status).toBe(200);
    expect((await simulate(wish, stranger.secretKey)).body.error?.code).toBe('PAYMENT_NOT_FOUND');
    expect((await shop.api.call('POST', PATH, { body: wish })).status).toBe(401);
    const accepted = await simulate({ ...wish, merchantId: shop.merchantId }, shop.token);
    expect([accepted.status, accepted.body.data.status]).toEqual([200, 'underpaid']);
  });

  it.each([
    [{ scenario: 'steal' }, 'scenario'],
    [{}, 'scenario'],
    [{ scenario: 'exact', coin: 'DOGE' }, 'coin'],
    [{ scenario: 'exact', amount: '-1' }, 'amount'],
    [{ scenario: 'exact', amount: 1 }, 'amount'],
    [{ scenario: 'confirm', confirmations: 0 }, 'confirmations'],
    [{ scenario: 'confirm', confirmations: 101 }, 'confirmations'],
  ])('rejects %j, naming the field', async (fields, field) => {
    const payment = await shop.createPayment();
    const { status, body } = await simulate({ paymentId: payment.id, ...fields });
    expect([status, body.error?.code]).toEqual([400, 'VALIDATION_INVALID']);
    expect(body.error?.details?.map((detail) => detail.field)).toEqual([field]);
  });
});
