import { parseUnits } from 'ethers';
import { SvmNode } from '../../../test/_helpers/svm/node.ts';
import { Payer as Wallet, strangerAddress } from '../../../test/_helpers/svm/payer.ts';
import { liveEnv } from '../../../test/_helpers/till.ts';
import type { Payer } from '../payer.ts';

const DECIMALS = 9;
/** Above the rent exemption of a new account. */
const SENDS = '0.001';
const FUNDS = parseUnits('200', DECIMALS);
const FINAL = 40;

/** Pays on an SVM with a ledger. */
export async function solanaPayer(): Promise<Payer> {
  const node = await SvmNode.start();
  const wallet = new Wallet(node, parseUnits('100000', DECIMALS));
  return {
    coin: 'SOL',
    env: liveEnv({ SOL: node.url }),
    sends: SENDS,
    fund: async (shop) => {
      wallet.pay([{ address: shop.wallets.SOL, amount: FUNDS }]);
      node.advance(FINAL);
    },
    pay: async (_api, _key, { options }) => {
      const { address, amount } = options.SOL;
      wallet.pay([{ address, amount: parseUnits(amount, DECIMALS) }]);
    },
    newDestination: async () => strangerAddress(),
    mine: async () => node.advance(2),
    paidTimes: async (destination) =>
      Number(node.ledger.machine.lamports(destination) / parseUnits(SENDS, DECIMALS)),
    stop: async () => node.stop(),
  };
}
