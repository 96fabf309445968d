import { secp256k1 } from '@noble/curves/secp256k1.js';
import { HDKey } from '@scure/bip32';
import fc from 'fast-check';
import bindings from 'secp256k1/bindings.js';
import { expect, test } from 'vitest';
import {
  addTweakByNoble,
  childPublicKey,
  hasNativeSecp256k1,
  publicBranch,
} from '../../../src/wallet/child-key.ts';

const { Point } = secp256k1;
const ORDER = Point.Fn.ORDER;
const SEED = 20_261_122;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
/** Any scalar, those at the ends of the group among them. */
const scalar = fc.oneof(
  fc.bigInt({ min: 1n, max: ORDER - 1n }),
  fc.nat(255).map((bit) => (1n << BigInt(bit)) % ORDER),
  fc.nat(600).map((small) => BigInt(small) + 1n),
  fc.nat(600).map((small) => ORDER - 1n - BigInt(small)),
);

test('hasNativeSecp256k1 is true where the libsecp256k1 binary is available', () => {
  expect(hasNativeSecp256k1).toBe(true);
});

test('childPublicKey computes the same point with libsecp256k1 and with the JavaScript fallback', () => {
  fc.assert(
    fc.property(scalar, scalar, fc.boolean(), (key, tweak, isCompressed) => {
      fc.pre((key + tweak) % ORDER !== 0n);
      const publicKey = Point.BASE.multiply(key).toBytes(true);
      const bytes = Point.Fn.toBytes(tweak);
      const expected = hex(Point.BASE.multiply((key + tweak) % ORDER).toBytes(isCompressed));
      expect(hex(bindings.publicKeyTweakAdd(publicKey, bytes, isCompressed))).toBe(expected);
      expect(hex(addTweakByNoble(publicKey, bytes, isCompressed))).toBe(expected);
    }),
    { numRuns: 200, seed: SEED },
  );
});

test.each([
  ['a tweak beyond the order of the group', 5n, Buffer.alloc(32, 0xff)],
  ['the point at infinity', 5n, Buffer.from(Point.Fn.toBytes(ORDER - 5n))],
])('childPublicKey rejects %s with libsecp256k1 and with the JavaScript fallback', (_what, key, tweak) => {
  const publicKey = Point.BASE.multiply(key).toBytes(true);
  expect(() => bindings.publicKeyTweakAdd(publicKey, tweak, true)).toThrow();
  expect(() => addTweakByNoble(publicKey, tweak, true)).toThrow();
});

test('publicBranch derives the same keys as private derivation by @scure/bip32', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.oneof(fc.nat(50), fc.nat(2 ** 31 - 1)),
      (seed, index) => {
        const node = HDKey.fromMasterSeed(seed).derive("m/84'/0'/0'/0");
        expect(hex(childPublicKey(publicBranch(node), index, true))).toBe(
          hex(node.deriveChild(index).publicKey ?? new Uint8Array()),
        );
      },
    ),
    { numRuns: 100, seed: SEED },
  );
});
