import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_SEND_POLICY, retryDelayMs } from '../../../src/domain/send/policy.ts';

test('retries slow down to the maximum and never stop', () => {
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
