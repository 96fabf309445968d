import type { NodeClient } from '../rpc/node-client.ts';
import { displayHex } from '../blocks/hash256.ts';
import { bytesOfHex } from '../blocks/block.ts';
import { outpointKey, scanLoneTransaction } from '../blocks/transaction.ts';
import type { OutputRef, StoredTransaction } from '../../../domain/chain.ts';

/** Blocks searched before a transaction counts as impossible. */
const RECENT_BLOCKS = 12;
/** Maximum number of outputs looked up to find whether a transaction was mined. */
const MAX_OUTPUTS_CHECKED = 400;

/** A decoded transaction, with the fields that proofs about it need. */
export interface DecodedTransaction {
  readonly txid: string;
  readonly raw: string;
  readonly inputs: readonly OutputRef[];
  readonly outputs: readonly OutputRef[];
}

/**
 * Null when the bytes are missing or are not those of this transaction.
 * @throws {ChainError} bad_answer when they are not a transaction.
 */
export function decodeTransaction(transaction: StoredTransaction, mweb: boolean): DecodedTransaction | null {
  const { txid, raw } = transaction;
  if (raw === null) return null;
  const bytes = bytesOfHex(raw);
  const scanned = scanLoneTransaction(bytes, mweb);
  if (displayHex(scanned.id) !== txid) return null;
  const inputs = inputsIn(bytes, scanned.inputs);
  return { txid, raw, inputs, outputs: scanned.outputs.map((_offset, index) => ({ txid, index })) };
}

/**
 * The outputs that a transaction spends, from its bytes. @throws {ChainError} bad_answer when they are not a
 * transaction.
 */
export function decodeInputs(raw: string, mweb: boolean): OutputRef[] {
  const bytes = bytesOfHex(raw);
  return inputsIn(bytes, scanLoneTransaction(bytes, mweb).inputs);
}

function inputsIn(bytes: Buffer, offsets: readonly number[]): OutputRef[] {
  return offsets.map((offset) => {
    const [txid = '', index] = outpointKey(bytes, offset).split(':');
    return { txid, index: Number(index) };
  });
}

/** Whether the node has it, unconfirmed or mined with an output still unspent. */
export async function isKnownToNode(client: NodeClient, transaction: DecodedTransaction): Promise<boolean> {
  if (await client.inMempool(transaction.txid)) return true;
  const outputs = await client.unspent(transaction.outputs.slice(0, MAX_OUTPUTS_CHECKED), true);
  return outputs.some(Boolean);
}

interface BlockContent {
  readonly txids: ReadonlySet<string>;
  readonly parent: string | undefined;
}

/** Transaction ids of the last blocks; each block is read once, for any number of lookups. */
export class RecentBlocks {
  readonly #client: Pick<NodeClient, 'blockTxids' | 'getBlockHeader'>;
  #blocks: ReadonlyMap<string, BlockContent> = new Map();

  constructor(client: Pick<NodeClient, 'blockTxids' | 'getBlockHeader'>) {
    this.#client = client;
  }

  /**
   * Whether one of the last blocks up to a tip contains it, for transactions whose outputs were spent
   * immediately.
   */
  async hold(txid: string, tipHash: string): Promise<boolean> {
    const blocks = new Map<string, BlockContent>();
    let hash: string | undefined = tipHash;
    while (blocks.size < RECENT_BLOCKS && hash !== undefined) {
      const block: BlockContent = this.#blocks.get(hash) ?? (await this.#read(hash));
      blocks.set(hash, block);
      hash = block.parent;
    }
    this.#blocks = blocks;
    return [...blocks.values()].some(({ txids }) => txids.has(txid));
  }

  async #read(hash: string): Promise<BlockContent> {
    const txids = new Set(await this.#client.blockTxids(hash));
    return { txids, parent: (await this.#client.getBlockHeader(hash)).previousblockhash };
  }
}

/**
 * Finds the reason for a rejection because of missing or spent inputs: the node already `held` it; an input
 * is spent and the node is in sync, so it is `impossible`; its inputs are unspent but the node does not have
 * it (`absent`); the node is behind (`open`); or the answers do not all belong to the tip at which it was
 * rejected (`moved`), because a block arrived or one backend lags behind another.
 */
export async function transactionStatus(
  client: NodeClient,
  transaction: DecodedTransaction,
  { tipBefore, recent }: { readonly tipBefore: string; readonly recent: RecentBlocks },
): Promise<'held' | 'impossible' | 'absent' | 'open' | 'moved'> {
  const outputs = transaction.outputs.slice(0, MAX_OUTPUTS_CHECKED);
  const state = await client.transactionState(transaction.txid, [...outputs, ...transaction.inputs]);
  if (state === null) return 'moved';
  const { info, inMempool, unspent } = state;
  if (inMempool || unspent.slice(0, outputs.length).some(Boolean)) return 'held';
  if (info.bestblockhash !== tipBefore) return 'moved';
  if (await recent.hold(transaction.txid, tipBefore)) return 'held';
  const isBehind = info.initialblockdownload || info.headers > info.blocks;
  if (isBehind) return 'open';
  return unspent.slice(outputs.length).every(Boolean) ? 'absent' : 'impossible';
}
