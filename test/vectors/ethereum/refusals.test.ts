import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  isPrunedHistory,
  isUnknownBlock,
  isUnknownMethod,
  classifyRejection,
  type RejectReason,
} from '../../../src/chains/ethereum/sends/reject-reasons.ts';
import { RpcRefusal } from '../../../src/chains/shared/json-rpc.ts';
import { createRpc } from '../../../src/chains/ethereum/rpc/rpc.ts';

/**
 * What the clients answer to eth_sendRawTransaction, by their sources: geth core/txpool/errors.go,
 * core/error.go and core/txpool/validation.go; reth crates/rpc/rpc-eth-types error (mirrors geth); Nethermind
 * AcceptTxResult.cs, in its older one-word form and its newer one after geth (TxPoolErrorMessages.cs);
 * Erigon txpoolcfg.go DiscardReason; and those of anvil and Besu.
 */
const WORDS: Readonly<Record<string, Readonly<Partial<Record<RejectReason, readonly string[]>>>>> = {
  geth: {
    known: ['already known'],
    used: ['nonce too low: next nonce 78, tx nonce 44', 'nonce too low'],
    unpaid: [
      'insufficient funds for gas * price + value: balance 0, tx cost 67000000000000, overshot 67000000000000',
      'insufficient funds for gas * price + value: balance 9, queued cost 5, tx cost 7, overshot 3',
    ],
    invalid: [
      'invalid sender',
      'invalid chain id for signer: have 5 want 1',
      'intrinsic gas too low: gas 20000, minimum needed 21000',
      'exceeds block gas limit',
      'transaction gas limit too high (cap: 16777216, tx: 30000000)',
      'rlp: expected List',
    ],
    open: [
      'replacement transaction underpriced',
      'transaction underpriced: gas tip cap 1, minimum needed 1000000',
      'txpool is full',
      'future transaction tries to replace pending',
      'account limit exceeded: pooled 64 txs',
      'in-flight transaction limit reached for delegated accounts',
      'gapped-nonce tx from delegated accounts',
      'address already reserved',
      'max fee per gas less than block base fee: address 0x00, maxFeePerGas: 1, baseFee: 7',
    ],
  },
  reth: {
    known: ['already known'],
    used: ['nonce too low: next nonce 5, tx nonce 4'],
    unpaid: ['insufficient funds for gas * price + value: have 0 want 21000'],
    invalid: ['exceeds block gas limit', 'invalid sender', 'intrinsic gas too low', 'invalid chain ID'],
    open: [
      'transaction underpriced',
      'replacement transaction underpriced',
      'txpool is full',
      'max fee per gas less than block base fee',
      'nonce too high: tx nonce 9, state nonce 4',
    ],
  },
  'Nethermind before it spoke like geth': {
    known: ['AlreadyKnown'],
    used: ['OldNonce, Current nonce: 5, nonce of rejected tx: 4'],
    unpaid: ['InsufficientFunds, Account balance: 0, cumulative cost: 67000000000000'],
    open: [
      'FeeTooLow, FeePerGas needs to be higher than 100 to be added to the TxPool. FeePerGas of rejected tx: 1.',
      'FeeTooLowToCompete',
      'ReplacementNotAllowed',
      'NonceGap, Future nonce. Expected nonce: 5',
      'NonceTooFarInFuture, Nonce in the future. Expected nonce: 5',
      'Syncing',
    ],
  },
  Nethermind: {
    known: ['already known'],
    used: ['nonce too low, Current nonce: 5, nonce of rejected tx: 4'],
    unpaid: ['insufficient funds for gas * price + value, Account balance: 0, cumulative cost: 5'],
    invalid: ['failed to recover sender'],
    open: [
      'transaction underpriced, FeePerGas needs to be higher than 100 to be added to the TxPool.',
      'replacement transaction underpriced',
      'nonce too high',
      'nonce too far in future',
      'gas limit reached',
    ],
  },
  Erigon: {
    known: ['already known', 'existing tx with same hash', 'INTERNAL_ERROR: existing tx with same hash'],
    used: ['nonce too low', 'mined'],
    unpaid: ['insufficient funds'],
    invalid: ['invalid sender', 'IntrinsicGas', 'RLPTooLong', 'gas limit is too high'],
    open: [
      'underpriced',
      'fee too low',
      'replacement transaction underpriced',
      'replaced by transaction with higher tip',
      'could not replace existing tx',
      'INTERNAL_ERROR: could not replace existing tx',
      'pending sub-pool is full',
      'baseFee sub-pool is full',
      'queued sub-pool is full',
      'spammer',
    ],
  },
  anvil: {
    known: ['transaction already imported'],
    used: ['nonce too low'],
    unpaid: ['Insufficient funds for gas * price + value'],
    invalid: ['invalid chain id for signer', 'intrinsic gas too low'],
    open: ['replacement transaction underpriced', 'max fee per gas less than block base fee'],
  },
  Besu: {
    known: ['Known transaction'],
    used: ['Nonce too low'],
    unpaid: ['Upfront cost exceeds account balance'],
    invalid: ['Intrinsic gas exceeds gas limit', 'Wrong chainId'],
    open: ['Replacement transaction underpriced', 'Gas price below configured minimum gas price'],
  },
};

