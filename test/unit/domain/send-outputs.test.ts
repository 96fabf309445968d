import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitAmount, sumOutputs } from '../../../src/domain/send/outputs.ts';

const outputs = fc.array(
  fc.record({ destination: fc.string(), amount: fc.bigInt({ min: 1n, max: 21n * 10n ** 14n }) }),
  { minLength: 1, maxLength: 100 },
);

describe('splitAmount', () => {
  it('divides the difference equally, the first recipient paying the remainder, and keeps the sum exact', () => {
    fc.assert(
      fc.property(outputs, fc.bigInt({ min: 0n, max: 10n ** 9n }), (ordered, missing) => {
        const amount = sumOutputs(ordered) - missing;
        const received = splitAmount(ordered, amount);
        expect(sumOutputs(received)).toBe(amount);
        const [first, ...others] = received.map((one, at) => ordered[at]!.amount - one.amount);
        const count = BigInt(ordered.length);
        expect(others.every((share) => share === missing / count)).toBe(true);
        expect(first! - missing / count).toBe(missing % count);
        expect(received.map(({ destination }) => destination)).toEqual(
          ordered.map(({ destination }) => destination),
        );
      }),
    );
  });
});
