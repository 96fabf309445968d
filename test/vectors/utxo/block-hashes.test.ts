import { hash, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockMemory } from '../../../src/chains/utxo/block-memory.ts';
import { BlockRoom } from '../../../src/chains/utxo/block-room.ts';
import { fill, sizesOf } from '../../../src/chains/utxo/block-table.ts';
import { RowWriter } from '../../../src/chains/utxo/transaction-rows.ts';
import { ChainError } from '../../../src/domain/chain.ts';

const room = new BlockRoom(1_100_000);
const memory = new BlockMemory(room);

function sha(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer');
}

const shaTwice = (bytes: Uint8Array): Buffer => sha(sha(bytes));

/** Hashes whole messages (nine bytes at least) as if each were a transaction without a witness. */
function hashed(messages: readonly Uint8Array[]): string[] {
  const rows = new RowWriter();
  let start = 0;
  for (const { length } of messages) {
    const row = rows.begin(start);
    start += length;
    rows.finish(row, { end: start, bodyEnd: start - 4, isHogEx: false, isExtended: false });
  }
  const bytes = Buffer.concat(messages);
  room.block(bytes.length).set(bytes);
  fill(room.table(sizesOf(rows.rows(), messages.length)), bytes, rows.rows());
  const ids = Buffer.from(memory.ids(0, messages.length));
  return messages.map((_, at) => ids.toString('hex', 32 * at, 32 * at + 32));
}

const display = (hex: string): Buffer => Buffer.from(Buffer.from(hex, 'hex').toReversed());

describe('the hashes of a block', () => {
  it.each([
    [
      'of two chunks',
      Buffer.from('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq'),
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
    [
      'of a million letters',
      Buffer.alloc(1_000_000, 'a'),
      'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0',
    ],
  ])('are those of the standard (FIPS 180-4, messages %s), hashed twice', (_what, message, digest) => {
    expect(hashed([message])).toEqual([sha(Buffer.from(digest, 'hex')).toString('hex')]);
  });

  it('are those of node:crypto for every length around the ends of chunks', () => {
    const messages = Array.from({ length: 400 }, (_, at) => Buffer.alloc(9 + at, at + 1));
    expect(hashed(messages)).toEqual(messages.map((message) => shaTwice(message).toString('hex')));
  });

  it('are those of node:crypto for as many messages as a block has, of any length, and so is their root', () => {
    for (let round = 0; round < 5; round += 1) {
      const messages = Array.from({ length: 400 - round }, (_, at) => randomBytes(9 + ((at * 37) % 300)));
      const expected = messages.map((message) => shaTwice(message));
      expect(hashed(messages)).toEqual(expected.map((each) => each.toString('hex')));
      expect(memory.merkleRoot(Buffer.concat(expected))).toEqual(rootOf(expected));
    }
  });

  it('are those of node:crypto whatever is hashed beside what', () => {
    const message = fc.oneof(
      fc.uint8Array({ minLength: 9, maxLength: 200 }),
      fc.uint8Array({ minLength: 9, maxLength: 5_000 }),
    );
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 30 }), (messages) => {
        expect(hashed(messages)).toEqual(messages.map((each) => shaTwice(each).toString('hex')));
      }),
      { numRuns: 200 },
    );
  });
});

/** By the book: pairs, the last of an odd number with itself; null for twins. */
function rootOf(ids: readonly Buffer[]): Buffer | null {
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) return only;
  const next: Buffer[] = [];
  for (const [at, left] of ids.entries()) {
    if (at % 2 === 1) continue;
    const right = ids[at + 1];
    if (right?.equals(left) === true) return null;
    next.push(shaTwice(Buffer.concat([left, right ?? left])));
  }
  return rootOf(next);
}

describe('the merkle root of a block', () => {
  it('is that of block 100,000', () => {
    const ids = [
      '8c14f0db3df150123e6f3dbbf30f8b955a8249b62ac1d1ff16284aefa3d06d87',
      'fff2525b8931402dd09222c50775608f75787bd2b87e56995a7bdd30f79702c4',
      '6359f0868171b1d194cbee1af2f16ea598ae8fad666d9b012c8ed2b79a236ec4',
      'e9a66845e05d5abc0ad04ec80f774a7e585c6e8db975962d069a522137b80c1d',
    ];
    expect(memory.merkleRoot(Buffer.concat(ids.map(display)))?.toString('hex')).toBe(
      display('f3e94742aca4b5ef85488dc37c06c3282295ffec960994b2c0d5ac2a25a95766').toString('hex'),
    );
  });

  it('is that of the definition for any number of ids, and none where neighbours are equal', () => {
    // Few different ids, so that equal neighbours are common, also of equal halves higher up.
    const id = fc.nat({ max: 12 }).map((seed) => sha(Buffer.from([seed])));
    const one = fc.array(id, { minLength: 1, maxLength: 9 });
    const list = fc.oneof(
      one,
      one.map((ids) => [...ids, ...ids]),
      fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }).map((raw) => Buffer.from(raw)), {
        minLength: 1,
        maxLength: 70,
      }),
    );
    fc.assert(
      fc.property(list, (ids) => {
        const root = memory.merkleRoot(Buffer.concat(ids))?.toString('hex') ?? null;
        expect(root).toBe(rootOf(ids)?.toString('hex') ?? null);
      }),
      { numRuns: 500 },
    );
  });

  it('looks at all of two ids before it calls them equal', () => {
    const left = Buffer.alloc(32, 7);
    const right = Buffer.from(left);
    right[31] = 8;
    expect(memory.merkleRoot(Buffer.concat([left, right]))).toEqual(rootOf([left, right]));
    expect(memory.merkleRoot(Buffer.concat([left, left]))).toBeNull();
  });
});

function take(text: string): string {
  memory.takeHex(Buffer.from(text, 'latin1'), 0, text.length);
  return room.block(text.length / 2).toString('hex');
}

describe('the hex of a block', () => {
  it('becomes its bytes, in either case', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (bytes) => {
        const hex = Buffer.from(bytes).toString('hex');
        expect(take(hex)).toBe(hex);
        expect(take(hex.toUpperCase())).toBe(hex);
      }),
    );
  });

  it('is refused with any other character in it, or half a byte', () => {
    const isHex = /^[0-9a-f]$/i;
    for (let code = 0; code < 256; code += 1) {
      const character = String.fromCharCode(code);
      for (const at of [0, 15, 16, 31, 32, 47, 48, 50, 63, 64, 69]) {
        const text = `${'ab'.repeat(35).slice(0, at)}${character}${'ab'.repeat(35).slice(at + 1)}`;
        if (isHex.test(character)) expect(take(text)).toBe(text.toLowerCase());
        else expect(() => take(text)).toThrow(ChainError);
      }
    }
    for (const text of ['', 'a', 'abc']) expect(() => take(text)).toThrow(ChainError);
  });

  it('is refused for one wrong character anywhere in a long text, whatever else is in it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50_000 }),
        fc.nat(),
        fc.nat({ max: 255 }).filter((code) => !/[0-9a-f]/i.test(String.fromCharCode(code))),
        (length, place, code) => {
          const text = randomBytes(length).toString('hex');
          expect(take(text)).toBe(text);
          const at = place % text.length;
          const wrong = `${text.slice(0, at)}${String.fromCharCode(code)}${text.slice(at + 1)}`;
          expect(() => take(wrong)).toThrow('not hex');
        },
      ),
      { numRuns: 200 },
    );
  });
});