/** Future messages of nodes: never read as an acceptance, and never as a final rejection. */
const UNHEARD = [
  'unknown transaction type',
  'transaction type not supported',
  'the moon is in the wrong house',
  'unmined block in the way',
  // Gateways name the chain in troubles of their own, also after a node took the bytes.
  'request to upstream for chainId 1 failed',
  'no answer from any node of chain id 1',
  '',
];

describe.each(Object.entries(WORDS))('classifyRejection of errors from %s', (_client, byMeaning) => {
  it.each(
    Object.entries(byMeaning).flatMap(([meaning, texts]) => texts.map((text) => [text, meaning] as const)),
  )('classifies "%s" as %s', (text, meaning) => {
    expect(classifyRejection(new RpcRefusal('eth_sendRawTransaction', -32_000, text))).toBe(meaning);
  });
});

it.each(UNHEARD)('classifyRejection returns no conclusion for the unknown error "%s"', (text) => {
  expect(classifyRejection(new RpcRefusal('eth_sendRawTransaction', -32_000, text))).toBe('open');
});

const QUESTIONS = [
  // No state of that block any more: a later block shows the same balance, nothing is to be asked again.
  ['geth, hash scheme', -32_000, 'missing trie node 0a1b (path ) state 0x0a1b is not available, not found', 'state'],
  ['geth, path scheme', -32_000, 'historical state 0x0a1b is not available', 'state'],
  ['geth, path scheme, as a trie', -32_000, 'missing trie node 0a1b (path ) layer stale', 'state'],
  ['reth', 4444, 'pruned history unavailable', 'history'],
  ['reth', -32_603, 'state at block #100 is pruned', 'state'],
  ['Nethermind', -32_002, 'No state available for block 0x0a1b', 'state'],
  ['Erigon', -32_000, 'old data not available due to pruning', 'state'],
  // The backend that answered is behind the one that named the block.
  ['geth', -32_000, 'header for hash not found', 'block'],
  ['geth', -32_000, 'header not found', 'block'],
  ['geth', -32_000, 'block not found', 'block'],
  ['reth', -32_001, 'block not found: hash 0x0a1b', 'block'],
  ['anvil', -32_602, 'BlockOutOfRangeError', 'block'],
  ['Infura', -32_000, 'Resource not found.', 'block'],
  // It does not do that at all.
  ['geth', -32_601, 'the method debug_traceBlockByHash does not exist/is not available', 'method'],
  ['reth', -32_601, 'Method not found', 'method'],
  ['Nethermind', -32_601, "The method 'trace_block' is not supported.", 'method'],
  ['a provider', -32_000, 'method trace_block is not whitelisted', 'method'],
] as const;

it.each(QUESTIONS)('the error of %s, %i "%s", means that the node lacks the %s', (_client, code, text, lacks) => {
  const refusal = new RpcRefusal('eth_getBalance', code, text);
  const told = [
    ['block', isUnknownBlock(refusal)],
    ['history', isPrunedHistory(refusal)],
    ['method', isUnknownMethod(refusal)],
  ] as const;
  expect(told.filter(([, isSo]) => isSo).map(([name]) => name)).toEqual(lacks === 'state' ? [] : [lacks]);
});

it.each(QUESTIONS)('the error of %s, %i "%s", is an answer to the request, not a rate limit', async (_client, code, text) => {
  const rpc = createRpc({
    post: async (body) => {
      const { id } = JSON.parse(body) as { id: number };
      return { status: 200, text: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: text } }) };
    },
    postForBytes: () => Promise.reject(new Error('not asked for')),
    close: () => Promise.resolve(),
  });
  const asked = rpc.call({ method: 'eth_getBalance', params: [] }, z.unknown());
  await expect(asked).rejects.toBeInstanceOf(RpcRefusal);
});

describe('isUnknownMethod', () => {
  it.each([
    [-32_600, 'debug_traceBlockByHash is not available on the Free tier - upgrade to Pay As You Go, or Enterprise for access.'],
    [35, 'method is not available on freetier, please upgrade to paid tier'],
    [-32_600, 'Method trace_block not allowed'],
    [-32_601, 'the method debug_traceBlockByHash does not exist/is not available'],
    [-32_000, 'this method requires a paid plan'],
    [-32_000, 'debug_traceBlockByHash is not available on your current plan'],
    [-32_075, 'Method disabled'],
  ])('is true for %i %s', async (code, message) => {
    expect(isUnknownMethod({ code, reason: message })).toBe(true);
    // Whatever the HTTP status that it comes with.
    for (const status of [200, 400, 403]) {
      const rpc = createRpc({
        post: async () => ({ status, text: JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } }) }),
        postForBytes: () => Promise.reject(new Error('not asked for')),
        close: () => Promise.resolve(),
      });
      const asked = rpc.call({ method: 'trace_block', params: [] }, z.unknown());
      await expect(asked).rejects.toBeInstanceOf(RpcRefusal);
    }
  });

  it.each([
    [-32_000, 'required historical state unavailable (reexec=128)'],
    [-32_000, 'execution timeout'],
    [-32_000, 'block not found'],
    [-32_603, 'Internal error'],
    [429, 'Your app has exceeded its compute units per second capacity.'],
  ])('is false for %i %s', (code, reason) => {
    expect(isUnknownMethod({ code, reason })).toBe(false);
  });
});
