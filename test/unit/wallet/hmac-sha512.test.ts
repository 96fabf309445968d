import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hmacSha512 } from '../../../src/wallet/hmac-sha512.ts';

test('is the HMAC that node:crypto makes, under every key of at most a block', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 128 }), fc.uint8Array({ maxLength: 300 }), (key, data) => {
      expect(hmacSha512(key, data).equals(createHmac('sha512', key).update(data).digest())).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('a longer key, which would have to be hashed first, is refused', () => {
  expect(() => hmacSha512(new Uint8Array(129), new Uint8Array(1))).toThrow(RangeError);
});
