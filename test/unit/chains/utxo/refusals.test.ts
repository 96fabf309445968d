import { describe, expect, it } from 'vitest';
import { classifyRejection } from '../../../../src/chains/utxo/sends/reject-reasons.ts';
import { RpcRefusal } from '../../../../src/chains/shared/json-rpc.ts';

/** Wordings of bitcoind 29 and litecoind 0.21. */
const WORDINGS: readonly (readonly [number, string, string])[] = [
  [-27, 'Transaction outputs already in utxo set', 'known'],
  [-27, 'Transaction already in block chain', 'known'],
  [-27, 'some wording of the future', 'known'],
  [-26, 'txn-already-in-mempool', 'known'],
  [-26, 'txn-already-known', 'known'],
  [-25, 'bad-txns-inputs-missingorspent', 'spent'],
  [-25, 'Missing inputs', 'spent'],
  [-26, 'txn-mempool-conflict', 'replaced'],
  [-26, 'insufficient fee, rejecting replacement 12ab, not enough additional fees to relay', 'replaced'],
  [-26, 'bad-txns-spends-conflicting-tx, 12ab spends conflicting transaction', 'replaced'],
  [-26, 'mempool min fee not met, 100 < 1000', 'temporary'],
  [-26, 'min relay fee not met, 0 < 110', 'temporary'],
  [-26, 'too-long-mempool-chain, too many unconfirmed ancestors', 'temporary'],
  [-26, 'bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 3', 'temporary'],
  [-26, 'non-final', 'temporary'],
  [-26, 'dust', 'invalid'],
  [-26, 'scriptpubkey', 'invalid'],
  [-26, 'mandatory-script-verify-flag-failed (Signature must be zero)', 'invalid'],
  [-26, 'non-mandatory-script-verify-flag (Witness program hash mismatch)', 'invalid'],
  [-22, 'TX decode failed. Make sure the tx has at least one input.', 'invalid'],
  [-26, 'a policy nobody has heard of', 'unclear'],
  [-1, 'insufficient memory', 'unclear'],
];

describe('classifyRejection', () => {
  it.each(WORDINGS)('classifies %i %s', (code, reason, meaning) => {
    expect(classifyRejection(new RpcRefusal('sendrawtransaction', code, reason))).toBe(meaning);
  });
});
