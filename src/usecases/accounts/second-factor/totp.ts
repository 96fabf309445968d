import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { base32nopad } from '@scure/base';

/** TOTP (RFC 6238) as every authenticator app knows it: SHA-1, 6 digits, steps of 30 s. */

const STEP_MS = 30_000;
const DIGITS = 6;
/** Steps before and after now that count too, for clocks that differ. */
const SKEW = [1, 0, -1] as const;
const SECRET_BYTES = 20;

/** A new shared secret of 160 bits, in base32 (RFC 4648) without padding. */
export function newTotpSecret(): string {
  return base32nopad.encode(randomBytes(SECRET_BYTES));
}

/** The code of one step: HOTP (RFC 4226) with the step as counter. */
export function codeOfStep(secret: Uint8Array, step: number, digits: number = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** The newest step around a time whose code this is; null when it is the code of none. */
export function stepOfCode(secretBase32: string, code: string, nowMs: number): number | null {
  const secret = base32nopad.decode(secretBase32);
  const given = Buffer.from(code);
  const current = Math.floor(nowMs / STEP_MS);
  const steps = SKEW.map((skew) => current + skew);
  const matching = steps.filter((step) => {
    const expected = Buffer.from(codeOfStep(secret, step));
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
  return matching[0] ?? null;
}

/** What a QR code for an authenticator app holds. */
export function otpauthUri(secretBase32: string, account: string, host: string): string {
  // A colon would end the issuer in the label.
  const issuer = encodeURIComponent(`tilld ${host.replaceAll(':', '-')}`);
  const label = `${issuer}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secretBase32}&issuer=${issuer}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`;
}
