import { randomBytes, randomUUID } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 24;
/** Largest multiple of 62 that fits a byte: bytes from here up would favour the first letters. */
const UNBIASED_LIMIT = 248;

/** Random text over 0-9A-Za-z, every character equally likely (5.95 bits each). */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < UNBIASED_LIMIT) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
}

/** A new identifier such as `pay_` + 24 random base62 characters (142 bits). */
export function newId(prefix: `${string}_`): string {
  return prefix + randomBase62(ID_LENGTH);
}

/** A new random UUID (version 4), for the ids the API shows as UUIDs. */
export function newUuid(): string {
  return randomUUID();
}

/** A new webhook signing secret as Standard Webhooks writes it: `whsec_` + base64 of 32 bytes. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
