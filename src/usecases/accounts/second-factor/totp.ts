import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { base32nopad } from '@scure/base';

/** TOTP (RFC 6238) as supported by all authenticator apps: SHA-1, 6 digits, steps of 30 s. */

const STEP_MS = 30_000;
const DIGITS = 6;
/** Adjacent steps that are accepted as well, because clocks differ. */
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

/** The newest step around a time that has this code; null when no step has it. */
export function verifyTotp(secretBase32: string, code: string, nowMs: number): number | null {
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

/** The content of a QR code for an authenticator app. */
export function otpauthUri(secretBase32: string, account: string, host: string): string {
  // A colon would end the issuer in the label.
  const issuer = encodeURIComponent(`tilld ${host.replaceAll(':', '-')}`);
  const label = `${issuer}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secretBase32}&issuer=${issuer}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`;
}
