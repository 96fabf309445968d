import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openBlock, readRest } from '../../../../src/chains/utxo/block.ts';
import { BlockMemory } from '../../../../src/chains/utxo/block-memory.ts';
import { ProofShare } from '../../../../src/chains/utxo/block-proof.ts';
import { BlockRoom } from '../../../../src/chains/utxo/block-room.ts';
import { COINBASE, encodeBlock, encodeTransaction, p2wpkh, txidOf } from './raw-chain.ts';

/** Around the sizes of pieces, of which a tree has one, two, an odd number, many. */
const COUNTS = [1, 2, 3, 100, 127, 128, 129, 130, 131, 255, 256, 257, 300, 384, 385, 513, 640, 1_000];

const all = Array.from({ length: 1_000 }, (_, at) => ({
  ...COINBASE,
  outputs: [{ amount: BigInt(at), script: p2wpkh('ab'.repeat(20)) }],
}));
const raws = all.map((each) => encodeTransaction(each));
const txids = all.map((each) => txidOf(each));

/** As threads have one block: each with a memory of its own beside it. */
const room = new BlockRoom(1_000_000);
const memories = [0, 1, 2].map(() => new BlockMemory(room));

function sharesOf(block: { readonly bytes: Buffer; readonly hash: string }) {
  const [reader = new BlockMemory(room)] = memories;
  const raw = new Uint8Array(Buffer.from(block.bytes.toString('hex')));
  const open = openBlock(reader, { raw, hash: block.hash, mweb: false });
  readRest(open);
  return { open, shares: memories.map((memory) => new ProofShare(memory, open.count)) };
}

function opened(positions: readonly number[], committedTo = positions) {
  const transactions = positions.map((at) => raws[at] ?? Buffer.alloc(0));
  const ids = committedTo.map((at) => txids[at] ?? '');
  return sharesOf(encodeBlock({ transactions, txids: ids, parentHash: '00'.repeat(32) }));
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

describe('hashing a block in shares', () => {
  it('proves it, however many transactions it has and whoever hashes what', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...COUNTS),
        fc.array(fc.nat({ max: 2 }), { maxLength: 10 }),
        (count, turns) => {
          const { open, shares } = opened(upTo(count));
          // No time at all is one piece.
          for (const turn of turns) shares[turn]?.workFor(0);
          expect(shares[0]?.isThrough(0)).toBe(turns.length >= Math.ceil(count / 128));
          shares[0]?.finish();
          for (const share of shares) {
            expect(share.isThrough(0)).toBe(true);
            expect(share.conclude(open)).toBe(true);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('refuses a block with another transaction, a missing one, or one that stands there twice', () => {
    for (const count of COUNTS) {
      const positions = upTo(count);
      const other = positions.with(count - 1, 999);
      const lists = count === 1_000 ? [] : [other];
      if (count > 1) lists.push(positions.slice(0, -1));
      // An odd number of them has the same root when the last is there twice (CVE-2012-2459).
      if (count % 2 === 1) lists.push([...positions, count - 1]);
      for (const list of lists) {
        const { open, shares } = opened(list, positions);
        shares[0]?.finish();
        for (const share of shares) {
          expect(() => share.conclude(open)).toThrow('do not match its merkle root');
        }
      }
    }
  });

  it('refuses a block of which a piece was not hashed, though one in its place was proven before', () => {
    const first = opened(upTo(300));
    first.shares[0]?.finish();
    first.shares[0]?.conclude(first.open);
    const { open, shares } = opened(upTo(300));
    expect(shares[0]?.workFor(0)).toBe(true);
    expect(() => shares[0]?.conclude(open)).toThrow('do not match its merkle root');
  });

  it('lets OpenSSL decide when a thread hashed something else', () => {
    for (const { positions, isRight } of [
      { positions: upTo(300), isRight: true },
      { positions: upTo(301), isRight: true },
      { positions: [7], isRight: true },
      { positions: upTo(300).with(299, 999), isRight: false },
      { positions: [...upTo(301), 300], isRight: false },
    ]) {
      const { open, shares } = opened(positions, isRight ? positions : upTo(positions.length));
      expect(room.claim(0)).toBe(true);
      room.conclude(0, positions.length % 2 === 0 ? new Uint8Array(32) : null);
      shares[1]?.finish();
      // Whoever concluded can tell an operator.
      if (isRight) expect(shares[0]?.conclude(open)).toBe(false);
      else expect(() => shares[0]?.conclude(open)).toThrow('do not match its merkle root');
    }
  });

  it('hashes nothing that was not read yet, and stops when the block is given up', () => {
    const { shares } = opened(upTo(300));
    room.begin(300);
    room.publish(256);
    room.giveUp();
    shares[1]?.finish();
    expect(room.unclaimed).toBe(0);
    room.begin(300);
    room.publish(256);
    expect(shares[1]?.workFor(0)).toBe(true);
    expect(shares[2]?.workFor(0)).toBe(true);
    expect(shares[0]?.workFor(1_000)).toBe(false);
    expect(room.unclaimed).toBe(2);
  });

  it('leaves pieces that would take long to the thread in which nobody waits', () => {
    const large = { ...COINBASE, outputs: [{ amount: 1n, script: Buffer.alloc(300_000) }] };
    const block = encodeBlock({
      transactions: [encodeTransaction(large)],
      txids: [txidOf(large)],
      parentHash: '00'.repeat(32),
    });
    const { open, shares } = sharesOf(block);
    const [busy, free] = shares;
    expect(busy?.workFor(1_000)).toBe(false);
    expect(busy?.isThrough(0)).toBe(false);
    free?.finish();
    expect(() => busy?.conclude(open)).not.toThrow();
  });
});
