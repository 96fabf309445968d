import { describe, expect, it } from 'vitest';
import { liveMoments } from '../../../src/web/dashboard/api/live-moments.ts';
import type { Payment, Status } from '../../../src/web/dashboard/contract/types.ts';

const payments = (stages: Record<string, Status>): Payment[] =>
  Object.entries(stages).map(([id, status]) => ({ id, status }) as Payment);

/** What each reading of the list announces, as `id kind`. */
function announced(...readings: Record<string, Status>[]): string[][] {
  const known: Parameters<typeof liveMoments>[0] = new Map();
  return readings.map((reading) =>
    liveMoments(known, payments(reading)).map(({ kind, payment }) => `${payment.id} ${kind}`),
  );
}

describe('liveMoments', () => {
  it('announces a payment once when it is seen and once when it is paid', () => {
    expect(
      announced(
        { a: 'pending' },
        { a: 'confirming' },
        { a: 'confirming' },
        { a: 'completed' },
        { a: 'completed' },
      ),
    ).toEqual([[], ['a seen'], [], ['a paid'], []]);
  });

  it('announces a payment that was seen and confirmed between two readings as paid only', () => {
    expect(announced({}, { a: 'completed', b: 'pending' })).toEqual([[], ['a paid']]);
  });

  it('announces no refund, expiry or return to pending, and a payment paid again after a reversal', () => {
    expect(
      announced(
        { a: 'completed', b: 'pending' },
        { a: 'refunded', b: 'expired' },
        { a: 'pending' },
        { a: 'completed' },
      ),
    ).toEqual([['a paid'], [], [], ['a paid']]);
  });

  it('announces a part of the money as seen, and the rest not again', () => {
    expect(announced({ a: 'pending' }, { a: 'underpaid' }, { a: 'confirming' })).toEqual([
      [],
      ['a seen'],
      [],
    ]);
  });
});
