import type { RpcRefusal } from './rpc.ts';

/**
 * What a node's refusal of a transaction means for it.
 * `known`: it has it already; `spent`: an input is missing or spent in the chain; `replaced`: an
 * input is spent by another unconfirmed transaction; `temporary`: it may be taken later;
 * `invalid`: never, whatever happens; `unclear`: none of these for sure.
 */
export type RefusalMeaning = 'known' | 'spent' | 'replaced' | 'temporary' | 'invalid' | 'unclear';

const RPC_DESERIALIZATION_ERROR = -22;
const RPC_VERIFY_ERROR = -25;
const RPC_VERIFY_REJECTED = -26;
const RPC_ALREADY_IN_CHAIN = -27;

/** Wordings of bitcoind 29 and litecoind 0.21. Matched by code first where the code says enough. */
const WORDINGS: readonly (readonly [RefusalMeaning, readonly string[]])[] = [
  [
    'known',
    [
      'txn-already-in-mempool',
      'txn-already-known',
      'txn-same-nonwitness-data-in-mempool',
      'already in block chain',
      'already in utxo set',
    ],
  ],
  ['spent', ['missingorspent', 'missing-inputs', 'missing inputs']],
  [
    'replaced',
    [
      'txn-mempool-conflict',
      'rejecting replacement',
      'insufficient fee',
      'too many potential replacements',
      'replacement-adds-unconfirmed',
      'bad-txns-spends-conflicting-tx',
    ],
  ],
  [
    'temporary',
    [
      'min fee not met',
      'min relay fee not met',
      'mempool full',
      'too-long-mempool-chain',
      'non-final',
      'non-bip68-final',
      'premature-spend',
    ],
  ],
];

/** Reads a refusal of sendrawtransaction. Pure. */
export function meaningOf(refusal: RpcRefusal): RefusalMeaning {
  const reason = refusal.reason.toLowerCase();
  const named = WORDINGS.find(([, texts]) => texts.some((text) => reason.includes(text)));
  if (named !== undefined) return named[0];
  switch (refusal.code) {
    case RPC_ALREADY_IN_CHAIN:
      return 'known';
    case RPC_VERIFY_REJECTED:
    case RPC_DESERIALIZATION_ERROR:
      return 'invalid';
    case RPC_VERIFY_ERROR:
    default:
      return 'unclear';
  }
}
