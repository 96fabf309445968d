import { setImmediate as turn } from 'node:timers/promises';
import { HDKey } from '@scure/bip32';
import { afterEach, describe, expect, it } from 'vitest';
import type { BlockOrder, ScannedBlock } from '../../../../src/chains/utxo/block.ts';
import { BlockProver } from '../../../../src/chains/utxo/block-prover.ts';
import { ChainError } from '../../../../src/domain/chain.ts';
import { SharedThread } from '../../../../src/thread/shared-thread.ts';
import type { StockDelivery, StockOrder } from '../../../../src/wallet/derive-ahead.ts';
import { eventually } from '../../../_helpers/poll.ts';
import { threadThat } from '../../../_helpers/thread-that.ts';
import { silent } from '../../../_helpers/wallet-world.ts';
import { encodeBlock, encodeTransaction, COINBASE, p2wpkh, scanBlock, txidOf } from './raw-chain.ts';

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
const other = blockOf(4_500);
const small = blockOf(3);

/** What a prover is given is its own: each order has a new text. */
function orderOf({ bytes, hash }: { bytes: Buffer; hash: string }, hex = bytes.toString('hex')): BlockOrder {
  return { raw: new Uint8Array(Buffer.from(hex)), hash, mweb: false };
}

/** More pieces than any block has. */
const ALL = 1_000_000;

/** A block whose pieces the thread has taken, all of them: nobody helps it. */
async function takenByThread(by: BlockProver, order: BlockOrder): Promise<ScannedBlock> {
  const block = await by.prove(order);
  const words = new Int32Array(block.bytes.buffer);
  await eventually(
    'the thread to begin',
    async () => Atomics.load(words, 1),
    (taken) => taken >= ALL,
  );
  return block;
}

/** A thread that does this with each block; it can take all pieces, so that nobody else hashes them. */
function hasherThat(does: string): SharedThread {
  return threadThat(`{ hashBlocks() {
    let [count, words] = [0, null];
    const take = () => Atomics.store(words, 1, ${ALL});
    return { serve({ number, room }) {
      words = room === null ? words : new Int32Array(room.memory.buffer);
      count += 1;
      ${does}
      return number;
    } };
  } }`);
}

/** A block that was read and proven. */
async function proven(by: BlockProver, order: BlockOrder): Promise<ScannedBlock> {
  const block = await by.prove(order);
  await block.proof?.();
  return { ...block, proof: null };
}

