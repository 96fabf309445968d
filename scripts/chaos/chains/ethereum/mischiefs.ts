/** Faults of Ethereum nodes, their providers and the load balancers in front of them. */
import { refusal, result } from '../../json-rpc.ts';
import type { Mischief } from '../../mischief.ts';
import type { Random } from '../../random.ts';
import { asOf } from './as-of.ts';
import { hex, type AnvilOf } from './ask.ts';

export function ethereumMischiefs(anvil: AnvilOf): readonly ((random: Random) => Mischief)[] {
  return [
    () => staleHead(anvil),
    () => staleHead(anvil),
    (random) => behind(anvil, random),
    (random) => laggingBackend(anvil, random),
    (random) => laggingBackend(anvil, random),
    (random) => splitRequests(anvil, random),
    () => syncing(anvil),
    (random) => nullReceipts(random),
    (random) => noTraces(random),
    (random) => missingState(random),
    (random) => nullBlocks(random),
    () => noPending(),
    (random) => busy(random),
  ];
}

/** The head does not advance (the consensus client crashed), but every call is answered. */
function staleHead(anvil: AnvilOf): Mischief {
  let height = 0;
  return {
    name: 'stale-head',
    begin: async () => {
      height = await anvil().height();
    },
    rewriter: () => asOf(anvil, height),
  };
}

/** The node is some blocks behind the network and does not report it. */
function behind(anvil: AnvilOf, random: Random): Mischief {
  const blocks = random.int(1, 8);
  return {
    name: 'behind',
    details: `${blocks} blocks`,
    rewriter: async () => asOf(anvil, (await anvil().height()) - blocks),
  };
}

/** Two backends behind one address, one of them lagging: each request goes to either. */
function laggingBackend(anvil: AnvilOf, random: Random): Mischief {
  const blocks = random.int(1, 5);
  const probability = random.pick([0.3, 0.5, 0.8]);
  return {
    name: 'lagging-backend',
    details: `${blocks} blocks, ${probability * 100} % of requests`,
    rewriter: async () =>
      random.chance(probability) ? asOf(anvil, (await anvil().height()) - blocks) : null,
  };
}

/** Like a lagging backend, behind a gateway that distributes the calls of one batch. */
function splitRequests(anvil: AnvilOf, random: Random): Mischief {
  const blocks = random.int(1, 3);
  return {
    name: 'split-requests',
    details: `${blocks} blocks`,
    rewriter: async () => {
      const old = asOf(anvil, (await anvil().height()) - blocks);
      return (call, reply) => (random.chance(0.5) ? old(call, reply) : reply);
    },
  };
}

/** The node catches up after an outage and reports it. */
function syncing(anvil: AnvilOf): Mischief {
  let height = 0;
  return {
    name: 'syncing',
    begin: async () => {
      height = await anvil().height();
    },
    rewriter: async () => {
      const old = asOf(anvil, height);
      const highest = await anvil().height();
      return (call, reply) =>
        call.method === 'eth_syncing'
          ? result(call, { startingBlock: '0x0', currentBlock: hex(height), highestBlock: hex(highest + 1) })
          : old(call, reply);
    },
  };
}

/** Receipts of mined transactions cannot be fetched. */
function nullReceipts(random: Random): Mischief {
  const probability = random.pick([0.3, 1]);
  return {
    name: 'null-receipts',
    details: `${probability * 100} %`,
    rewriter: () => (call, reply) =>
      call.method === 'eth_getTransactionReceipt' && random.chance(probability) ? result(call, null) : reply,
  };
}

/** The provider's plan has no traces, or they are empty. */
function noTraces(random: Random): Mischief {
  const isRefused = random.chance(0.6);
  return {
    name: 'no-traces',
    details: isRefused ? 'refused' : 'empty',
    rewriter: () => (call, reply) => {
      if (!/^(debug|trace)_/.test(call.method)) return reply;
      return isRefused
        ? refusal(call, -32601, `the method ${call.method} does not exist/is not available`)
        : result(call, null);
    },
  };
}

/** Balances at a block are unavailable, as on a node that pruned its states. */
function missingState(random: Random): Mischief {
  const probability = random.pick([0.3, 1]);
  return {
    name: 'missing-state',
    details: `${probability * 100} %`,
    rewriter: () => (call, reply) =>
      (call.method === 'eth_getBalance' || call.method === 'eth_call') &&
      typeof call.params[1] === 'object' &&
      random.chance(probability)
        ? refusal(call, -32000, 'missing trie node 0000 (path ) state is not available')
        : reply,
  };
}

/** Existing blocks are returned as null. */
function nullBlocks(random: Random): Mischief {
  const probability = random.pick([0.2, 0.6]);
  return {
    name: 'null-blocks',
    details: `${probability * 100} %`,
    rewriter: () => (call, reply) =>
      call.method === 'eth_getBlockByNumber' &&
      String(call.params[0]).startsWith('0x') &&
      random.chance(probability)
        ? result(call, null)
        : reply,
  };
}

/** The node shows no pending transactions. */
function noPending(): Mischief {
  return {
    name: 'no-pending',
    hidesMempool: true,
    rewriter: () => (call, reply) =>
      call.method === 'eth_getBlockByNumber' && call.params[0] === 'pending' ? result(call, null) : reply,
  };
}

/** A rate limit reported in the response instead of the HTTP status. */
function busy(random: Random): Mischief {
  const probability = random.pick([0.1, 0.4]);
  return {
    name: 'limit-exceeded',
    details: `${probability * 100} % of calls`,
    rewriter: () => (call, reply) =>
      random.chance(probability) ? refusal(call, -32005, 'limit exceeded') : reply,
  };
}
