import type { NodeClient } from './node-client.ts';
import { displayHex } from './hash256.ts';
import { bytesOfHex } from './block.ts';
import { outpointKey, scanLoneTransaction } from './transaction.ts';
import type { OutputRef, StoredTransaction } from '../../domain/chain.ts';

/** How far back blocks are searched before a transaction is called impossible. */
const RECENT_BLOCKS = 12;
/** Outputs looked up to see whether a transaction was mined. */
const MAX_OUTPUTS_CHECKED = 400;

/** A transaction taken apart as far as proofs about it need. */
export interface Evidenced {
  readonly txid: string;
  readonly raw: string;
  readonly inputs: readonly OutputRef[];
  readonly outputs: readonly OutputRef[];
}

/**
 * Null when the bytes are missing or are not those of this transaction.
 * @throws {ChainError} bad_answer when they are no transaction.
 */
export function takeApart(transaction: StoredTransaction, mweb: boolean): Evidenced | null {
  const { txid, raw } = transaction;
  if (raw === null) return null;
  const bytes = bytesOfHex(raw);
  const scanned = scanLoneTransaction(bytes, mweb);
  if (displayHex(scanned.id) !== txid) return null;
  const inputs = scanned.inputs.map((offset) => {
    const [parent = '', index] = outpointKey(bytes, offset).split(':');
    return { txid: parent, index: Number(index) };
  });
  return { txid, raw, inputs, outputs: scanned.outputs.map((_offset, index) => ({ txid, index })) };
}

/** Whether the node has it, unconfirmed or mined with an output still unspent. */
export async function isHeld(client: NodeClient, transaction: Evidenced): Promise<boolean> {
  if (await client.inMempool(transaction.txid)) return true;
  const outputs = await client.unspent(transaction.outputs.slice(0, MAX_OUTPUTS_CHECKED), true);
  return outputs.some(Boolean);
}

/** Whether one of the last blocks holds it, for transactions whose outputs were spent at once. */
async function isMinedLately(client: NodeClient, txid: string, tipHash: string): Promise<boolean> {
  let hash: string | undefined = tipHash;
  for (let count = 0; count < RECENT_BLOCKS && hash !== undefined; count += 1) {
    if ((await client.blockTxids(hash)).includes(txid)) return true;
    hash = (await client.header(hash)).previousblockhash;
  }
  return false;
}

/**
 * What stands behind a refusal because of missing or spent inputs: the node `held` it all along;
 * it is `impossible`, since an input is gone while the node is in step with the chain; the answer
 * is `open`; or a block arrived meanwhile (`moved`) and the readings may not belong together.
 */
export async function weigh(
  client: NodeClient,
  transaction: Evidenced,
  tipBefore: string,
): Promise<'held' | 'impossible' | 'open' | 'moved'> {
  if (await isHeld(client, transaction)) return 'held';
  const inputs = await client.unspent(transaction.inputs, true);
  if (await isMinedLately(client, transaction.txid, tipBefore)) return 'held';
  const info = await client.chainInfo();
  if (info.bestblockhash !== tipBefore) return 'moved';
  const isBehind = info.initialblockdownload || info.headers > info.blocks;
  return isBehind || inputs.every(Boolean) ? 'open' : 'impossible';
}
