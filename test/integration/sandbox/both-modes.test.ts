/** A shop with money in both modes: what is read shows the mode that was asked for, and changes nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressScript } from '../../../src/chains/utxo/address.ts';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import { Shop, type ApiAnswer, type PaymentJson } from '../../_helpers/api-client.ts';
import { toAtoms } from '../../_helpers/nodes/index.ts';
import { eventually } from '../../_helpers/poll.ts';
import { TillBesideNodes } from '../../_helpers/daemon-with-nodes.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

type Mode = 'live' | 'sandbox';
type Row = Record<string, unknown>;
const MODES: readonly Mode[] = ['live', 'sandbox'];
/** Foreign addresses, one for each mode. */
const AWAY = {
  live: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
  sandbox: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
};

let world: TillBesideNodes;
let sink: WebhookSink;
let shop: Shop;
const paid: Record<Mode, string> = { live: '', sandbox: '' };

const call = async <T = Row>(method: string, path: string, body?: object): Promise<ApiAnswer<T>> =>
  world.till.api.call<T>(method, path, { token: shop.secretKey, ...(body === undefined ? {} : { body }) });
const read = async <T = Row>(path: string): Promise<T> =>
  world.till.api.must<T>('GET', path, { token: shop.secretKey });
const shopMode = async (): Promise<Mode> => {
  const { merchants } = await read<{ merchants: { id: string; sandboxMode: boolean }[] }>('/merchant/list');
  return merchants.find(({ id }) => id === shop.merchantId)?.sandboxMode === true ? 'sandbox' : 'live';
};

/** One paid payment of the current mode. */
async function pay(mode: Mode): Promise<string> {
  await world.switchTo(mode);
  const amount = mode === 'live' ? '5000' : '4000';
  const { id } = await shop.createPayment({ amount, allowedCryptos: ['BTC'] });
  const { options } = await shop.payment(id);
  if (mode === 'sandbox') {
    await call('POST', '/sandbox/payment/simulate', { paymentId: id, scenario: 'exact', confirmations: 9 });
  } else {
    world.node.pay(
      addressScript(UTXO_COINS.BTC, 'regtest', options.BTC.address),
      toAtoms(options.BTC.amount),
    );
    world.node.mine(2);
  }
  await eventually(
    'to be paid',
    () => shop.payment(id),
    ({ status }) => status === 'completed',
  );
  return id;
}

beforeAll(async () => {
  sink = await WebhookSink.start();
  world = await TillBesideNodes.start();
  ({ shop } = world);
  await world.till.api.must('PATCH', '/merchant/edit', {
    token: shop.token,
    body: { merchantId: shop.merchantId, webhookUrl: sink.url },
  });
  for (const mode of MODES) paid[mode] = await pay(mode);
  for (const mode of MODES) {
    await world.switchTo(mode);
    const body = { paymentId: paid[mode], amount: '1', currency: 'USD' };
    await world.till.api.must('POST', '/payment/refund-link', { token: shop.secretKey, body });
  }
  await eventually(
    'webhooks of both',
    () => read<{ logs: { paymentId: string }[] }>('/merchant/webhook-logs?limit=100'),
    ({ logs }) => MODES.every((mode) => logs.filter(({ paymentId }) => paymentId === paid[mode]).length >= 3),
  );
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await sink?.close();
});

/** Lists by the payment that each row belongs to. */
const LISTS: readonly (readonly [path: string, list: string, payment: (row: Row) => unknown])[] = [
  ['/payment/list?limit=100', 'payments', ({ id }) => id],
  ['/payment/refund-links?limit=100', 'refundLinks', ({ paymentId }) => paymentId],
  ['/payment/export?format=json', 'lines', ({ paymentId }) => paymentId],
  ['/merchant/wallet/transactions?limit=100', 'transactions', ({ paymentId }) => paymentId],
  ['/merchant/wallet/outputs?coin=BTC&limit=100', 'outputs', ({ paymentId }) => paymentId],
  ['/merchant/events?limit=100', 'events', ({ paymentId }) => paymentId],
  ['/merchant/events?after=0&limit=100', 'events', ({ paymentId }) => paymentId],
  ['/merchant/webhook-logs?limit=100', 'logs', ({ paymentId }) => paymentId],
  ['/merchant/webhook/deliveries?limit=100', 'deliveries', ({ paymentId }) => paymentId],
];
/** These tell of both modes together unless asked, as they always did: a shop that follows them misses nothing. */
const OF_BOTH = ['events', 'logs', 'deliveries'];

