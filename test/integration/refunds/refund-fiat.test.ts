import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RateQuote } from '../../../src/domain/ports.ts';
import { refundPayment } from '../../../src/usecases/refunds/refund-payment.ts';
import { Shop, type ApiAnswer } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { openSandboxShop } from '../sandbox/sandbox-shop.ts';
import { paymentThat, refund, type RefundedPaymentJson } from './refund-client.ts';

const PAYER = 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0';

let till: Till;
let shop: Shop;

beforeAll(async () => {
  till = await Till.start();
  await till.ready();
  shop = await Shop.open(till.api);
  // Pays the fees, which go on top of a stated amount.
  await paid();
});

afterAll(async () => till.end());

/** 100 USD, received as 1 LTC with all its confirmations. */
async function paid(): Promise<RefundedPaymentJson> {
  const payment = await shop.createPayment({ allowedCryptos: ['LTC'] });
  await shop.api.must('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId: payment.id, scenario: 'exact', coin: 'LTC' },
  });
  return paymentThat(shop, payment, 'completed', ({ status }) => status === 'completed');
}

async function give(paymentId: string, wish: Record<string, unknown>, key?: string) {
  const body = { paymentId, destination: PAYER, ...wish };
  return refund(shop, body, key === undefined ? {} : { key });
}

function problem({ status, body }: ApiAnswer<unknown>): unknown[] {
  return [status, body.error?.code, body.error?.details?.map(({ field }) => field)];
}

describe('a refund with a fiat amount', () => {
  it('pays whole atoms at the rate of the payment, rounded down', async () => {
    const { id } = await paid();
    const { body } = await give(id, { amount: '33.33', currency: 'usd' });
    expect(body.error).toBeNull();
    expect(body.data.refund).toMatchObject({ coin: 'LTC', amount: '0.3333', refunded: '0.3333' });
    expect(body.data.status).toBe('completed');
  });

  it('refunds exactly the requested amount for the whole price', async () => {
    const { id } = await paid();
    const tooMuch = await give(id, { amount: '100.01', currency: 'USD' });
    expect(problem(tooMuch)).toEqual([400, 'VALIDATION_INVALID', ['amount']]);
    expect(tooMuch.body.error?.message).toContain('at most 1 LTC (100 USD)');
    const { body } = await give(id, { amount: '100', currency: 'USD', rate: 'received' });
    expect(body.data).toMatchObject({ status: 'refunded', refund: { refunded: '1' } });
  });

  it('reports its fiat value whether requested in fiat or in coins, and emits a payment event for each partial refund', async () => {
    const { id } = await paid();
    await give(id, { amount: '33.33', currency: 'USD' });
    await give(id, { amount: '0.3333' });
    const rest = await give(id, { subtractFee: true });
    const { refunds, timeline, status } = rest.body.data;
    expect(refunds.map(({ fiatAmount, linkId }) => [fiatAmount, linkId])).toEqual([
      ['33.33', null],
      ['33.33', null],
      ['33.34', null],
    ]);
    expect(status).toBe('refunded');
    expect(timeline.slice(-3).map(({ type }) => type)).toEqual([
      'payment.partially_refunded',
      'payment.partially_refunded',
      'payment.refunded',
    ]);
  });

  it('rejects invalid fields by name', async () => {
    const { id } = await paid();
    const ask = async (wish: Record<string, unknown>) => problem(await give(id, wish));
    expect(await ask({ amount: '1', currency: 'EUR' })).toEqual([400, 'VALIDATION_INVALID', ['currency']]);
    expect(await ask({ currency: 'USD' })).toEqual([400, 'VALIDATION_INVALID', ['amount']]);
    expect(await ask({ amount: '1', rate: 'current' })).toEqual([400, 'VALIDATION_INVALID', ['currency']]);
    expect(await ask({ amount: '1.001', currency: 'USD' })).toEqual([400, 'VALIDATION_INVALID', ['amount']]);
    expect(await ask({ amount: '1', currency: 'USD', rate: 'best' })).toEqual([
      400,
      'VALIDATION_INVALID',
      ['rate'],
    ]);
  });
});

const quoting = (rate: () => string) => ({
  quote: (): RateQuote => ({ coin: 'LTC', currency: 'USD', rate: rate(), sources: ['test'], at: 0 }),
  ensure: async () => {},
});

describe('a refund at the current rate', () => {
  it('sends more or fewer coins than received, but never more than all of them', async () => {
    const sandbox = await openSandboxShop();
    try {
      const payment = await sandbox.order(['LTC']);
      await sandbox.simulate(payment, { scenario: 'exact', coin: 'LTC', confirmations: 2 });
      const other = await sandbox.order(['LTC']);
      await sandbox.simulate(other, { scenario: 'exact', coin: 'LTC', confirmations: 2 });
      const { world } = sandbox;
      await eventually(
        'it is settled',
        async () => world.balance('LTC'),
        (balance) => balance === '1',
      );
      const order = async (rate: () => string, amount: string, key: string | null = null) =>
        refundPayment(
          { ...world.deps, rates: quoting(rate) },
          {
            merchant: world.merchant,
            paymentId: payment.id,
            destination: PAYER,
            amount,
            currency: 'USD',
            rate: 'current',
            idempotencyKey: key,
          },
        );
      // 0.5 LTC were 50 USD.
      await expect(order(() => '50', '50.00')).rejects.toMatchObject({ code: 'VALIDATION_INVALID' });
      let asked = 0;
      const rising = (): string => String(200 + 100 * asked++);
      const { refund: made } = await order(rising, '20.00', 'once');
      expect(made.refunded).toBe('0.1');
      const again = await order(() => '999', '20.00', 'once');
      expect(again.refunds).toHaveLength(1);
      await expect(order(() => '999', '21.00', 'once')).rejects.toMatchObject({
        code: 'IDEMPOTENCY_MISMATCH',
      });
    } finally {
      await sandbox.close();
    }
  });
});
