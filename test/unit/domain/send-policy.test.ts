import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_SEND_POLICY, shouldBumpFee, retryDelayMs } from '../../../src/domain/send/policy.ts';

test('retryDelayMs increases up to a maximum and never stops retrying', () => {
  const { retryMs, retryMaxMs } = DEFAULT_SEND_POLICY;
  expect(retryDelayMs(DEFAULT_SEND_POLICY, 1)).toBe(retryMs);
  expect(retryDelayMs(DEFAULT_SEND_POLICY, 2)).toBe(2 * retryMs);
  fc.assert(
    fc.property(fc.nat(), (offers) => {
      const delay = retryDelayMs(DEFAULT_SEND_POLICY, offers);
      expect(delay).toBeGreaterThanOrEqual(retryMs);
      expect(delay).toBeLessThanOrEqual(retryMaxMs);
      expect(retryDelayMs(DEFAULT_SEND_POLICY, offers + 1)).toBeGreaterThanOrEqual(delay);
    }),
  );
});

test.each([
  { what: 'long and far below what is asked', coin: 'BTC', ageMs: 3_600_000, rate: 150n, raised: true },
  { what: 'not long yet', coin: 'BTC', ageMs: 3_599_999, rate: 1_000n, raised: false },
  { what: 'long, but near what is asked', coin: 'BTC', ageMs: 3_600_000, rate: 149n, raised: false },
  {
    what: 'minutes, where blocks come every few seconds',
    coin: 'ETH',
    ageMs: 180_000,
    rate: 150n,
    raised: true,
  },
  { what: 'by a clock since set back', coin: 'BTC', ageMs: -1, rate: 150n, raised: true },
  {
    what: 'no time, at what the network takes',
    coin: 'BTC',
    ageMs: 0,
    rate: 100n,
    minimum: 100n,
    raised: false,
  },
  {
    what: 'no time, below what it takes at all',
    coin: 'BTC',
    ageMs: 0,
    rate: 101n,
    minimum: 101n,
    raised: true,
  },
] as const)('shouldBumpFee decides for a send that has waited $what', ({ coin, ageMs, raised, ...quote }) => {
  expect(shouldBumpFee(DEFAULT_SEND_POLICY, { coin, ageMs, paid: 100n }, quote)).toBe(raised);
});
