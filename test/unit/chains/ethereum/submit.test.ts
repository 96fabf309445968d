import { Transaction, Wallet } from 'ethers';
import { describe, expect, it } from 'vitest';
import type { Receipt } from '../../../../src/chains/ethereum/rpc/node-answers.ts';
import type {
  AccountState,
  BalanceAnswer,
  NodeClient,
} from '../../../../src/chains/ethereum/rpc/node-client.ts';
import { RpcRefusal } from '../../../../src/chains/shared/json-rpc.ts';
import { createSubmitter } from '../../../../src/chains/ethereum/sends/submit.ts';
import { ChainError } from '../../../../src/domain/chain.ts';
import { silent } from '../../../_helpers/wallet-world.ts';

const hash = (digit: number): string => `0x${String(digit).repeat(64)}`;
const ACCOUNT = `0x${'a'.repeat(40)}`;
const header = { number: 5, hash: hash(5), parentHash: hash(4), timestamp: 1 };
const reverted: Receipt = {
  transactionHash: hash(1),
  blockHash: hash(5),
  blockNumber: 5,
  status: 0,
  gasUsed: 21_000n,
  effectiveGasPrice: 1n,
};

function fateOf(txid: string, standing: Partial<AccountState>, wasRead = false) {
  const client: Partial<NodeClient> = {
    tip: async () => header,
    headerAt: async () => header,
    accountState: async () => ({ knowsTip: true, used: null, receipt: null, isKnown: false, ...standing }),
  };
  const submitter = createSubmitter({ client: client as NodeClient, logger: silent, wasRead: () => wasRead });
  return submitter.getTransactionStatus({ txid, raw: null });
}

describe('getTransactionStatus of a transaction whose bytes are not stored (blobs, set code, long calldata)', () => {
  it('returns absent when a backend that has the tip does not have the transaction', async () => {
    expect(await fateOf(hash(1), {})).toBe('absent');
  });

  it('returns unknown from a backend that does not have the tip, whatever receipt it returns', async () => {
    expect(await fateOf(hash(1), { knowsTip: false })).toBe('unknown');
    expect(await fateOf(hash(1), { knowsTip: false, receipt: reverted })).toBe('unknown');
    expect(await fateOf(hash(1), { receipt: reverted })).toBe('gone');
  });

  it('returns present while a node has the transaction', async () => {
    expect(await fateOf(hash(1), { isKnown: true })).toBe('present');
  });
});

describe('getTransactionStatus of a balance increase without a known transaction, whose block left the chain', () => {
  const found = `balance:5:${hash(6)}:${ACCOUNT}`;

  it('returns unknown until the account is read on the new branch, and gone afterwards', async () => {
    expect(await fateOf(found, {})).toBe('unknown');
    expect(await fateOf(found, {}, true)).toBe('gone');
  });

  it('returns present while the block is in the best chain', async () => {
    expect(await fateOf(`balance:5:${hash(5)}:${ACCOUNT}`, {})).toBe('present');
  });
});

