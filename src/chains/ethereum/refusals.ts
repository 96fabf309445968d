import type { RpcRefusal } from './rpc.ts';

/** What a node means by refusing a transaction. */
export type RefusalMeaning =
  /** It has it already. */
  | 'known'
  /** The nonce was used, by these bytes or by others. */
  | 'used'
  /** The sender cannot pay for it. */
  | 'unpaid'
  /** No node can ever take it. */
  | 'invalid'
  /** Not now: price too low, pool full, a rival waiting; or words nobody here knows. */
  | 'open';

/** The words of geth, reth, Nethermind, Erigon, anvil and Besu (test/vectors/ethereum/refusals.test.ts). */
const MEANINGS: readonly (readonly [RegExp, RefusalMeaning])[] = [
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

/** The node has no such method, or not for us. */
export function isUnknownMethod({ code, reason }: RpcRefusal): boolean {
  return (
    code === METHOD_NOT_FOUND ||
    /method .*(not (found|supported|available|exist|whitelisted)|disabled)|unsupported method/i.test(reason)
  );
}

/** The node does not know the block that was named: another backend may. Anything else is for ever. */
export function isUnknownBlock({ reason }: RpcRefusal): boolean {
  return /(header|block)( for hash)? ?(not found|not available)|unknown block|resource not found|BlockNotFound|BlockOutOfRange/i.test(
    reason,
  );
}

/** The node had the block's transactions once and dropped them. */
export function isPrunedHistory({ code, reason }: RpcRefusal): boolean {
  return code === PRUNED_HISTORY || /pruned history|history.*(pruned|expired)/i.test(reason);
}

export function meaningOf({ reason }: RpcRefusal): RefusalMeaning {
  return MEANINGS.find(([words]) => words.test(reason))?.[1] ?? 'open';
}
