import { refusal, result, type Call, type Reply } from '../../json-rpc.ts';
import type { Rewrite } from '../../mischief.ts';
import type { BlockBook, BookedBlock } from './block-book.ts';
import type { RegtestNode } from './node.ts';

const OUT_OF_RANGE = -8;
const NOT_FOUND = -5;
const REJECTED = -26;

/** The state of a lagging backend. */
export interface BehindOptions {
  readonly height: number;
  /** `complete`: still has the transactions of newer blocks. `empty`: has none, as while syncing. */
  readonly mempool: 'complete' | 'empty';
  /** It knows of newer blocks and reports that it is syncing. */
  readonly isSyncing: boolean;
}

/** Responses of a backend whose tip is at a height. */
export async function asOf(node: RegtestNode, book: BlockBook, options: BehindOptions): Promise<Rewrite> {
  const { height, mempool, isSyncing } = options;
  const above = await book.above(height);
  const best = await node.blockHash(height);
  const aboveByHash = new Map(above.map((block) => [block.hash, block]));
  const later = above.flatMap(({ txids }) => [...txids].slice(1));
  const holding = (txid: string): BookedBlock | undefined => above.find(({ txids }) => txids.has(txid));
  const isEmpty = mempool === 'empty';
  return async (call: Call, reply: Reply): Promise<Reply> => {
    const [first] = call.params;
    switch (call.method) {
      case 'getblockcount':
        return result(call, height);
      case 'getbestblockhash':
        return result(call, best);
      case 'getblockchaininfo':
        return result(call, {
          ...(reply.result as object),
          blocks: height,
          bestblockhash: best,
          ...(isSyncing ? { initialblockdownload: true } : { headers: height }),
        });
      case 'getblockhash':
        return Number(first) > height ? refusal(call, OUT_OF_RANGE, 'Block height out of range') : reply;
      case 'getblock':
      case 'getblockheader':
        return aboveByHash.has(String(first)) ? refusal(call, NOT_FOUND, 'Block not found') : reply;
      case 'getrawmempool':
        return result(call, isEmpty ? [] : [...(reply.result as string[]), ...later]);
      case 'getmempoolentry': {
        const block = holding(String(first));
        if (isEmpty) return refusal(call, NOT_FOUND, 'Transaction not in mempool');
        return block === undefined ? reply : result(call, { time: Math.floor(block.timeMs / 1000) });
      }
      case 'getrawtransaction': {
        const block = holding(String(first));
        if (isEmpty) return refusal(call, NOT_FOUND, 'No such mempool transaction');
        if (block === undefined) return reply;
        return result(call, await node.rpc<string>('getrawtransaction', [first, false, block.hash]));
      }
      case 'gettxout':
        if (isEmpty && above.some(({ spent }) => spent.has(`${String(first)}:${String(call.params[1])}`))) {
          return result(call, { bestblock: best });
        }
        if (reply.result === null || reply.result === undefined) return reply;
        if (isEmpty && holding(String(first)) !== undefined) return result(call, null);
        return result(call, { ...reply.result, bestblock: best });
      case 'sendrawtransaction':
        return reply.error ? refused(node, call, reply, { above, isEmpty }) : reply;
      default:
        return reply;
    }
  };
}

interface Decoded {
  readonly txid: string;
  readonly vin: readonly { readonly txid?: string; readonly vout?: number }[];
}

/** A backend's response to bytes that the node rejects, perhaps because of blocks that the backend does not have. */
async function refused(
  node: RegtestNode,
  call: Call,
  reply: Reply,
  { above, isEmpty }: { readonly above: readonly BookedBlock[]; readonly isEmpty: boolean },
): Promise<Reply> {
  const { txid, vin } = await node.rpc<Decoded>('decoderawtransaction', [call.params[0]]);
  // Still in its mempool, or accepted into it now.
  if (above.some(({ txids }) => txids.has(txid))) return result(call, txid);
  const inputs = vin.map(({ txid: parent, vout }) => `${parent}:${vout}`);
  const isSpentLater = inputs.some((input) => above.some(({ spent }) => spent.has(input)));
  if (!isSpentLater) return reply;
  return isEmpty ? result(call, txid) : refusal(call, REJECTED, 'txn-mempool-conflict');
}
