import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { BlockOrder } from '../../../../src/chains/utxo/block.ts';
import type { Logger } from '../../../../src/domain/ports.ts';
import type { SharedThread } from '../../../../src/thread/shared-thread.ts';
import { eventually } from '../../../_helpers/poll.ts';
import { threadThat } from '../../../_helpers/thread-that.ts';
import { COINBASE, encodeBlock, encodeTransaction, p2wpkh, txidOf } from './raw-chain.ts';

function blockOf(count: number) {
  const all = Array.from({ length: count }, (_, at) => ({
    ...COINBASE,
    outputs: [
      { amount: BigInt(at), script: p2wpkh('cd'.repeat(20)) },
      { amount: 7n, script: p2wpkh('ab'.repeat(20)) },
    ],
  }));
  return encodeBlock({
    transactions: all.map((each) => encodeTransaction(each)),
    txids: all.map((each) => txidOf(each)),
    parentHash: '00'.repeat(32),
  });
}

const small = blockOf(3);
const large = blockOf(4_000);

function orderOf({ bytes, hash }: typeof small, hex = bytes.toString('hex')): BlockOrder {
  return { raw: new Uint8Array(Buffer.from(hex)), hash, mweb: false };
}

function forgedOf({ bytes, hash }: typeof small): BlockOrder {
  const hex = bytes.toString('hex');
  return orderOf({ bytes, hash }, `${hex.slice(0, -60)}ff${hex.slice(-58)}`);
}

interface Line {
  readonly level: keyof Logger;
  readonly fields: object;
  readonly message: string;
}

function mistake(hash: string): Line {
  return {
    level: 'error',
    fields: { block: hash },
    message: expect.stringContaining('hashed wrongly') as string,
  };
}

let lines: Line[] = [];
const hear =
  (level: keyof Logger) =>
  (fields: object, message: string): void =>
    void lines.push({ level, fields, message });
const logger: Logger = {
  debug: hear('debug'),
  info: hear('info'),
  warn: hear('warn'),
  error: hear('error'),
};

/** Modules in the order in which they were compiled; whether what is made of one hashes wrongly from now on. */
let modules: object[] = [];
let isWrong: (module: object) => boolean = () => false;
const { Module, Instance } = WebAssembly as unknown as Record<
  'Module' | 'Instance',
  new (...args: unknown[]) => object
>;

beforeEach(() => {
  // As in a process that has compiled nothing yet.
  vi.resetModules();
  [lines, modules, isWrong] = [[], [], () => false];
  Reflect.set(WebAssembly, 'Module', function compile(...args: unknown[]) {
    const module = new Module(...args);
    modules.push(module);
    return module;
  });
  Reflect.set(WebAssembly, 'Instance', function instantiate(module: object, ...args: unknown[]) {
    const instance = new Instance(module, ...args) as { exports: object };
    return isWrong(module) ? { exports: { ...instance.exports, hashPairs: () => undefined } } : instance;
  });
});
afterEach(() => {
  Reflect.set(WebAssembly, 'Module', Module);
  Reflect.set(WebAssembly, 'Instance', Instance);
});

/** One of a process that has just been started; those of both coins share what was compiled. */
async function newProver(thread?: SharedThread) {
  const { BlockProver } = await import('../../../../src/chains/utxo/block-prover.ts');
  return new BlockProver({ logger, thread });
}

it('an operator hears nothing of vectors that calculate rightly, and nothing of a forged block', async () => {
  const prover = await newProver();
  expect(await prover.prove(orderOf(small))).toMatchObject({ hash: small.hash });
  await expect(prover.prove(forgedOf(small))).rejects.toMatchObject({ kind: 'bad_answer' });
  expect(modules).toHaveLength(1);
  expect(lines).toEqual([]);
  prover.close();
});

it('an operator learns once for all coins that a trial of wide vectors failed, and that blocks are hashed without them', async () => {
  isWrong = (module) => module === modules[0];
  for (const prover of [await newProver(), await newProver()]) {
    expect(await prover.prove(orderOf(small))).toMatchObject({ hash: small.hash });
    expect(await prover.prove(orderOf(small))).toMatchObject({ hash: small.hash });
    prover.close();
  }
  expect(modules).toHaveLength(2);
  expect(lines).toEqual([
    { level: 'warn', fields: {}, message: expect.stringContaining('wide vectors') as string },
  ]);
});

it('an operator learns of every block whose hashes OpenSSL had to set right', async () => {
  const trial = await newProver();
  await trial.prove(orderOf(small));
  isWrong = () => true;
  const prover = await newProver();
  expect(await prover.prove(orderOf(small))).toMatchObject({ hash: small.hash });
  expect(lines).toEqual([mistake(small.hash)]);
  // No mistake of ours.
  await expect(prover.prove(forgedOf(small))).rejects.toMatchObject({ kind: 'bad_answer' });
  expect(await prover.prove(orderOf(large))).toMatchObject({ hash: large.hash });
  expect(lines).toEqual([mistake(small.hash), mistake(large.hash)]);
  for (const each of [trial, prover]) each.close();
});

it('an operator learns it of a block that the second thread hashed wrongly, too, once', async () => {
  const { href } = new URL('../../../../src/chains/utxo/block-room.ts', import.meta.url);
  const wrong = threadThat(`await (async () => {
    const { BlockRoom, piecesOf } = await import(${JSON.stringify(href)});
    return { hashBlocks() { return { serve({ room: { capacity, memory } }) {
      const room = new BlockRoom(capacity, memory);
      for (let piece = 0; piece < piecesOf(room.count); piece += 1) {
        if (room.claim(piece)) room.conclude(piece, new Uint8Array(32));
      }
    } }; } };
  })()`);
  const prover = await newProver(wrong);
  for (const isForged of [false, true]) {
    const block = await prover.prove(isForged ? forgedOf(large) : orderOf(large));
    const words = new Int32Array(block.bytes.buffer);
    await eventually(
      'the thread to have hashed',
      () => Atomics.load(words, 2),
      (pieces) => pieces === Math.ceil(4_000 / 128),
    );
    for (let asked = 0; asked < 2; asked += 1) {
      const outcome = await block.proof?.().catch((error: unknown) => error);
      expect(outcome).toEqual(isForged ? expect.objectContaining({ kind: 'bad_answer' }) : undefined);
    }
    prover.release(block);
  }
  expect(lines).toEqual([mistake(large.hash)]);
  prover.close();
});
