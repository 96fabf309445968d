import { describe, expect, it } from 'vitest';
import { bytesOfHex } from '../../../../src/chains/utxo/blocks/block.ts';
import { matchTransactions } from '../../../../src/chains/utxo/blocks/match.ts';
import { scanLoneTransaction } from '../../../../src/chains/utxo/blocks/transaction.ts';
import type { ChainIndex } from '../../../../src/domain/chain.ts';
import { encodeTransaction, p2wpkh, type TestTransaction, txidOf } from './raw-chain.ts';
import { NO_ACCOUNTS } from '../../../_helpers/no-accounts.ts';

function prepared(transaction: TestTransaction) {
  const bytes = encodeTransaction(transaction);
  return { bytes, scanned: scanLoneTransaction(bytes, false), maturity: 1, relayable: true };
}

/** Remembers what it was asked; owns what it is told. */
function indexOf(scripts: readonly string[], outputs: readonly string[] = []) {
  const questions: (readonly string[])[] = [];
  const answer = (own: readonly string[]) => async (keys: readonly string[]) => {
    questions.push(keys);
    return new Set(keys.filter((key) => own.includes(key)));
  };
  const index: ChainIndex = { ...NO_ACCOUNTS, watched: answer(scripts), ownOutputs: answer(outputs) };
  return { index, questions };
}

const OURS = p2wpkh('ab'.repeat(20));
const THEIRS = p2wpkh('cd'.repeat(20));

describe('matchTransactions', () => {
  it('credits every output to a watched script, with position, amount and raw bytes', async () => {
    const payment: TestTransaction = {
      inputs: [{ txid: '11'.repeat(32), index: 3 }],
      outputs: [
        { amount: 5n, script: OURS },
        { amount: 6n, script: THEIRS },
        { amount: 7n, script: OURS },
      ],
    };
    const { index } = indexOf([OURS.toString('hex')]);
    const { credits, debits } = await matchTransactions([prepared(payment)], index);
    const raw = encodeTransaction(payment).toString('hex');
    const common = { watchKey: OURS.toString('hex'), maturity: 1, raw };
    expect(credits).toEqual([
      { ref: { txid: txidOf(payment), index: 0 }, amount: 5n, ...common },
      { ref: { txid: txidOf(payment), index: 2 }, amount: 7n, ...common },
    ]);
    expect(debits).toMatchObject([]);
    expect(bytesOfHex(raw)).toHaveLength(raw.length / 2);
  });

  it('debits spent outputs of the wallet, including those credited in the same list', async () => {
    const payment: TestTransaction = {
      inputs: [{ txid: '11'.repeat(32), index: 3 }],
      outputs: [{ amount: 5n, script: OURS }],
    };
    const spend: TestTransaction = {
      inputs: [
        { txid: txidOf(payment), index: 0 },
        { txid: '22'.repeat(32), index: 9 },
        { txid: '22'.repeat(32), index: 8 },
      ],
      outputs: [{ amount: 4n, script: THEIRS }],
    };
    const { index } = indexOf([OURS.toString('hex')], [`${'22'.repeat(32)}:9`]);
    const { debits } = await matchTransactions([payment, spend].map(prepared), index);
    expect(debits.map(({ ref, byTxid }) => ({ ref, byTxid }))).toEqual([
      { ref: { txid: txidOf(payment), index: 0 }, byTxid: txidOf(spend) },
      { ref: { txid: '22'.repeat(32), index: 9 }, byTxid: txidOf(spend) },
    ]);
  });

  it('queries the database index in bounded batches, once per script however often it is paid', async () => {
    const many = Array.from({ length: 2_500 }, (_none, at) =>
      prepared({
        inputs: [{ txid: '33'.repeat(32), index: at }],
        outputs: [
          { amount: 1n, script: p2wpkh(at.toString(16).padStart(40, '0')) },
          { amount: 1n, script: THEIRS },
        ],
      }),
    );
    const { index, questions } = indexOf([]);
    await matchTransactions(many, index);
    expect(Math.max(...questions.map((keys) => keys.length))).toBeLessThanOrEqual(1_000);
    expect(questions.flat()).toHaveLength(2_501 + 2_500);
  });

  it('does not store raw transactions that are too large to rebroadcast', async () => {
    const large: TestTransaction = {
      inputs: [{ txid: '11'.repeat(32), index: 3, witness: [new Uint8Array(120_000)] }],
      outputs: [{ amount: 5n, script: OURS }],
    };
    const { index } = indexOf([OURS.toString('hex')]);
    const { credits } = await matchTransactions([prepared(large)], index);
    expect(credits[0]?.raw).toBeNull();
  });
});
