import { Shop, type ApiClient, type PaymentJson } from '../../../test/_helpers/api-client.ts';
import type { Payer } from '../payer.ts';

const COIN = 'BTC';
const PAYMENTS = 20;

/** On the daemon's simulated network: another shop of the same daemon receives the sends. */
export function sandboxPayer(apiOf: () => ApiClient): Payer {
  const payments = new Map<string, string>();
  let other: Shop | null = null;
  const simulate = async (api: ApiClient, token: string, paymentId: string): Promise<void> => {
    const body = { paymentId, scenario: 'exact', coin: COIN };
    await api.must('POST', '/sandbox/payment/simulate', { token, body });
  };
  return {
    coin: COIN,
    env: {},
    sends: '0.0001',
    fund: async (shop) => {
      other = await Shop.open(shop.api);
      for (let made = 0; made < PAYMENTS; made += 1)
        await simulate(shop.api, shop.secretKey, (await shop.createPayment({ amount: '1000' })).id);
    },
    pay: async (api, secretKey, { id }) => simulate(api, secretKey, id),
    newDestination: async () => {
      const { publicKey: token, customerId } = other ?? { publicKey: '', customerId: '' };
      const orderId = `got-${payments.size}-${Date.now()}`;
      const body = { amount: '10', currency: 'USD', customerId, orderId };
      const { id, options } = await apiOf().must<PaymentJson>('POST', '/payment/create', { token, body });
      payments.set(options[COIN].address, id);
      return options[COIN].address;
    },
    mine: async () => undefined,
    paidTimes: async (destination) => {
      const path = `/payment/get?paymentId=${payments.get(destination) ?? ''}`;
      const { transactions } = await apiOf().must<PaymentJson>('GET', path, {
        token: other?.secretKey ?? '',
      });
      return new Set(transactions.map(({ txid }) => txid)).size;
    },
    stop: async () => undefined,
  };
}
