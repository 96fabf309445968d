import { afterEach, describe, expect, it, vi } from 'vitest';
import { scanBlock, type ScannedBlock } from '../../../../src/chains/utxo/block.ts';
import { BlockProver } from '../../../../src/chains/utxo/block-prover.ts';
import type { BlockOrder } from '../../../../src/chains/utxo/block-worker.ts';
import { eventually } from '../../../_helpers/poll.ts';
import { encodeBlock, encodeTransaction, COINBASE, p2wpkh, txidOf } from './raw-chain.ts';

const PAYMENT = { ...COINBASE, outputs: [{ amount: 5_000n, script: p2wpkh('ab'.repeat(20)) }] };

/** A block that is a thread's work: so many transactions that it has more than 256 kB. */
function blockOf(count: number) {
  const all = Array.from({ length: count }, (_, at) => ({
    ...PAYMENT,
    outputs: [{ amount: BigInt(at), script: p2wpkh('cd'.repeat(20)) }, ...PAYMENT.outputs],
  }));
  const block = encodeBlock({
    transactions: all.map((each) => encodeTransaction(each)),
    txids: all.map((each) => txidOf(each)),
    parentHash: '00'.repeat(32),
  });
  return block;
}

const large = blockOf(4_000);
const small = blockOf(3);

/** What a prover is given is its own: each order has a new text. */
function orderOf({ bytes, hash }: { bytes: Buffer; hash: string }, hex = bytes.toString('hex')): BlockOrder {
  return { raw: new Uint8Array(Buffer.from(hex)), hash, mweb: false };
}

/** Nothing that a node can answer: the thread fails with an error that nobody foresaw. */
function deadly(): BlockOrder {
  return { ...orderOf(large), raw: new BigInt64Array(600_000) as unknown as Uint8Array<ArrayBuffer> };
}

/** A block that was read and proven. */
async function proven(by: BlockProver, order: BlockOrder): Promise<ScannedBlock> {
  const block = await by.prove(order);
  await block.proof;
  return { ...block, proof: null };
}

let prover = new BlockProver();
afterEach(async () => {
  await prover.close();
  prover = new BlockProver();
});

describe('blocks read in a thread', () => {
  it('are read exactly as those read on the spot', async () => {
    expect(prover.isLarge(orderOf(large))).toBe(true);
    expect(await proven(prover, orderOf(large))).toEqual(scanBlock(large.bytes, large.hash, false));
    expect(prover.isLarge(orderOf(small))).toBe(false);
    expect(await proven(prover, orderOf(small))).toEqual(scanBlock(small.bytes, small.hash, false));
  });

  it('are known before they are proven, for whoever has other things to do meanwhile', async () => {
    const block = await prover.prove(orderOf(large));
    expect(block.proof).toBeInstanceOf(Promise);
    const { bytes, transactions } = scanBlock(large.bytes, large.hash, false);
    expect(block.bytes.equals(bytes)).toBe(true);
    expect(block.transactions.map(({ id }) => id)).toEqual(transactions.map(({ id }) => id));
    await expect(block.proof).resolves.toBeUndefined();
  });

  it('are read again later when this thread lacks the memory to help: that is no reason for the daemon to end', async () => {
    // Another copy of the program, which has no memory yet.
    vi.resetModules();
    const { BlockProver: Prover } = await import('../../../../src/chains/utxo/block-prover.ts');
    const poor = new Prover();
    const { Memory } = WebAssembly;
    Reflect.set(WebAssembly, 'Memory', function lacking() {
      throw new RangeError('could not allocate memory');
    });
    try {
      // Nothing comes of it, or the other thread was faster than this one could begin.
      const outcome = await proven(poor, orderOf(large)).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toMatchObject({ kind: 'unavailable' });
    } finally {
      Reflect.set(WebAssembly, 'Memory', Memory);
    }
    await expect(proven(poor, orderOf(large))).resolves.toMatchObject({ hash: large.hash });
    await poor.close();
  });

  it('are refused with the same words when a byte was changed', async () => {
    const hex = large.bytes.toString('hex');
    const forged = `${hex.slice(0, -60)}ff${hex.slice(-58)}`;
    await expect(proven(prover, orderOf(large, forged))).rejects.toMatchObject({
      kind: 'bad_answer',
      message: expect.stringContaining('merkle root') as string,
    });
    expect(await proven(prover, orderOf(large))).toMatchObject({ hash: large.hash });
  });

  it('are an outage when their thread never answers, and it is not left running', async () => {
    const endless = new URL('data:text/javascript,while (true);');
    const hanging = new BlockProver({ limits: { readMs: 200, proofMs: 200 }, script: endless });
    for (let times = 0; times < 2; times += 1) {
      await expect(proven(hanging, orderOf(large))).rejects.toMatchObject({
        kind: 'unavailable',
        message: 'the thread that reads blocks takes too long',
      });
    }
    await hanging.close();
  });

  it('end their thread when no block came for a while, and the next starts another', async () => {
    const counting = new URL(`data:text/javascript,import { parentPort } from 'node:worker_threads';
      let count = 0;
      const next = () => ({ kind: 'problem', error: 'bad_answer', message: String((count += 1)) });
      parentPort.on('message', () => parentPort.postMessage(next()));`);
    const resting = new BlockProver({ idleMs: 20, script: counting });
    const ordinal = async (): Promise<string> =>
      resting.prove(orderOf(large)).then(
        () => 'none',
        (error: unknown) => (error instanceof Error ? error.message : ''),
      );
    expect([await ordinal(), await ordinal()]).toEqual(['1', '2']);
    await eventually('a new thread', ordinal, (told) => told === '1');
    await resting.close();
  });

  it('are an outage, and no more, while their thread dies: the next try gets a new one', async () => {
    await expect(proven(prover, deadly())).rejects.toMatchObject({ name: 'ChainError', kind: 'unavailable' });
    expect(await proven(prover, orderOf(large))).toMatchObject({ hash: large.hash });
  });

  it('do not pile up before the thread', async () => {
    const all = await Promise.allSettled([1, 2, 3, 4, 5].map(async () => proven(prover, orderOf(large))));
    expect(all.map(({ status }) => status)).toContain('rejected');
    expect(all.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(2);
  });

  it('are given up when the daemon stops', async () => {
    const waiting = proven(prover, orderOf(large));
    const given = expect(waiting).rejects.toMatchObject({ kind: 'unavailable' });
    await prover.close();
    await given;
    await expect(proven(prover, orderOf(large))).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