describe.each(MODES)(
  'API requests with mode=live or mode=sandbox while the shop is in %s mode',
  (current) => {
    beforeAll(async () => {
      expect((await world.switchTo(current)).status).toBe(200);
    });

    it.each(LISTS)('to %s return %s of the requested mode', async (path, list, paymentOf) => {
      const rows = async (query: string): Promise<unknown[]> => {
        const data = await read<Record<string, Row[]> & { pagination?: { total: number } }>(path + query);
        if (data.pagination !== undefined) expect(data.pagination.total).toBe(data[list]?.length);
        const ids = new Set((data[list] ?? []).map(paymentOf));
        // Other tests made payments that stayed unpaid.
        return Object.values(paid).filter((id) => ids.has(id));
      };
      for (const mode of MODES) expect(await rows(`&mode=${mode}`)).toEqual([paid[mode]]);
      const without = OF_BOTH.includes(list) ? [...MODES] : [current];
      expect(await rows('')).toEqual(without.map((mode) => paid[mode]));
      const refused = await call('GET', `${path}&mode=test`);
      expect([refused.status, refused.body.error?.details?.[0]?.field]).toEqual([400, 'mode']);
    });

    it('to balances, addresses and volume return those of the requested mode', async () => {
      for (const path of ['/merchant/wallet/balances', '/merchant/wallet/addresses', '/merchant/volume']) {
        const [live, sandbox, own] = await Promise.all(
          ['?mode=live', '?mode=sandbox', ''].map((query) => read(path + query)),
        );
        expect(live, path).not.toEqual(sandbox);
        expect(own, path).toEqual(current === 'live' ? live : sandbox);
      }
      const { BTC: address } = await read<Record<string, string>>('/merchant/wallet/addresses?mode=live');
      expect(address).toMatch(/^bcrt1/);
    });

    it('that read the other mode do not change the mode of the shop, which new payments use', async () => {
      const other = MODES.find((mode) => mode !== current);
      for (const [path] of LISTS) await read(`${path}&mode=${other}`);
      await read(`/merchant/wallet/balances?mode=${other}`);
      expect(await shopMode()).toBe(current);
      const { id } = await shop.createPayment();
      expect((await shop.payment(id)).sandbox).toBe(current === 'sandbox');
      await call('POST', '/payment/cancel', { paymentId: id });
      // The query is for reading: it moves no request that writes.
      const made = await call<PaymentJson>(`POST`, `/payment/create?mode=${other}`, {
        amount: '1',
        currency: 'USD',
        customer: {},
        orderId: `query-${current}`,
      });
      expect((await shop.payment(made.body.data.id)).sandbox).toBe(current === 'sandbox');
      await call('POST', '/payment/cancel', { paymentId: made.body.data.id });
    });

    it('for a send from the wallet of the other mode are refused, and nothing is spent', async () => {
      const other: Mode = current === 'live' ? 'sandbox' : 'live';
      const before = await Promise.all(MODES.map((mode) => read(`/merchant/wallet/balances?mode=${mode}`)));
      for (const destination of Object.values(AWAY)) {
        const order = { coin: 'BTC', amount: '0.001', destination, mode: other };
        const { status, body } = await call('POST', '/merchant/wallet/send', order);
        expect([status, body.error?.code]).toEqual([409, 'INVALID_STATE']);
      }
      const after = await Promise.all(MODES.map((mode) => read(`/merchant/wallet/balances?mode=${mode}`)));
      expect(after).toEqual(before);
      expect(world.node.received).toEqual([]);
    });

    it('for a fee estimate use the balance and addresses of the requested mode', async () => {
      for (const mode of MODES) {
        const order = { coin: 'BTC', amount: '0.001', destination: AWAY[mode], mode };
        const { status, body } = await call<{ amount: string }>(
          'POST',
          '/merchant/wallet/estimate-fee',
          order,
        );
        expect([mode, status, body.data?.amount]).toEqual([mode, 200, '0.001']);
        const wrong = { ...order, destination: AWAY[mode === 'live' ? 'sandbox' : 'live'] };
        const { body: refused } = await call('POST', '/merchant/wallet/estimate-fee', wrong);
        expect([mode, refused.error?.details?.[0]?.field]).toEqual([mode, 'destination']);
      }
    });

    it('are refused when they simulate a live payment', async () => {
      const body = { paymentId: paid.live, scenario: 'exact' };
      const { status, body: answer } = await call('POST', '/sandbox/payment/simulate', body);
      expect([status, answer.error?.code]).toEqual([409, 'INVALID_STATE']);
    });
  },
);

it('a refund is paid from the wallet of its payment, live or sandbox, whatever the mode of the shop', async () => {
  for (const mode of MODES) {
    await world.switchTo(mode === 'live' ? 'sandbox' : 'live');
    const before = await read<Record<string, string>>(`/merchant/wallet/balances?mode=${mode}`);
    const other = await read(`/merchant/wallet/balances?mode=${mode === 'live' ? 'sandbox' : 'live'}`);
    const body = { paymentId: paid[mode], destination: AWAY[mode], amount: '0.01', subtractFee: true };
    expect((await call('POST', '/payment/refund', body)).body.error).toBeNull();
    const after = await read<Record<string, string>>(`/merchant/wallet/balances?mode=${mode}`);
    expect(Number(after['BTC'])).toBeLessThan(Number(before['BTC']));
    expect(await read(`/merchant/wallet/balances?mode=${mode === 'live' ? 'sandbox' : 'live'}`)).toEqual(
      other,
    );
  }
});