describe('getTransactionStatus behind a load balancer that splits one request between Ethereum backends', () => {
  const wallet = new Wallet(`0x${'1'.repeat(64)}`);
  const transaction = Transaction.from({ type: 2, chainId: 1, nonce: 0, gasLimit: 21_000, to: ACCOUNT });
  transaction.signature = wallet.signingKey.sign(transaction.unsignedHash);
  const stored = { txid: transaction.hash ?? '', raw: transaction.serialized };
  /** One backend has mined it in block 6 and counts its nonce; the other, which lags, tells the rest. */
  let final = 6;
  const client: Partial<NodeClient> = {
    tip: async () => ({ ...header, number: 6, hash: hash(6), parentHash: hash(5) }),
    finalBlocks: async () => {
      if (final === 0) throw new ChainError('unavailable', 'no such block');
      return new Map([['finalized', { height: final, hash: hash(final) }]]);
    },
    nonceAt: async (_sender, at) => (at === hash(6) ? 1 : 0),
    accountState: async (_txid, _sender, { height }) => ({
      knowsTip: true,
      used: height >= 6 ? 1 : 0,
      receipt: null,
      isKnown: false,
    }),
    sendRawTransaction: () =>
      Promise.reject(new RpcRefusal('eth_sendRawTransaction', -32_000, 'nonce too low')),
  };
  const submitter = createSubmitter({ client: client as NodeClient, logger: silent, wasRead: () => false });

  it('does not return gone before the ledger has read the block in which another transaction used the nonce', async () => {
    expect(await submitter.getTransactionStatus(stored, { height: 5, hash: hash(5) })).toBe('absent');
  });

  const last = { height: 6, hash: hash(6) };

  it('returns gone once the ledger has read another transaction with the same nonce', async () => {
    expect(await submitter.getTransactionStatus(stored, last)).toBe('gone');
    expect(await submitter.getTransactionStatus(stored, last, 'final')).toBe('gone');
  });

  it.each([
    ['that block is not finalized', 5],
    ['the node does not report which block is finalized', 0],
  ])(
    'returns gone but not with final proof while %s, because a reorg may still mine the transaction',
    async (_why, height) => {
      final = height;
      expect(await submitter.getTransactionStatus(stored, last, 'final')).toBe('unknown');
      expect(await submitter.getTransactionStatus(stored, last)).toBe('gone');
      expect(await submitter.broadcast(stored)).toMatchObject({ kind: 'unknown' });
      final = 6;
    },
  );

  it('returns gone but not with final proof while another transaction with the nonce is pending, because that one may lose', async () => {
    submitter.saw(new Map([[`nonce:${wallet.address.toLowerCase()}:0`, hash(7)]]));
    const before = { height: 5, hash: hash(5) };
    expect(await submitter.getTransactionStatus(stored, before)).toBe('gone');
    expect(await submitter.getTransactionStatus(stored, before, 'final')).toBe('unknown');
    submitter.saw(new Map());
  });

  it('leaves a first broadcast with a used nonce undecided, because the same bytes may have used the nonce', async () => {
    expect(await submitter.broadcast(stored)).toMatchObject({ kind: 'rejected', isExpired: true });
  });
});

describe('getTransactionStatus of a transaction that no node has and whose nonce is unused', () => {
  const wallet = new Wallet(`0x${'1'.repeat(64)}`);
  const fields = {
    type: 2,
    chainId: 1,
    nonce: 3,
    gasLimit: 21_000,
    to: ACCOUNT,
    value: 5n,
    maxFeePerGas: 2n,
  };
  const transaction = Transaction.from(fields);
  transaction.signature = wallet.signingKey.sign(transaction.unsignedHash);
  const stored = { txid: transaction.hash ?? '', raw: transaction.serialized };
  const ledger = { height: 5, hash: hash(5) };
  const cost = 5n + 21_000n * 2n;

  function fateWith(balance: BalanceAnswer, used: number | null, proof: 'block' | 'final' = 'final') {
    const client: Partial<NodeClient> = {
      accountState: async () => ({ knowsTip: true, used, receipt: null, isKnown: false }),
      nonceAt: async (_account, at) => (at === ledger.hash ? used : null),
      balanceAlone: async (_account, at) => (at === ledger.hash ? balance : 'unknown'),
      sendRawTransaction: () =>
        Promise.reject(new RpcRefusal('eth_sendRawTransaction', -32_000, 'insufficient funds')),
    };
    const submitter = createSubmitter({ client: client as NodeClient, logger: silent, wasRead: () => false });
    return submitter.getTransactionStatus(stored, ledger, proof);
  }

  it('returns unfunded when the balance at the cursor is below value plus maximum fee', async () => {
    expect(await fateWith(cost - 1n, 3)).toBe('unfunded');
    expect(await fateWith(cost, 3)).toBe('absent');
  });

  it('returns unfunded also while an earlier nonce is unused', async () => {
    expect(await fateWith(cost - 1n, 2)).toBe('unfunded');
  });

  it('returns absent when the node returns no balance or nonce, or no final proof is requested', async () => {
    expect(await fateWith('unknown', 3)).toBe('absent');
    expect(await fateWith('unreadable', 3)).toBe('absent');
    expect(await fateWith(0n, null)).toBe('absent');
    expect(await fateWith(0n, 3, 'block')).toBe('absent');
  });
});
