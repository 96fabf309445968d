/** Faults of Bitcoin and Litecoin nodes and the gateways in front of them. */
import { refusal, result } from '../../json-rpc.ts';
import type { Mischief } from '../../mischief.ts';
import type { Random } from '../../random.ts';
import { asOf, type BehindOptions } from './as-of.ts';
import type { BlockBook } from './block-book.ts';
import type { RegtestNode } from './node.ts';

interface Chain {
  readonly node: RegtestNode;
  readonly book: () => BlockBook;
}

export function utxoMischiefs(chain: Chain): readonly ((random: Random) => Mischief)[] {
  return [
    () => staleHead(chain),
    (random) => behind(chain, random),
    (random) => laggingBackend(chain, random),
    (random) => laggingBackend(chain, random),
    (random) => syncing(chain, random),
    () => emptyMempool(),
    (random) => shortMempool(random),
    (random) => missingTransactions(random),
    (random) => warmingUp(random),
  ];
}

async function rewriterAt({ node, book }: Chain, options: BehindOptions) {
  const { height } = await node.tip();
  return asOf(node, book(), { ...options, height: Math.max(1, Math.min(height, options.height)) });
}

/** The tip does not advance, but every call is answered and the mempool is updated. */
function staleHead(chain: Chain): Mischief {
  let height = 0;
  return {
    name: 'stale-head',
    begin: async () => {
      ({ height } = await chain.node.tip());
    },
    rewriter: async () => rewriterAt(chain, { height, mempool: 'complete', isSyncing: false }),
  };
}

/** The node is some blocks behind the network and does not report it. */
function behind(chain: Chain, random: Random): Mischief {
  const blocks = random.int(1, 4);
  return {
    name: 'behind',
    details: `${blocks} blocks`,
    rewriter: async () => {
      const { height } = await chain.node.tip();
      return rewriterAt(chain, { height: height - blocks, mempool: 'complete', isSyncing: false });
    },
  };
}

/** Two backends behind one address, one of them lagging: each request goes to either. */
function laggingBackend(chain: Chain, random: Random): Mischief {
  const blocks = random.int(1, 3);
  const probability = random.pick([0.3, 0.5, 0.8]);
  return {
    name: 'lagging-backend',
    details: `${blocks} blocks, ${probability * 100} % of requests`,
    rewriter: async () => {
      if (!random.chance(probability)) return null;
      const { height } = await chain.node.tip();
      return rewriterAt(chain, { height: height - blocks, mempool: 'complete', isSyncing: false });
    },
  };
}

/** The node catches up after an outage and reports it; until then it rejects transactions. */
function syncing(chain: Chain, random: Random): Mischief {
  const blocks = random.int(0, 3);
  let height = 0;
  return {
    name: 'syncing',
    details: `from ${blocks} blocks before`,
    hidesMempool: true,
    begin: async () => {
      height = (await chain.node.tip()).height - blocks;
    },
    rewriter: async () => rewriterAt(chain, { height, mempool: 'empty', isSyncing: true }),
  };
}

/** A mempool that was lost in a restart and fills again later. */
function emptyMempool(): Mischief {
  return {
    name: 'empty-mempool',
    hidesMempool: true,
    rewriter: () => (call, reply) => {
      if (call.method === 'getrawmempool') return result(call, []);
      if (call.method !== 'getmempoolentry' || reply.result === undefined || reply.result === null)
        return reply;
      return refusal(call, -5, 'Transaction not in mempool');
    },
  };
}

/** Each request goes to one of two mempools, and one mempool lacks some transactions. */
function shortMempool(random: Random): Mischief {
  const salt = random.int(0, 15);
  const isLacked = (txid: string): boolean => (Number.parseInt(txid.slice(-1), 16) + salt) % 2 === 0;
  return {
    name: 'short-mempool',
    hidesMempool: true,
    rewriter: () => {
      if (random.chance(0.5)) return null;
      return (call, reply) => {
        if (call.method === 'getrawmempool' && Array.isArray(reply.result)) {
          return result(
            call,
            (reply.result as string[]).filter((txid) => !isLacked(txid)),
          );
        }
        const isLookUp = call.method === 'getmempoolentry' || call.method === 'getrawtransaction';
        if (!isLookUp || !isLacked(String(call.params[0]))) return reply;
        return refusal(call, -5, 'No such mempool transaction');
      };
    },
  };
}

/** Transactions listed in the mempool cannot be fetched. */
function missingTransactions(random: Random): Mischief {
  const probability = random.pick([0.3, 0.8]);
  return {
    name: 'missing-transactions',
    details: `${probability * 100} %`,
    hidesMempool: true,
    rewriter: () => (call, reply) =>
      call.method === 'getrawtransaction' && random.chance(probability)
        ? refusal(call, -5, 'No such mempool or blockchain transaction')
        : reply,
  };
}

/** The node is starting or loading blocks: error -28 for every call. */
function warmingUp(random: Random): Mischief {
  const probability = random.pick([0.5, 1]);
  return {
    name: 'warming-up',
    details: `${probability * 100} %`,
    rewriter: () =>
      random.chance(probability) ? (call) => refusal(call, -28, 'Loading block index…') : null,
  };
}
