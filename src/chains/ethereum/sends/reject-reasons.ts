/** An error answer of a node. */
interface Refusal {
  readonly code: number;
  readonly reason: string;
}

/** Why a node refused a transaction. */
export type RejectReason =
  /** The node already knows it. */
  | 'known'
  /** The nonce was used, by these bytes or by others. */
  | 'used'
  /** The sender's balance does not cover it. */
  | 'unpaid'
  /** No node can ever accept it. */
  | 'invalid'
  /**
   * A temporary rejection: price too low, pool full, a competing transaction pending; or an unknown message.
   */
  | 'open';

/** Messages of geth, reth, Nethermind, Erigon, anvil and Besu (test/vectors/ethereum/refusals.test.ts). */
const MEANINGS: readonly (readonly [RegExp, RejectReason])[] = [
  [/already (known|imported|exists)|\bknown transaction|alreadyknown|existing tx with same hash/i, 'known'],
  [/nonce too low|nonce.*(already|lower|used)|oldnonce|^mined$/i, 'used'],
  [
    /underpriced|fee too low|less than block base fee|feetoolow|tip.*(below|minimum)|pool is full|future/i,
    'open',
  ],
  [/insufficient (funds|balance)|insufficientfunds|exceeds (the |account )?balance/i, 'unpaid'],
  [
    /intrinsic ?gas|recover sender|exceeds block gas|gas limit (too high|is too)|rlp|invalid (sender|signature|chain|transaction)|wrong chain ?id/i,
    'invalid',
  ],
];

const METHOD_NOT_FOUND = -32601;
/** EIP-4444: history that the node has dropped. */
const PRUNED_HISTORY = 4444;

/**
 * Messages of providers for a method that is not in the plan: Alchemy "X is not available on the Free tier - upgrade
 * to …" (-32600), dRPC "method is not available on freetier, please upgrade to paid tier" (35), QuickNode "upgrade
 * your plan", Chainstack "not available on your current plan", others "Method X not allowed".
 */
const NOT_IN_PLAN =
  /upgrade (to|your|for)|(not|n't) (available|supported|included|enabled|allowed) (on|in|for|with|by) .*(tier|plan)|(tier|plan) (does not|doesn't) (include|support|allow)|requires? (a|an) .*(tier|plan)\b/i;

/** Whether the node lacks the method, or does not allow it. */
export function isUnknownMethod({ code, reason }: Refusal): boolean {
  return (
    code === METHOD_NOT_FOUND ||
    /(method|namespace|api)\b.*(not (found|supported|available|enabled|allowed|exist|whitelisted)|disabled)|unsupported method/i.test(
      reason,
    ) ||
    NOT_IN_PLAN.test(reason)
  );
}

const EXECUTION_REVERTED = 3;
/** Nethermind: execution of the transaction fails. */
const EXECUTION_FAILED = -32015;
const SERVER_ERROR = -32000;

/** Whether the node executed the transaction and its contract failed. Any other error concerns the node. */
export function isRevert({ code, reason }: Refusal): boolean {
  if (code === EXECUTION_REVERTED || code === EXECUTION_FAILED || /revert/i.test(reason)) return true;
  const ranAndFailed =
    /out of gas|gas required exceeds|invalid (opcode|jump)|stack (under|over)flow|always failing/i;
  return code === SERVER_ERROR && ranAndFailed.test(reason);
}

/** Whether the node does not know the named block: another backend may. Any other rejection is permanent. */
export function isUnknownBlock({ reason }: Refusal): boolean {
  return /(header|block)( for hash)? ?(not found|not available)|unknown block|resource not found|BlockNotFound|BlockOutOfRange/i.test(
    reason,
  );
}

/** Whether the node knows the block but has dropped its state: no retry will succeed. */
export function isMissingState({ reason }: Refusal): boolean {
  return /state.*(not|un|isn't )\s*available|no state available|missing trie node|state (is )?(pruned|missing|not found)|pruned|historical state|distance to target block|proof window/i.test(
    reason,
  );
}

/** Whether the node has dropped the block's transactions. */
export function isPrunedHistory({ code, reason }: Refusal): boolean {
  return code === PRUNED_HISTORY || /pruned history|history.*(pruned|expired)/i.test(reason);
}

export function classifyRejection({ reason }: Refusal): RejectReason {
  return MEANINGS.find(([words]) => words.test(reason))?.[1] ?? 'open';
}
