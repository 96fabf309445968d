import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { SecretBox } from '../../../src/domain/keys.ts';
import { Keyring } from '../../../src/wallet/keyring.ts';
import { createSecretBox, defaultJwtSecret } from '../../../src/wallet/secret-box.ts';

let box: SecretBox;
let keyring: Keyring;

beforeAll(async () => {
  keyring = await Keyring.fromEntropy(Buffer.alloc(32, 1));
  box = createSecretBox(keyring);
});

test('createSecretBox decrypts any text, also after a restart', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), (text) => {
      expect(createSecretBox(keyring).open(box.seal(text))).toBe(text);
    }),
  );
});

test('createSecretBox encrypts the same text differently each time, and never in clear', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const sealed = [box.seal(secret), box.seal(secret)];
  expect(sealed[0]).not.toBe(sealed[1]);
  expect(sealed.join()).not.toContain(secret.slice(0, 12));
  expect(sealed[0]).toMatch(/^v1\.[\w-]+$/);
});

test('createSecretBox rejects any altered byte', () => {
  const sealed = box.seal('a secret');
  const body = Buffer.from(sealed.slice(3), 'base64url');
  for (let at = 0; at < body.length; at += 1) {
    const altered = Buffer.from(body);
    altered[at] = (altered[at] ?? 0) ^ 1;
    expect(() => box.open(`v1.${altered.toString('base64url')}`)).toThrow(/changed/);
  }
});

test('createSecretBox rejects a text of another keyring or version, and what is not a sealed text', async () => {
  const other = createSecretBox(await Keyring.fromEntropy(Buffer.alloc(32, 2)));
  expect(() => other.open(box.seal('a secret'))).toThrow(/another keyring/);
  for (const wrong of ['', 'v1.', 'plain', box.seal('a secret').replace('v1.', 'v2.'), 'v1.AAAA']) {
    expect(() => box.open(wrong)).toThrow(/not a sealed text/);
  }
});

test('defaultJwtSecret is a separate key of 32 bytes that does not change', () => {
  expect(defaultJwtSecret(keyring)).toHaveLength(32);
  expect(defaultJwtSecret(keyring)).toEqual(defaultJwtSecret(keyring));
  expect(defaultJwtSecret(keyring)).not.toEqual(keyring.deriveSecret('secret-box/v1'));
});
