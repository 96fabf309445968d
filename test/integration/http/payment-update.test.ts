import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop, type ApiAnswer, type PaymentJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

const ROUNDS = 40;
const ABOUT_MONEY = ['payment.confirming', 'payment.underpaid', 'payment.completed', 'payment.overpaid'];

let till: Till;
let sink: WebhookSink;
let shop: Shop;

beforeAll(async () => {
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '10m' });
  sink = await WebhookSink.start();
  await till.ready();
  shop = await Shop.open(till.api, { webhookUrl: sink.url });
});
afterAll(async () => {
  await till.end();
  await sink.close();
});

interface Timed extends PaymentJson {
  readonly amount: string;
  readonly description: string | null;
  readonly priceId: string | null;
  readonly lines: readonly object[];
}

const update = async (paymentId: string, fields: object): Promise<ApiAnswer<Timed>> =>
  shop.api.call<Timed>('PATCH', '/payment/update', { token: shop.secretKey, body: { paymentId, ...fields } });

const simulate = async (paymentId: string, scenario: string): Promise<ApiAnswer<PaymentJson>> =>
  shop.api.call<PaymentJson>('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId, scenario, coin: 'BTC' },
  });

describe('PATCH /payment/update', () => {
  it('quotes the new price at the same addresses, with a new deadline, and emits an event', async () => {
    const before = await shop.createPayment({ amount: '10', currency: 'USD' });
    till.clock.advance(60_000);
    const { status, body } = await update(before.id, { amount: '20' });
    expect(status).toBe(200);
    const after = body.data;
    for (const [coin, option] of Object.entries(after.options)) {
      const old = before.options[coin as 'BTC'];
      expect(option.address).toBe(old.address);
      expect(parseCoinAmount(option.amount, coin as 'BTC')).toBe(
        2n * parseCoinAmount(old.amount, coin as 'BTC'),
      );
    }
    expect(Date.parse(after.expiresAt)).toBeGreaterThanOrEqual(Date.parse(before.expiresAt) + 60_000);
    const { body: event } = await sink.waitForEvent('payment.updated', before.id);
    expect(event).toMatchObject({ sequence: 2, data: { payment: { amount: '20', status: 'pending' } } });
    const { status: paid } = await simulate(before.id, 'exact');
    expect(paid).toBe(200);
    expect((await shop.payment(before.id)).options.BTC.received).toBe(after.options.BTC.amount);
  });

  it('changes the given fields, leaves the others unchanged, and clears a field with an empty text', async () => {
    const { id } = await shop.createPayment({
      amount: '10',
      currency: 'USD',
      description: 'Tea',
      returnUrl: 'https://shop.example/cart',
      lines: [{ name: 'Tea', quantity: 1, amount: '9' }],
    });
    const one = await update(id, { description: '', successUrl: 'https://shop.example/thanks' });
    expect(one.body.data).toMatchObject({
      amount: '10',
      description: null,
      successUrl: 'https://shop.example/thanks',
      returnUrl: 'https://shop.example/cart',
      lines: [{ name: 'Tea', quantity: 1, amount: '9' }],
    });
    const two = await update(id, { returnUrl: '', lines: [] });
    expect(two.body.data).toMatchObject({ returnUrl: null, lines: [] });
  });

  it('rejects a price below the sum of line items, another currency without a price, and an amount too small for an offered coin', async () => {
    const { id } = await shop.createPayment({
      amount: '10',
      currency: 'USD',
      lines: [{ name: 'Tea', quantity: 1, amount: '9' }],
    });
    const fieldOf = async (fields: object): Promise<unknown> => {
      const { status, body } = await update(id, fields);
      return [status, body.error?.details?.[0]?.field];
    };
    expect(await fieldOf({ amount: '8' })).toEqual([400, 'lines']);
    expect(await fieldOf({ currency: 'EUR' })).toEqual([400, 'amount']);
    expect(await fieldOf({ amount: '0.01', lines: [] })).toEqual([400, 'amount']);
    expect((await update(id, { amount: '8', lines: [] })).status).toBe(200);
  });

  it('keeps the number of confirmations that the payment requires', async () => {
    const { id } = await shop.createPayment({ confirmations: { BTC: 9 }, allowedCryptos: ['BTC'] });
    const { body } = await update(id, { amount: '77' });
    expect(body.data.options.BTC.requiredConfirmations).toBe(9);
  });

  it.each([
    ['once money was seen', async (id: string) => simulate(id, 'underpay')],
    [
      'once money was seen, also when it is gone again and the payment is pending',
      async (id: string) => {
        await simulate(id, 'double-spend');
        await eventually(
          'the money is gone',
          () => shop.payment(id),
          ({ status, transactions: [first] }) => status === 'pending' && first?.status === 'reversed',
        );
      },
    ],
    [
      'once the payment is cancelled',
      async (id: string) =>
        shop.api.must('POST', '/payment/cancel', { token: shop.secretKey, body: { paymentId: id } }),
    ],
  ])('is refused %s', async (_when, happens) => {
    const { id } = await shop.createPayment({});
    await happens(id);
    const { status, body } = await update(id, { amount: '1000' });
    expect([status, body.error?.code]).toEqual([409, 'INVALID_STATE']);
  });

  it('is refused after the deadline, and does not reopen an expired payment', async () => {
    const { id } = await shop.createPayment({ lifetimeMinutes: 5 });
    till.clock.advance(5 * 60_000);
    expect((await update(id, { amount: '1000' })).status).toBe(409);
  });

  it('answers 404 for a payment of another merchant', async () => {
    const other = await Shop.open(till.api);
    const { id } = await other.createPayment({});
    expect((await update(id, { amount: '1000' })).status).toBe(404);
  });

  it('is never applied after money was seen, even when both happen concurrently', async () => {
    let updated = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id } = await shop.createPayment({ amount: '10', currency: 'USD' });
      const [answer] = await Promise.all([update(id, { amount: '20' }), simulate(id, 'exact')]);
      expect([200, 409]).toContain(answer.status);
      if (answer.status === 200) updated += 1;
      const paid = await eventually(
        'the money is seen',
        async () => (await shop.payment(id)) as Timed,
        ({ status }) => status !== 'pending',
      );
      const { received, amount } = paid.options.BTC;
      expect(paid.amount).toBe(answer.status === 200 ? '20' : '10');
      expect(paid.status).toBe(
        parseCoinAmount(received, 'BTC') >= parseCoinAmount(amount, 'BTC') ? 'confirming' : 'underpaid',
      );
      const types = paid.timeline.map(({ type }) => type);
      const firstMoney = types.findIndex((type) => ABOUT_MONEY.includes(type));
      expect(types.slice(firstMoney)).not.toContain('payment.updated');
    }
    expect(updated).toBeGreaterThan(0);
  });
});
