import { hash } from 'node:crypto';
import type { ApiKeyRow } from '../../store/schema/merchants.ts';
import { newId, randomBase62 } from '../events/index.ts';

/** 43 base62 characters carry the 256 bits of 32 random bytes. */
export const KEY_LENGTH = 43;
/** Number of leading characters of a secret key that are shown later. */
export const PREFIX_LENGTH = 8;

export interface ApiKeys {
  readonly public: string;
  readonly secret: string;
  readonly rows: readonly ApiKeyRow[];
}

/** SHA-256 under which a key is stored; keys are long and random, so a slow hash is not needed. */
export function keyHash(key: string): string {
  return hash('sha256', key);
}

/** A new public and secret key for a merchant. No row contains the secret itself. */
export function newApiKeys(merchantId: string, now: number): ApiKeys {
  const publicKey = `pk_${randomBase62(KEY_LENGTH)}`;
  const secretKey = `sk_${randomBase62(KEY_LENGTH)}`;
  const row = (kind: ApiKeyRow['kind'], key: string): ApiKeyRow => ({
    id: newId('key_'),
    merchantId,
    kind,
    keyHash: keyHash(key),
    publicValue: kind === 'public' ? key : null,
    prefix: key.slice(0, PREFIX_LENGTH),
    lastFour: key.slice(-4),
    createdAt: now,
    expiresAt: null,
    lastUsedAt: null,
  });
  return {
    public: publicKey,
    secret: secretKey,
    rows: [row('public', publicKey), row('secret', secretKey)],
  };
}
