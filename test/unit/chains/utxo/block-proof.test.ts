import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { merkleRootOf, openHexBlock } from '../../../../src/chains/utxo/block.ts';
import { newClaims, ProofShare } from '../../../../src/chains/utxo/block-proof.ts';
import { COINBASE, encodeBlock, encodeTransaction, p2wpkh, txidOf } from './raw-chain.ts';

/** Around the sizes of pieces, of which a tree has one, two, an odd number, many. */
const COUNTS = [1, 2, 3, 100, 127, 128, 129, 130, 131, 255, 256, 257, 300, 384, 385, 513, 640, 1_000];

const all = Array.from({ length: 1_000 }, (_, at) => ({
  ...COINBASE,
  outputs: [{ amount: BigInt(at), script: p2wpkh('ab'.repeat(20)) }],
}));
const raws = all.map((each) => encodeTransaction(each));
const txids = all.map((each) => txidOf(each));

function opened(positions: readonly number[], committedTo = positions) {
  const { bytes, hash } = encodeBlock({
    transactions: positions.map((at) => raws[at] ?? Buffer.alloc(0)),
    txids: committedTo.map((at) => txids[at] ?? ''),
    parentHash: '00'.repeat(32),
  });
  const text = new Uint8Array(Buffer.from(bytes.toString('hex')));
  const { hashable } = openHexBlock(text, { hash, mweb: false, room: null });
  return { hashable, header: { hash, merkleRoot: merkleRootOf(bytes) } };
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

describe('hashing a block in shares', () => {
  it('proves it, however many transactions it has and whoever hashes what', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...COUNTS),
        fc.array(fc.nat({ max: 2 }), { maxLength: 10 }),
        (count, turns) => {
          const { hashable, header } = opened(upTo(count));
          const claims = newClaims();
          const shares = [0, 1, 2].map(() => new ProofShare(hashable, claims));
          // No time at all is one piece.
          for (const turn of turns) shares[turn]?.workFor(0);
          shares[0]?.finish();
          const found = new Map(shares.flatMap(({ roots }) => [...roots]));
          expect(found.size).toBe(Math.ceil(count / 128));
          expect(shares.reduce((sum, { roots }) => sum + roots.size, 0)).toBe(found.size);
          for (const share of shares) expect(() => share.conclude(found, header)).not.toThrow();
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
        const { hashable, header } = opened(list, positions);
        const share = new ProofShare(hashable, newClaims());
        share.finish();
        expect(() => share.conclude(new Map(), header)).toThrow('do not match its merkle root');
      }
    }
  });

  it('refuses a block of which a piece was not hashed', () => {
    const { hashable, header } = opened(upTo(300));
    const share = new ProofShare(hashable, newClaims());
    expect(share.workFor(0)).toBe(true);
    expect(() => share.conclude(new Map(), header)).toThrow('do not match its merkle root');
  });

  it('leaves pieces that would take long to the thread in which nobody waits', () => {
    const large = { ...COINBASE, outputs: [{ amount: 1n, script: Buffer.alloc(300_000) }] };
    const { bytes, hash } = encodeBlock({
      transactions: [encodeTransaction(large)],
      txids: [txidOf(large)],
      parentHash: '00'.repeat(32),
    });
    const text = new Uint8Array(Buffer.from(bytes.toString('hex')));
    const { hashable, merkleRoot } = openHexBlock(text, { hash, mweb: false, room: null });
    const claims = newClaims();
    const [busy, free] = [new ProofShare(hashable, claims), new ProofShare(hashable, claims)];
    expect(busy.workFor(1_000)).toBe(false);
    expect(busy.roots.size).toBe(0);
    free.finish();
    expect(() => busy.conclude(free.roots, { hash, merkleRoot })).not.toThrow();
  });
});
