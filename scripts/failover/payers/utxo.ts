import { startNode, toAtoms, type NodeCoin } from '../../../test/_helpers/nodes/index.ts';
import { liveEnv } from '../../../test/_helpers/till.ts';
import type { Payer } from '../payer.ts';

const OUTPUTS = 20;
const OUTPUT_ATOMS = 10_000_000n;

/** Pays on a bitcoind or litecoind that it starts. */
export async function utxoPayer(coin: NodeCoin): Promise<Payer> {
  const node = await startNode(coin);
  return {
    coin,
    env: liveEnv({ [coin]: node.rpcUrl }),
    sends: '0.0001',
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
