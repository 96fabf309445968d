/** Litecoin's MWEB from the outside: money goes in by a peg-in and comes back by a peg-out. */
import { toAtoms, toDecimal } from './amounts.ts';
import type { NodeHandle } from './node-handle.ts';

const MWEB_WALLET = 'mweb';
/** Change and fees of a peg-out come from this surplus. */
const PEG_IN_SURPLUS_ATOMS = toAtoms('0.1');

export interface PegOut {
  /** The transaction while it waits in the mempool; it has no output that pays the address. */
  readonly txid: string;
  readonly address: string;
  readonly amountAtoms: bigint;
}

/** An `ltcmweb` (here `tmweb`) address of the node's MWEB wallet. */
export async function mwebAddress(node: NodeHandle): Promise<string> {
  await ensureWallet(node);
  return node.walletRpc<string>('getnewaddress', ['', 'mweb'], MWEB_WALLET);
}

/** Moves money of the miner into MWEB; needs a block to be spendable there. Answers the txid. */
export async function pegIn(node: NodeHandle, amountAtoms: bigint): Promise<string> {
  const address = await mwebAddress(node);
  return node.walletRpc<string>('sendtoaddress', [address, toDecimal(amountAtoms)]);
}

/**
 * Pays an ordinary address out of MWEB and leaves it in the mempool. Mined, it appears as an
 * output of the HogEx transaction of the block, under another txid.
 */
export async function pegOut(node: NodeHandle, address: string, amountAtoms: bigint): Promise<PegOut> {
  await ensureWallet(node);
  const available = toAtoms(await node.walletRpc<string>('getbalance', [], MWEB_WALLET));
  if (available < amountAtoms + PEG_IN_SURPLUS_ATOMS) {
    await pegIn(node, amountAtoms + PEG_IN_SURPLUS_ATOMS);
    await node.mine(1);
  }
  const params = [address, toDecimal(amountAtoms)];
  const txid = await node.walletRpc<string>('sendtoaddress', params, MWEB_WALLET);
  return { txid, address, amountAtoms };
}

/** The txid of the HogEx transaction of a block (its last transaction), or null. */
export async function hogExOf(node: NodeHandle, blockHash: string): Promise<string | null> {
  const { tx } = await node.rpc<{
    tx: { txid: string; vout: { scriptPubKey: { type: string } }[] }[];
  }>('getblock', [blockHash, 2]);
  const last = tx.at(-1);
  return last?.vout[0]?.scriptPubKey.type === 'witness_mweb_hogaddr' ? last.txid : null;
}

async function ensureWallet(node: NodeHandle): Promise<void> {
  if (!node.mweb) throw new Error('this node has no MWEB: start it with { mweb: true }');
  const loaded = await node.rpc<string[]>('listwallets');
  if (loaded.includes(MWEB_WALLET)) return;
  await node.rpc('createwallet', { wallet_name: MWEB_WALLET, load_on_startup: true });
}
