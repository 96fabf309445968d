/** Proration: another price for the rest of a paid period, against an exact sum over its seconds. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeRate, prorationBalance } from '../../../src/domain/subscription/proration.ts';

const START = Date.parse('2027-03-01T00:00:00Z');
const price = fc.bigInt({ min: 1n, max: 1_000_000n });
const period = fc.record({
  price,
  seconds: fc.integer({ min: 1, max: 366 * 86_400 }),
  paused: fc.integer({ min: 0, max: 400 * 86_400 }),
  changes: fc.array(fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), rate: price }), {
    maxLength: 30,
  }),
});
type Case = typeof period extends fc.Arbitrary<infer C> ? C : never;

const open = ({ price: asked, seconds, paused }: Pick<Case, 'price' | 'seconds' | 'paused'>) => ({
  periodStart: START,
  // A pause at its start moved its end.
  periodEnd: START + (seconds + paused) * 1000,
  pausedMs: paused * 1000,
  price: asked,
  rate: asked,
  proration: 0n,
});

const paid = (price: bigint) => ({ status: 'paid' as const, price, applied: 0n });

describe('the changes of the price of a paid period', () => {
  it('cost the sum of the prices of its seconds, to the minor unit and in favour of neither side', () => {
    fc.assert(
      fc.property(period, (made) => {
        const { seconds, paused } = made;
        const changes = made.changes
          .map(({ at, rate }) => ({ elapsed: Math.floor(at * seconds), rate }))
          .toSorted((one, two) => one.elapsed - two.elapsed);
        let now = open(made);
        for (const { elapsed, rate } of changes)
          now = changeRate(now, rate, START + (paused + elapsed) * 1000 + 1);
        // The price of each second times the seconds of the period, independently of the order of the sums.
        let [sum, from, rate] = [0n, 0, made.price];
        for (const change of [...changes, { elapsed: seconds, rate: 0n }]) {
          sum += rate * BigInt(change.elapsed - from);
          [from, rate] = [change.elapsed, change.rate];
        }
        const exact = made.price * BigInt(seconds) - sum;
        const credit = prorationBalance({ ...paid(made.price), proration: now.proration }, made.price);
        // A change within a second counts from the second that follows it.
        const late = changes.reduce((most, change) => (change.rate > most ? change.rate : most), made.price);
        const slack = BigInt(seconds) + late * BigInt(changes.length);
        const error = credit * BigInt(seconds) - exact;
        expect(error < slack && -error < slack).toBe(true);
        expect(credit <= made.price).toBe(true);
      }),
    );
  });

  it('cancel out when the price returns at the same moment, however often', () => {
    fc.assert(
      fc.property(period, fc.integer({ min: 0, max: 40_000_000 }), (made, at) => {
        const first = open(made);
        let now = first;
        for (const rate of [...made.changes.map((change) => change.rate), made.price])
          now = changeRate(now, rate, START + at * 1000);
        expect(now).toEqual({ ...first, proration: now.proration });
        expect(prorationBalance({ ...paid(made.price), proration: now.proration }, made.price)).toBe(0n);
      }),
    );
  });

  it('make no credit beyond the money that is there, and none for a period that is not paid', () => {
    fc.assert(
      fc.property(period, fc.bigInt({ min: -100n, max: 2_000_000n }), (made, kept) => {
        const now = changeRate(open(made), 0n, START);
        const there = kept < 0n ? 0n : kept;
        expect(prorationBalance({ ...paid(made.price), ...now }, kept) <= there).toBe(true);
        for (const status of ['open', 'void'] as const)
          expect(prorationBalance({ ...paid(made.price), ...now, status }, kept)).toBe(0n);
      }),
    );
  });

  it('count for the rest of the period alone', () => {
    const half = START + 5 * 86_400_000;
    const made = open({ price: 1_000n, seconds: 10 * 86_400, paused: 0 });
    const now = changeRate(changeRate(made, 200n, START), 1_000n, half);
    expect(prorationBalance({ ...paid(1_000n), ...now }, 1_000n)).toBe(400n);
    expect(changeRate(now, 1n, START + 10 * 86_400_000)).toEqual({ ...now, rate: 1n });
  });
});
