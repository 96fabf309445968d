import { randomBytes, randomFillSync, randomUUID } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 24;
/** Largest multiple of 62 that fits a byte: larger bytes would favour the first letters. */
const UNBIASED_LIMIT = 248;

/** Pool of unused random bytes, fetched in bulk because a call costs more than its bytes. */
const pool = Buffer.alloc(4_096);
let used = pool.length;

const LETTERS = Buffer.from(BASE62, 'latin1');
/** Scratch buffer in which a text is built. */
const letters = Buffer.alloc(64);

/** Random text over 0-9A-Za-z, every character equally likely (5.95 bits each). */
export function randomBase62(length: number): string {
  if (length > letters.length) return randomBase62(letters.length) + randomBase62(length - letters.length);
  for (let at = 0; at < length;) {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const byte = pool[used] ?? UNBIASED_LIMIT;
    pool[used] = 0;
    used += 1;
    if (byte >= UNBIASED_LIMIT) continue;
    letters[at] = LETTERS[byte % LETTERS.length] ?? 0;
    at += 1;
  }
  const text = letters.toString('latin1', 0, length);
  // Cleared because it may be a key.
  letters.fill(0, 0, length);
  return text;
}

/** A new identifier such as `pay_` + 24 random base62 characters (142 bits). */
export function newId(prefix: `${string}_`): string {
  return prefix + randomBase62(ID_LENGTH);
}

/** Base62 digits of a time in ms, enough until the year 8888. */
const TIME_DIGITS = 8;

/**
 * A new identifier of the same length that sorts by time: 8 base62 digits of it, then 16 random ones (95
 * bits). For high-volume rows: new ones stay adjacent in the indexes, while each random id touches a
 * different page.
 */
export function newTimedId(prefix: `${string}_`, timeMs: number): string {
  if (timeMs !== lastTimeMs) {
    lastDigits = timeDigits(timeMs);
    lastTimeMs = timeMs;
  }
  return prefix + lastDigits + randomBase62(ID_LENGTH - TIME_DIGITS);
}

/** Many ids are made in the same millisecond. */
let lastTimeMs = -1;
let lastDigits = '';

function timeDigits(timeMs: number): string {
  let digits = '';
  for (let rest = timeMs; digits.length < TIME_DIGITS; rest = Math.floor(rest / 62)) {
    digits = BASE62.charAt(rest % 62) + digits;
  }
  return digits;
}

/** A new random UUID (version 4), for ids that the API shows as UUIDs. */
export function newUuid(): string {
  return randomUUID();
}

/** A new webhook signing secret in the format of Standard Webhooks: `whsec_` + base64 of 32 bytes. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
