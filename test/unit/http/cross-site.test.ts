import type { Request } from 'express';
import { describe, expect, it } from 'vitest';
import { isCrossSiteRequest, isOwnOrigin } from '../../../src/http/server/csrf.ts';

const BASE = 'https://pay.example.com/till';

function requestWith(headers: Readonly<Record<string, string>>): Request {
  return { get: (name: string) => headers[name] } as unknown as Request;
}

describe('isCrossSite', () => {
  it.each([
    [{}, false],
    [{ 'Sec-Fetch-Site': 'same-origin' }, false],
    [{ 'Sec-Fetch-Site': 'none' }, false],
    [{ 'Sec-Fetch-Site': 'same-site' }, true],
    [{ 'Sec-Fetch-Site': 'cross-site', Origin: 'https://pay.example.com' }, true],
    [{ Origin: 'https://pay.example.com' }, false],
    [{ Origin: 'http://127.0.0.1:3000', Host: '127.0.0.1:3000' }, false],
    [{ Origin: 'http://127.0.0.1:3001', Host: '127.0.0.1:3000' }, true],
    [{ Origin: 'null', Host: 'pay.example.com' }, true],
    [{ Origin: 'null' }, true],
  ])('returns, for the headers %j, %j', (headers: Record<string, string>, expected) => {
    expect(isCrossSiteRequest(requestWith(headers), BASE)).toBe(expected);
  });
});

describe('isOwnOrigin', () => {
  it('is false without an Origin header', () => {
    expect(isOwnOrigin(requestWith({ Host: 'pay.example.com' }), BASE)).toBe(false);
    expect(isOwnOrigin(requestWith({ Origin: 'https://pay.example.com' }), BASE)).toBe(true);
  });
});
