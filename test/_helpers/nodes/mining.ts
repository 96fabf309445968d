/** Blocks with chosen contents. */
import type { NodeHandle } from './node-handle.ts';

const RAW_TX_MIN_HEX = 65;
const DEPRIORITY_ATOMS = 10_000_000_000;

/** Mines one block that holds exactly these transactions (mempool txids or raw hex, in order). */
export async function mineSelected(node: NodeHandle, transactions: readonly string[]): Promise<string> {
  if (node.mweb) return mineByPriority(node, transactions);
  const address = await node.foreignAddress();
  const { hash } = await node.rpc<{ hash: string }>('generateblock', [address, transactions]);
  return hash;
}

/**
 * generateblock fails once MWEB is active (it does not expect the HogEx transaction), so the
 * rest of the mempool is made too cheap to mine for the length of one block.
 */
async function mineByPriority(node: NodeHandle, wanted: readonly string[]): Promise<string> {
  const txids = new Set<string>();
  for (const item of wanted) {
    txids.add(item.length >= RAW_TX_MIN_HEX ? await node.sendRaw(item) : item);
  }
  const unwanted = (await node.getMempool()).filter((txid) => !txids.has(txid));
  for (const txid of unwanted) await prioritise(node, txid, -DEPRIORITY_ATOMS);
  try {
    const [hash = ''] = await node.mine(1);
    return hash;
  } finally {
    for (const txid of unwanted) await prioritise(node, txid, DEPRIORITY_ATOMS);
  }
}

async function prioritise(node: NodeHandle, txid: string, deltaAtoms: number): Promise<void> {
  await node.rpc('prioritisetransaction', [txid, 0, deltaAtoms]);
}
