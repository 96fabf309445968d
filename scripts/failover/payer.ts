import type { ApiClient, PaymentJson } from '../../test/_helpers/api-client.ts';
import { Shop } from '../../test/_helpers/api-client.ts';
import { startNode, toAtoms, type NodeCoin } from '../../test/_helpers/nodes/index.ts';
import { liveEnv, type Env } from '../../test/_helpers/till.ts';

/** The other side of a shop's money: payers, those who get what it sends, and miners. */
export interface Payer {
  readonly coin: NodeCoin;
  /** Settings of the till beside it. */
  readonly env: Env;
  /** Gives the shop money to send, confirmed. */
  fund(shop: Shop): Promise<void>;
  pay(api: ApiClient, secretKey: string, payment: PaymentJson): Promise<void>;
  /** An address that was never paid. */
  newDestination(): Promise<string>;
  mine(): Promise<void>;
  /** Transactions that pay an address of newDestination, mined or not. */
  paidTimes(destination: string): Promise<number>;
  stop(): Promise<void>;
}

const OUTPUTS = 20;
const OUTPUT_ATOMS = 10_000_000n;

/** Beside a real node. */
export async function nodePayer(coin: NodeCoin): Promise<Payer> {
  const node = await startNode(coin);
  return {
    coin,
    env: liveEnv({ [coin]: node.rpcUrl }),
    fund: async (shop) => {
      for (let output = 0; output < OUTPUTS; output += 1)
        await node.pay({ address: shop.wallets[coin], amountAtoms: OUTPUT_ATOMS });
      await node.mine(1);
    },
    pay: async (_api, _key, payment) => {
      const { address, amount } = payment.options[coin];
      await node.pay({ address, amountAtoms: toAtoms(amount) });
    },
    newDestination: async () => node.newAddress(),
    mine: async () => void (await node.mine(1)),
    paidTimes: async (destination) => {
      const args = [0, false, false, destination];
      const [found] = await node.walletRpc<{ txids: string[] }[]>('listreceivedbyaddress', args);
      return found?.txids.length ?? 0;
    },
    stop: async () => node.stop(),
  };
}

/** On the till's own test network: another shop of the same till gets what is sent. */
export function sandboxPayer(apiOf: () => ApiClient): Payer {
  const coin = 'BTC';
  const payments = new Map<string, string>();
  let other: Shop | null = null;
  const ask = async (path: string): Promise<PaymentJson> =>
    apiOf().must<PaymentJson>('GET', path, { token: other?.secretKey ?? '' });
  const simulate = async (api: ApiClient, token: string, paymentId: string): Promise<void> => {
    const body = { paymentId, scenario: 'exact', coin };
    await api.must('POST', '/sandbox/payment/simulate', { token, body });
  };
  return {
    coin,
    env: {},
    fund: async (shop) => {
      other = await Shop.open(shop.api);
      for (let made = 0; made < OUTPUTS; made += 1)
        await simulate(shop.api, shop.secretKey, (await shop.createPayment({ amount: '1000' })).id);
    },
    pay: async (api, secretKey, { id }) => simulate(api, secretKey, id),
    newDestination: async () => {
      const { publicKey: token, customerId } = other ?? { publicKey: '', customerId: '' };
      const body = {
        amount: '10',
        currency: 'USD',
        customerId,
        orderId: `got-${payments.size}-${Date.now()}`,
      };
      const { id, options } = await apiOf().must<PaymentJson>('POST', '/payment/create', { token, body });
      payments.set(options[coin].address, id);
      return options[coin].address;
    },
    mine: async () => undefined,
    paidTimes: async (destination) => {
      const { transactions } = await ask(`/payment/get?paymentId=${payments.get(destination) ?? ''}`);
      return new Set(transactions.map(({ txid }) => txid)).size;
    },
    stop: async () => undefined,
  };
}
