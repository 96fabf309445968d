import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { transition } from '../../../src/domain/payment/payment-machine.ts';
import type { PaymentFact, PaymentState } from '../../../src/domain/payment/types.ts';
import { freshPayment, option } from '../../_helpers/payment-state.ts';

const EXPIRES = 1_000;
const GRACE = 1_000;
const DUE = 100_000n;
const REF = { txid: '1'.repeat(64), index: 0 };

function fresh(cancelledAt: number | null): PaymentState {
  return freshPayment(
    { ETH: option(DUE, 1) },
    {
      status: cancelledAt === null ? 'pending' : 'cancelled',
      expiresAt: EXPIRES,
      cancelledAt,
      unconfirmedGraceMs: GRACE,
      tips: { ETH: 100 },
    },
  );
}

const money = { coin: 'ETH', ref: REF, amount: DUE, maturity: 1, currentDue: 2n * DUE } as const;
const seen = (seenAt: number): PaymentFact => ({ type: 'output_seen', ...money, seenAt });
const inBlock = (height: number, cameBefore: number): PaymentFact => ({
  type: 'output_confirmed',
  ...money,
  seenAt: cameBefore,
  height,
  cameBefore,
});
const time = fc.integer({ min: 0, max: 3 * EXPIRES });

const step = fc.oneof(
  time.map(seen),
  fc.tuple(fc.integer({ min: 90, max: 99 }), time).map(([height, at]) => inBlock(height, at)),
  fc.constantFrom<PaymentFact>(
    { type: 'output_unconfirmed', ref: REF },
    { type: 'output_gone', ref: REF },
    { type: 'time_passed' },
    { type: 'grace_expired', coin: 'ETH', currentDue: null },
  ),
);

describe('a payment in a coin whose blocks have an exact time (Ethereum, Solana)', () => {
  it('is on time when its first block has a time before the deadline, however late the daemon reads it', () => {
    const late = transition(fresh(null), seen(EXPIRES + 5), EXPIRES + 5).payment;
    expect(late.credits).toMatchObject([{ late: true, due: 2n * DUE }]);
    const { payment, events } = transition(late, inBlock(99, EXPIRES - 5), EXPIRES + 9);
    expect(payment).toMatchObject({ status: 'completed', exception: null });
    expect(payment.credits).toMatchObject([{ late: false, due: DUE }]);
    expect(events).toEqual(['payment.completed']);
  });

  it('becomes late or on time again only by the time of its first block', () => {
    fc.assert(
      fc.property(
        fc.option(time),
        fc.array(fc.tuple(step, time), { maxLength: 12 }),
        (cancelledAt, steps) => {
          const deadline = Math.min(EXPIRES, cancelledAt ?? EXPIRES);
          let payment = fresh(cancelledAt);
          for (const [fact, now] of steps) {
            const [before] = payment.credits;
            payment = transition(payment, fact, now).payment;
            const [after] = payment.credits;
            if (before === undefined || after === undefined) continue;
            const firstBlock =
              fact.type === 'output_confirmed' && before.confirmedAt === null
                ? (fact.cameBefore ?? null)
                : null;
            const tooLong = Math.max(EXPIRES, before.firstSeenAt) + GRACE;
            if (before.late && !after.late) {
              expect(Math.min(firstBlock ?? Infinity, before.firstSeenAt)).toBeLessThan(deadline);
              expect(firstBlock ?? Infinity).toBeLessThan(tooLong);
              expect(after.due).toBe(DUE);
            }
            if (!before.late && after.late) expect(firstBlock ?? now).toBeGreaterThanOrEqual(tooLong);
            if (firstBlock !== null && firstBlock < deadline) expect(after.late).toBe(false);
          }
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
