/** Faults of Solana nodes and the gateways in front of them. */
import type { SvmNode } from '../../../../test/_helpers/svm/node.ts';
import { refusal, result } from '../../json-rpc.ts';
import type { Mischief } from '../../mischief.ts';
import type { Random } from '../../random.ts';
import { asOf } from './as-of.ts';
import { lackingHistory } from './lacking-history.ts';

type NodeOf = () => SvmNode;
export type SolanaMischief = (random: Random) => Mischief;

export function solanaMischiefs(node: NodeOf): readonly SolanaMischief[] {
  return [
    (random) => staleHead(node, random),
    (random) => behind(node, random),
    (random) => laggingBackend(node, random),
    (random) => syncing(node, random),
    (random) => historyHole(node, random),
    (random) => historyHole(node, random),
    (random) => prunedHistory(node, random),
    (random) => indexLag(node, random),
    (random) => missingTransactions(random),
  ];
}

/** The head does not advance, but every call is answered. */
function staleHead(node: NodeOf, _random: Random): Mischief {
  let slot = 0;
  return {
    name: 'stale-head',
    begin: () => {
      slot = node().ledger.top.slot;
    },
    rewriter: () => asOf(node().ledger, slot),
  };
}

/** The node is a number of blocks behind the network and does not report it. */
function behind(node: NodeOf, random: Random): Mischief {
  const slots = random.int(2, 120);
  return {
    name: 'behind',
    details: `${slots} slots`,
    rewriter: () => asOf(node().ledger, node().ledger.top.slot - slots),
  };
}

/** Two backends behind one address, one of them lagging: each request goes to either. */
function laggingBackend(node: NodeOf, random: Random): Mischief {
  const slots = random.int(1, 60);
  const probability = random.pick([0.3, 0.5, 0.8]);
  return {
    name: 'lagging-backend',
    details: `${slots} slots, ${probability * 100} % of requests`,
    rewriter: () => (random.chance(probability) ? asOf(node().ledger, node().ledger.top.slot - slots) : null),
  };
}

/** The node replays after a restart: it lags, and its health check reports it. */
function syncing(node: NodeOf, _random: Random): Mischief {
  let slot = 0;
  return {
    name: 'syncing',
    begin: () => {
      slot = node().ledger.top.slot;
    },
    rewriter: () => {
      const old = asOf(node().ledger, slot);
      const numSlotsBehind = Math.max(1, node().ledger.top.slot - slot);
      return (call, reply) =>
        call.method === 'getHealth'
          ? refusal(call, -32005, `Node is behind by ${numSlotsBehind} slots`, { numSlotsBehind })
          : old(call, reply);
    },
  };
}

const NO_SUCH_BLOCK = [
  { code: -32007, text: 'was skipped, or missing due to ledger jump to recent snapshot' },
  { code: -32009, text: 'was skipped, or missing in long-term storage' },
  { code: -32004, text: 'is not available' },
];

/**
 * The node crashes and returns from a newer snapshot: its ledger still begins early but lacks some slots in the
 * middle, including those that were not rooted at the crash.
 */
function historyHole(node: NodeOf, random: Random): Mischief {
  const isFromRoot = random.chance(0.6);
  const length = random.int(10, 140);
  const { code, text } = random.pick(NO_SUCH_BLOCK);
  let range = { first: 0, last: 0 };
  return {
    name: 'history-hole',
    details: `${length} slots from the ${isFromRoot ? 'last rooted one' : 'open one'}, ${code}`,
    begin: () => {
      const { ledger } = node();
      const first = isFromRoot ? ledger.tip('finalized').slot + 1 : ledger.top.slot;
      range = { first, last: first + length };
    },
    // It does not respond until it has passed them.
    interrupt: () => (node().ledger.tip('confirmed').slot <= range.last ? { kind: 'reset' } : null),
    rewriter: () =>
      lackingHistory((slot) => slot >= range.first && slot <= range.last, {
        code,
        message: (slot) => `Slot ${slot} ${text}`,
      }),
  };
}

/** The node started from a snapshot: older slots are missing, and it reports its first slot. */
function prunedHistory(node: NodeOf, random: Random): Mischief {
  const kept = random.int(40, 200);
  let first = 0;
  return {
    name: 'pruned-history',
    details: `${kept} slots kept`,
    begin: () => {
      first = Math.max(0, node().ledger.top.slot - kept);
    },
    rewriter: () => {
      const lacking = lackingHistory((slot) => slot < first, {
        code: -32001,
        message: (slot) =>
          `Block ${slot} cleaned up, does not exist on node. First available block: ${first}`,
      });
      return (call, reply) =>
        call.method === 'getFirstAvailableBlock' || call.method === 'minimumLedgerSlot'
          ? result(call, first)
          : lacking(call, reply);
    },
  };
}

/** Address histories lag behind balances. */
function indexLag(node: NodeOf, random: Random): Mischief {
  const slots = random.int(3, 100);
  return {
    name: 'index-lag',
    details: `${slots} slots`,
    rewriter: () => {
      const known = node().ledger.top.slot - slots;
      return (call, reply) => {
        if (call.method !== 'getSignaturesForAddress' || !Array.isArray(reply.result)) return reply;
        const entries = reply.result as { slot: number }[];
        if (entries.every(({ slot }) => slot <= known)) return reply;
        return result(
          call,
          entries.filter(({ slot }) => slot <= known),
        );
      };
    },
  };
}

/** Transactions listed in a history cannot be fetched. */
function missingTransactions(random: Random): Mischief {
  const probability = random.pick([0.3, 0.8]);
  return {
    name: 'missing-transactions',
    details: `${probability * 100} %`,
    rewriter: () => (call, reply) =>
      call.method === 'getTransaction' && random.chance(probability) ? result(call, null) : reply,
  };
}
