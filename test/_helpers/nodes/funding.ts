/** Gives a fresh node a miner with money. */
import { toAtoms } from './amounts.ts';
import { MINER_WALLET, type NodeHandle } from './node-handle.ts';

const REWARD_BLOCKS = 4;
/** Coinbases mature at 100; ten more keep them spendable through reorgs. */
const MATURITY_BLOCKS = 110;
const COINS = 60;
const COIN_ATOMS = toAtoms('3');
const SETTLE_BLOCKS = 10;
const MWEB_ACTIVATION_HEIGHT = 432;

/**
 * Sixty confirmed coins of 3 each, older than any sensible reorg. Only the first four rewards
 * are the miner's: later ones go to an address without a key, so the wallet never picks a coin that a reorg makes
 * immature again.
 */
export async function fundMiner(node: NodeHandle): Promise<void> {
  await node.rpc('createwallet', { wallet_name: MINER_WALLET, load_on_startup: true });
  await node.mine(REWARD_BLOCKS, await node.newAddress());
  await node.mine(MATURITY_BLOCKS);
  await node.pay({
    address: await node.newAddress(),
    amounts: Array.from({ length: COINS }, () => COIN_ATOMS),
  });
  await node.mine(1 + SETTLE_BLOCKS);
  if (node.mweb) await activateMweb(node);
}

/** The first MWEB block needs a peg-in: litecoind cannot mine it otherwise. */
async function activateMweb(node: NodeHandle): Promise<void> {
  const { height } = await node.tip();
  await node.mine(MWEB_ACTIVATION_HEIGHT - 1 - height);
  const address = await node.walletRpc<string>('getnewaddress', ['', 'mweb']);
  await node.walletRpc('sendtoaddress', [address, '1']);
  await node.rpc('generatetoaddress', [1, await node.foreignAddress()]);
}
