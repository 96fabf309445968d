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

/** The words of geth, reth, Nethermind, Erigon and anvil. */
const MEANINGS: readonly (readonly [RegExp, RefusalMeaning])[] = [
  [/already (known|imported|exists)|known transaction|alreadyknown/i, 'known'],
  [/nonce too low|nonce.*(already|lower|used)|oldnonce/i, 'used'],
  [
    /underpriced|fee too low|less than block base fee|feetoolow|tip.*(below|minimum)|pool is full|future/i,
    'open',
  ],
  [/insufficient (funds|balance)|insufficientfunds|exceeds (the )?balance/i, 'unpaid'],
  [
    /intrinsic gas|exceeds block gas|gas limit (too high|is too)|rlp|invalid (sender|signature|chain|transaction)|chain ?id/i,
    'invalid',
  ],
];

export function meaningOf({ reason }: RpcRefusal): RefusalMeaning {
  return MEANINGS.find(([words]) => words.test(reason))?.[1] ?? 'open';
}
