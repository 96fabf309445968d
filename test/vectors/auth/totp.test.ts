import { base32nopad } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { codeOfStep, newTotpSecret, otpauthUri, verifyTotp } from '../../../src/usecases/accounts/second-factor/totp.ts';

/** RFC 6238 appendix B and RFC 4226 appendix D share this secret. */
const SECRET = new TextEncoder().encode('12345678901234567890');
const BASE32 = base32nopad.encode(SECRET);

describe('codeOfStep for the vectors of RFC 6238 (SHA-1, 8 digits)', () => {
  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('returns the published code at %i s', (seconds, code) => {
    expect(codeOfStep(SECRET, Math.floor(seconds / 30), 8)).toBe(code);
  });
});

describe('codeOfStep for the vectors of RFC 4226 (6 digits)', () => {
  it.each([
    '755224',
    '287082',
    '359152',
    '969429',
    '338314',
    '254676',
    '287922',
    '162583',
    '399871',
    '520489',
  ].map((code, counter) => [counter, code] as const))('returns the published code for counter %i', (counter, code) => {
    expect(codeOfStep(SECRET, counter)).toBe(code);
  });
});

describe('verifyTotp', () => {
  const step = 41_152_263;
  const at = step * 30_000;

  it('accepts a code up to one step early or late, to the millisecond', () => {
    const code = codeOfStep(SECRET, step);
    expect(verifyTotp(BASE32, code, at - 30_000)).toBe(step);
    expect(verifyTotp(BASE32, code, at - 30_001)).toBeNull();
    expect(verifyTotp(BASE32, code, at + 59_999)).toBe(step);
    expect(verifyTotp(BASE32, code, at + 60_000)).toBeNull();
  });

  it('rejects incomplete and malformed codes', () => {
    const code = codeOfStep(SECRET, step);
    for (const other of ['', code.slice(1), `${code}0`, `${code.slice(0, 5)}x`, '٠١٢٣٤٥']) {
      expect(verifyTotp(BASE32, other, at)).toBeNull();
    }
  });
});

it('newTotpSecret creates a different secret of 160 bits each time', () => {
  const secrets = Array.from({ length: 50 }, () => newTotpSecret());
  expect(new Set(secrets).size).toBe(50);
  for (const secret of secrets) expect(base32nopad.decode(secret)).toHaveLength(20);
});

it('otpauthUri writes the URI format of authenticator apps, for any names', () => {
  const uri = new URL(otpauthUri(BASE32, 'a+b&c=d/ü@exämple.com', '[::1]'));
  expect([uri.protocol, uri.host]).toEqual(['otpauth:', 'totp']);
  expect(decodeURIComponent(uri.pathname)).toBe('/tilld [--1]:a+b&c=d/ü@exämple.com');
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    secret: BASE32,
    issuer: 'tilld [--1]',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});
