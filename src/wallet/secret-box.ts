import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SecretBox } from '../domain/keys.ts';
import type { Keyring } from './keyring.ts';

const PREFIX = 'v1.';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A text that was not sealed under this seed, or was altered. */
class SealError extends Error {
  override name = 'SealError';
}

/**
 * AES-256-GCM with a key derived from the seed for this purpose only. Sealed form:
 * `v1.` + base64url(nonce, ciphertext, tag); the prefix is authenticated.
 */
export function createSecretBox(keyring: Keyring): SecretBox {
  const key = keyring.deriveSecret('secret-box/v1');
  return {
    seal(plain) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(Buffer.from(PREFIX));
      const body = [nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return PREFIX + Buffer.concat(body).toString('base64url');
    },
    open(sealed) {
      const body = Buffer.from(sealed.slice(PREFIX.length), 'base64url');
      if (!sealed.startsWith(PREFIX) || body.length < NONCE_BYTES + TAG_BYTES) {
        throw new SealError('not a sealed text of this version');
      }
      const decipher = createDecipheriv('aes-256-gcm', key, body.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(PREFIX));
      decipher.setAuthTag(body.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([
          decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES)),
          decipher.final(),
        ]).toString('utf8');
      } catch {
        throw new SealError('cannot open a sealed text: it was changed, or sealed with another keyring');
      }
    },
  };
}

/**
 * The HS256 key used when TILLD_JWT_SECRET is unset: derived from the seed, so it survives
 * restarts and restores with the keyring and adds no further secret to the disk.
 */
export function defaultJwtSecret(keyring: Keyring): Uint8Array {
  return keyring.deriveSecret('jwt/v1');
}
