import type { RpcRefusal } from '../../shared/json-rpc.ts';

/**
 * Meaning of a node's rejection of a transaction. `known`: it already has it; `spent`: an input is missing or
 * spent in the chain; `replaced`: an input is spent by another unconfirmed transaction; `temporary`: it may
 * be accepted later; `invalid`: it never will be; `unclear`: none of these with certainty.
 */
export type RejectReason = 'known' | 'spent' | 'replaced' | 'temporary' | 'invalid' | 'unclear';

const RPC_ALREADY_IN_CHAIN = -27;

/** Wordings of bitcoind 29 and litecoind 0.21. Matched by code first where the code is sufficient. */
const WORDINGS: readonly (readonly [RejectReason, readonly string[]])[] = [
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
      'too-large-cluster',
    ],
  ],
  // Only unambiguous wordings: an impossible send releases its coins.
  [
    'invalid',
    [
      'script-verify-flag',
      'bad-txns-',
      'bad-witness',
      'scriptpubkey',
      'scriptsig-',
      'dust',
      'tx-size',
      'tx decode failed',
    ],
  ],
];

/** Classifies an error of sendrawtransaction. Pure. */
export function classifyRejection(refusal: RpcRefusal): RejectReason {
  const reason = refusal.reason.toLowerCase();
  const named = WORDINGS.find(([, texts]) => texts.some((text) => reason.includes(text)));
  if (named !== undefined) return named[0];
  return refusal.code === RPC_ALREADY_IN_CHAIN ? 'known' : 'unclear';
}
