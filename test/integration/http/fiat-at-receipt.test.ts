import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

interface Priced extends PaymentJson {
  readonly receivedFiat: string | null;
  readonly transactions: (PaymentJson['transactions'][number] & {
    readonly fiatAmount: string | null;
    readonly rate: string | null;
    readonly rateAt: string | null;
  })[];
}

describe('the fiat value of money at receipt', () => {
  let till: Till;
  let sink: WebhookSink;
  let shop: Shop;

  beforeAll(async () => {
    till = await Till.start({
      TILLD_SANDBOX_BLOCK_INTERVAL: '10m',
      TILLD_RATES: 'fixed:BTC=100000,LTC=100,ETH=4000,SOL=200',
    });
    sink = await WebhookSink.start();
    await till.ready();
    shop = await Shop.open(till.api, { webhookUrl: sink.url });
  });
  afterAll(async () => {
    await till.end();
    await sink.close();
  });

  const simulate = async (paymentId: string, fields: object): Promise<void> => {
    await shop.api.must('POST', '/sandbox/payment/simulate', {
      token: shop.secretKey,
      body: { paymentId, coin: 'BTC', ...fields },
    });
  };
  const priced = async (id: string): Promise<Priced> => (await shop.payment(id)) as Priced;

  it('is shown for each transaction and the total, also in the first webhook about the money', async () => {
    const { id } = await shop.createPayment({ amount: '50', currency: 'USD' });
    expect(await priced(id)).toMatchObject({ receivedFiat: '0', transactions: [] });
    await simulate(id, { scenario: 'exact', amount: '0.0003' });
    const { body } = await sink.waitForEvent('payment.underpaid', id);
    expect(body.data.payment).toMatchObject({
      receivedFiat: '30',
      transactions: [{ fiatAmount: '30', rate: '100000' }],
    });
    await simulate(id, { scenario: 'exact', amount: '0.00025', confirmations: 3 });
    const done = await eventually(
      'it is paid',
      () => priced(id),
      ({ status }) => status === 'completed',
    );
    expect(done.receivedFiat).toBe('55');
    expect(done.transactions.map(({ fiatAmount }) => fiatAmount)).toEqual(['30', '25']);
    for (const { rateAt } of done.transactions) expect(rateAt).toMatch(/^\d{4}-.*Z$/);
  });

  it('is rounded down to the minor unit', async () => {
    const { id } = await shop.createPayment({ amount: '50', currency: 'USD' });
    await simulate(id, { scenario: 'exact', amount: '0.00012349' });
    await eventually(
      'the money is seen',
      () => priced(id),
      ({ status }) => status === 'underpaid',
    );
    expect((await priced(id)).transactions[0]?.fiatAmount).toBe('12.34');
  });

  it('excludes reversed money', async () => {
    const { id } = await shop.createPayment({ amount: '50', currency: 'USD' });
    await simulate(id, { scenario: 'double-spend' });
    const gone = await eventually(
      'it is gone',
      () => priced(id),
      ({ transactions: [first] }) => first?.status === 'reversed',
    );
    expect(gone).toMatchObject({ receivedFiat: '0', transactions: [{ fiatAmount: '50' }] });
  });
});
