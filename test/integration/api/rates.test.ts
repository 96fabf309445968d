import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { Till } from '../../_helpers/till.ts';

type Rates = { rates: Record<string, { rate: string; sources: string[]; at: string }> };

let till: Till;
let shop: Shop;
beforeAll(async () => {
  till = await Till.start({ TILLD_RATES: 'fixed:BTC=100000,LTC=100.5,USD/EUR=0.92,USD/JPY=150' });
  shop = await Shop.open(till.api);
});
afterAll(async () => till.end());

const ask = (query: string, token = shop.publicKey) =>
  till.api.call<Rates>('GET', `/rates${query}`, { token });

describe('GET /rates', () => {
  it('returns prices in dollars when no currency is given, and omits coins without a price', async () => {
    const { status, body } = await ask('');
    expect(status).toBe(200);
    expect(body.data.rates).toEqual({
      BTC: { rate: '100000', sources: ['fixed'], at: expect.stringMatching(/^\d{4}-.*Z$/) },
      LTC: { rate: '100.5', sources: ['fixed'], at: expect.any(String) },
    });
  });

  it('accepts every currency with a price, in any case', async () => {
    expect((await ask('?currency=eur')).body.data.rates['BTC']?.rate).toBe('92000');
    expect((await ask('?currency=JPY')).body.data.rates['LTC']?.rate).toBe('15075');
  });

  it('answers 503 RATE_UNAVAILABLE when no coin has a price in the currency', async () => {
    const { status, body } = await ask('?currency=CHF');
    expect([status, body.error?.code]).toEqual([503, 'RATE_UNAVAILABLE']);
    expect(body.error?.message).toContain('CHF');
  });

  it('rejects an invalid currency and names the field', async () => {
    for (const currency of ['', 'US', 'BTC', 'dollar', '%00%00%00', '123']) {
      const { status, body } = await ask(`?currency=${currency}`);
      expect([status, body.error?.details?.[0]?.field]).toEqual([400, 'currency']);
    }
  });

  it('accepts payers, merchants, and users for their own merchant', async () => {
    expect((await ask('', shop.secretKey)).status).toBe(200);
    expect((await ask(`?merchantId=${shop.merchantId}`, shop.token)).status).toBe(200);
    const unnamed = await ask('', shop.token);
    expect([unnamed.status, unnamed.body.error?.details?.[0]?.field]).toEqual([400, 'merchantId']);
    const other = await Shop.open(till.api);
    expect((await ask(`?merchantId=${other.merchantId}`, shop.token)).body.error?.code).toBe(
      'MERCHANT_NOT_FOUND',
    );
  });

  it('returns the rates that a payment created now gets', async () => {
    const { options } = await shop.createPayment({
      amount: '10050',
      currency: 'USD',
      allowedCryptos: ['LTC'],
    });
    expect(options.LTC.amount).toBe('100');
    expect((await ask('')).body.data.rates['LTC']?.rate).toBe('100.5');
  });
});
