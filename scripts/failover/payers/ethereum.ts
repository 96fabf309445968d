import { parseUnits } from 'ethers';
import pLimit from 'p-limit';
import { Anvil } from '../../../test/_helpers/anvil/anvil.ts';
import { liveEnv } from '../../../test/_helpers/till.ts';
import type { Payer } from '../payer.ts';

const DECIMALS = 18;
const SENDS = '0.0001';
const FUNDS = parseUnits('50', DECIMALS);

/** Pays on an anvil that it starts. */
export async function ethereumPayer(): Promise<Payer> {
  const node = await Anvil.start();
  // One account pays: each of its transactions needs the next nonce.
  const inTurn = pLimit(1);
  const pay = async (address: string, amount: bigint): Promise<void> =>
    void (await inTurn(async () => node.pay({ address, amount })));
  return {
    coin: 'ETH',
    env: liveEnv({ ETH: node.rpcUrl }),
    sends: SENDS,
    fund: async (shop) => {
      await pay(shop.wallets.ETH, FUNDS);
      await node.mine(5);
    },
    pay: async (_api, _key, { options }) =>
      pay(options.ETH.address, parseUnits(options.ETH.amount, DECIMALS)),
    newDestination: async () => node.newAddress(),
    mine: async () => node.mine(),
    paidTimes: async (destination) => Number((await node.balance(destination)) / parseUnits(SENDS, DECIMALS)),
    stop: async () => node.stop(),
  };
}