const thread = new SharedThread();
let prover = new BlockProver({ logger: silent, thread });
afterEach(() => {
  prover.close();
  prover = new BlockProver({ logger: silent, thread });
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
    const { bytes, transactions } = scanBlock(large.bytes, large.hash, false);
    expect(block.bytes.equals(bytes)).toBe(true);
    expect(block.transactions.map(({ id }) => id)).toEqual(transactions.map(({ id }) => id));
    await expect(block.proof?.()).resolves.toBeUndefined();
    // Whoever asks again, or late, hears the same.
    await expect(block.proof?.()).resolves.toBeUndefined();
  });

  it('stay as they are until they are released, whatever is read meanwhile', async () => {
    const held = await prover.prove(orderOf(large));
    const bytes = Buffer.from(held.bytes);
    const [second, tiny] = await Promise.all([prover.prove(orderOf(other)), prover.prove(orderOf(small))]);
    expect(held.bytes.equals(bytes)).toBe(true);
    expect(second.bytes.equals(other.bytes)).toBe(true);
    expect(tiny.bytes.equals(small.bytes)).toBe(true);
    for (const block of [held, second]) await expect(block.proof?.()).resolves.toBeUndefined();
  });

  it('are read in the place of the one before once that is released, but not before it is proven', async () => {
    const places: unknown[] = [];
    const next = async (block: typeof large): Promise<ScannedBlock> => {
      const read = await prover.prove(orderOf(block));
      places.push(read.bytes.buffer);
      expect(read.bytes.equals(block.bytes)).toBe(true);
      return read;
    };
    for (const block of [large, other, large]) {
      const read = await next(block);
      await read.proof?.();
      prover.release(read);
    }
    expect(new Set(places).size).toBe(1);
    // Recorded while the next is read: nobody looks at it any more, but its proof is asked for last.
    const recorded = await next(large);
    prover.release(recorded);
    const [second, tiny] = await Promise.all([next(other), next(small)]);
    await expect(recorded.proof?.()).resolves.toBeUndefined();
    await expect(second.proof?.()).resolves.toBeUndefined();
    expect(tiny.bytes.buffer).not.toBe(places[0]);
  });

  it.each(['Memory', 'Instance'] as const)(
    'are read again later when there is no memory for them (WebAssembly.%s): that is no reason for the daemon to end',
    async (name) => {
      const original = WebAssembly[name];
      Reflect.set(WebAssembly, name, function lacking() {
        throw new RangeError('could not allocate memory');
      });
      try {
        await expect(proven(prover, orderOf(large))).rejects.toMatchObject({ kind: 'unavailable' });
      } finally {
        Reflect.set(WebAssembly, name, original);
      }
      await expect(proven(prover, orderOf(large))).resolves.toMatchObject({ hash: large.hash });
    },
  );

  it('are read again later when this thread lacks the memory to help: that is no reason for the daemon to end', async () => {
    const { prototype } = WebAssembly.Memory as unknown as { prototype: { grow: unknown } };
    const { grow } = prototype;
    prototype.grow = () => {
      throw new RangeError('could not allocate memory');
    };
    try {
      // Nothing comes of it, or the other thread was faster than this one could begin.
      const outcome = await proven(prover, orderOf(large)).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toMatchObject({ kind: 'unavailable' });
    } finally {
      prototype.grow = grow;
    }
    await expect(proven(prover, orderOf(large))).resolves.toMatchObject({ hash: large.hash });
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
    const endless = hasherThat('take(); while (true);');
    const hanging = new BlockProver({ logger: silent, proofMs: 1_500, thread: endless });
    for (let times = 0; times < 2; times += 1) {
      const block = await takenByThread(hanging, orderOf(large));
      await expect(block.proof?.()).rejects.toMatchObject({
        kind: 'unavailable',
        message: 'the thread that hashes blocks takes too long',
      });
      // By now another block may be in its place.
      await expect(block.proof?.()).rejects.toMatchObject({ kind: 'unavailable' });
    }
    hanging.close();
  });

  it('are proven without their thread when it has not begun by the time that somebody waits for the proof', async () => {
    const late = new BlockProver({ logger: silent, proofMs: 200, thread: hasherThat('while (true);') });
    for (const block of [large, other]) {
      const read = await late.prove(orderOf(block));
      await expect(read.proof?.()).resolves.toBeUndefined();
      late.release(read);
    }
    const hex = large.bytes.toString('hex');
    const forged = orderOf(large, `${hex.slice(0, -60)}ff${hex.slice(-58)}`);
    await expect(proven(late, forged)).rejects.toMatchObject({ kind: 'bad_answer' });
    late.close();
  });

  it('are proven without their thread while it is at what others ordered, and with it again afterwards', async () => {
    const busy = threadThat(`{
      sleep() { return { serve(words) { Atomics.wait(words, 0, 0); } }; },
      hashBlocks() {
        let words = null;
        return { serve({ number, room }) {
          words = room === null ? words : new Int32Array(room.memory.buffer);
          Atomics.store(words, 1, ${ALL});
          return number;
        } };
      },
    }`);
    const words = new Int32Array(new SharedArrayBuffer(4));
    const line = busy.open('sleep', null, { answered: () => undefined, ended: () => undefined });
    line.order(words);
    await eventually(
      'the thread to be busy',
      () => line.isServed,
      (isServed) => isServed,
    );
    const patient = new BlockProver({ logger: silent, proofMs: 50, thread: busy });
    const places: unknown[] = [];
    for (const block of [large, other]) {
      const read = await patient.prove(orderOf(block));
      places.push(read.bytes.buffer);
      await expect(read.proof?.()).resolves.toBeUndefined();
      patient.release(read);
    }
    // The thread will still look at where they were.
    expect(new Set(places).size).toBe(2);
    Atomics.store(words, 0, 1);
    Atomics.notify(words, 0);
    // It takes all pieces and hashes none.
    const last = await takenByThread(patient, orderOf(large));
    await expect(last.proof?.()).rejects.toMatchObject({ kind: 'bad_answer' });
    patient.close();
    await line.close();
  });

  it('end their service when no block came for a while, and the next starts another', async () => {
    const counting = hasherThat("take(); if (count > 2) throw new Error('a third block');");
    const resting = new BlockProver({ logger: silent, idleMs: 20, thread: counting });
    // None of them hashes anything.
    const outcome = async (): Promise<unknown> => {
      const block = await takenByThread(resting, orderOf(large));
      return block.proof?.().catch((error: unknown) => (error instanceof ChainError ? error.kind : error));
    };
    expect([await outcome(), await outcome()]).toEqual(['bad_answer', 'bad_answer']);
    await eventually('a new thread', outcome, (told) => told === 'bad_answer');
    resting.close();
  });

  it('are an outage, and no more, while their thread dies: the next try gets a new one', async () => {
    const deadly = hasherThat("take(); throw new Error('unforeseen');");
    const unlucky = new BlockProver({ logger: silent, thread: deadly });
    for (let times = 0; times < 2; times += 1) {
      const block = await takenByThread(unlucky, orderOf(large));
      await expect(block.proof?.()).rejects.toMatchObject({ name: 'ChainError', kind: 'unavailable' });
      unlucky.release(block);
    }
    unlucky.close();
  });

  it('are refused for what is wrong with them, and their thread goes on with the next', async () => {
    const hex = large.bytes.toString('hex');
    // The last output's script becomes longer than the block.
    const lengthAt = hex.length - 2 * (4 + 22 + 1);
    const odd = `${hex.slice(0, lengthAt)}ee${hex.slice(lengthAt + 2)}`;
    for (const text of [odd, `${hex.slice(0, -2)}zz`, `${hex}00`, hex.slice(0, -2)]) {
      await expect(prover.prove(orderOf(large, text))).rejects.toMatchObject({
        kind: 'bad_answer',
        message: expect.stringMatching(/^malformed at byte \d+/) as string,
      });
      expect(await proven(prover, orderOf(large))).toMatchObject({ hash: large.hash });
    }
  });

  it('are proven or refused one after the other, whenever their proof is asked for, if ever', async () => {
    const [one, two] = [blockOf(2_400), blockOf(2_500)];
    const forgedOf = ({ bytes, hash }: typeof one): BlockOrder => {
      const hex = bytes.toString('hex');
      return orderOf({ bytes, hash }, `${hex.slice(0, -60)}ff${hex.slice(-58)}`);
    };
    expect(prover.isLarge(orderOf(one))).toBe(true);
    const asked: Promise<unknown>[] = [];
    let before: (() => Promise<unknown>) | null = null;
    for (let time = 0; time < 150; time += 1) {
      const block = time % 2 === 0 ? one : two;
      const isForged = time % 7 === 0;
      const read = await prover.prove(isForged ? forgedOf(block) : orderOf(block));
      expect(read.bytes.subarray(0, -30).equals(block.bytes.subarray(0, -30))).toBe(true);
      const proof = async (): Promise<unknown> => {
        const outcome = await read.proof?.().catch((error: unknown) => error);
        expect(outcome).toEqual(isForged ? expect.objectContaining({ kind: 'bad_answer' }) : undefined);
        return outcome;
      };
      // That of the one before, which may be read over by now.
      if (before !== null) await before();
      before = null;
      if (time % 3 === 0) await proof();
      else if (time % 3 === 1) before = proof;
      if (time % 5 === 0) asked.push(proof());
      if (time % 11 === 0) await turn();
      prover.release(read);
    }
    await Promise.all(asked);
  });

  it('are proven while their thread derives addresses, and those come, too', async () => {
    const busy = new SharedThread();
    const { publicKey, chainCode } = HDKey.fromMasterSeed(Buffer.alloc(32, 7));
    if (publicKey === null || chainCode === null) throw new Error('no key');
    const source = { curve: 'secp256k1', publicKey, chainCode, prefix: 'bcrt' } as const;
    const deliveries: StockDelivery[] = [];
    const line = busy.open<StockOrder, StockDelivery>('deriveAhead', null, {
      answered: (delivery) => void deliveries.push(delivery),
      ended: ({ error }) => expect(error).toBeUndefined(),
    });
    const beside = new BlockProver({ logger: silent, thread: busy });
    const TIMES = 40;
    for (let time = 0; time < TIMES; time += 1) {
      line.order({ key: 'branch', from: 8 * time, count: 8, source });
      const read = await proven(beside, orderOf(time % 2 === 0 ? large : other));
      beside.release(read);
    }
    await eventually(
      'all addresses',
      () => deliveries,
      ({ length }) => length === TIMES,
    );
    expect(new Set(deliveries.flatMap(({ addresses }) => addresses)).size).toBe(8 * TIMES);
    beside.close();
    await line.close();
  });

  it('do not leave a thread running that lost its way in one whose proof nobody asks for', async () => {
    const endless = threadThat(`{
      hashBlocks() { return { serve({ room }) {
        Atomics.store(new Int32Array(room.memory.buffer), 1, ${ALL});
        while (true);
      } }; },
      rest() { return { serve() {} }; },
    }`);
    const ends: unknown[] = [];
    const line = endless.open('rest', null, { answered: () => undefined, ended: (end) => ends.push(end) });
    const hanging = new BlockProver({ logger: silent, proofMs: 1_500, idleMs: 20, thread: endless });
    await takenByThread(hanging, orderOf(large));
    line.order('after that');
    await eventually(
      'the end of the thread',
      () => ends,
      ({ length }) => length > 0,
    );
    expect(ends).toEqual([{ error: expect.objectContaining({ kind: 'unavailable' }), isToBlame: false }]);
    hanging.close();
  });

  it('do not pile up before the thread', async () => {
    const all = await Promise.allSettled([1, 2, 3, 4, 5].map(async () => proven(prover, orderOf(large))));
    expect(all.map(({ status }) => status)).toContain('rejected');
    expect(all.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(2);
  });

  it('are given up when the daemon stops', async () => {
    const waiting = proven(prover, orderOf(large));
    const given = expect(waiting).rejects.toMatchObject({ kind: 'unavailable' });
    prover.close();
    await given;
    await expect(proven(prover, orderOf(large))).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
