/** Which mails to payers a change of a subscription causes, and when they are due. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextPastDueMailAt, planMails } from '../../../src/domain/subscription/mails.ts';
import { addCalendarDays, periodStart } from '../../../src/domain/subscription/periods.ts';
import type { SubscriptionState } from '../../../src/domain/subscription/types.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2027-03-20T12:00:00Z');

const STATE: SubscriptionState = {
  status: 'active',
  startsAt: NOW,
  trialEndsAt: null,
  schedule: { anchorAt: NOW, anchorN: 0, interval: 'monthly', timeZone: 'Europe/Berlin' },
  nextN: 2,
  paidUntil: NOW,
  laterRuns: [],
  hasGrace: true,
  graceDays: 7,
  openPayBy: null,
  cancelAtPeriodEnd: false,
  cancelledBy: null,
  pausedAt: null,
  pausedBy: null,
  trialEndingSent: false,
  endedAt: null,
};

type Change = Parameters<typeof planMails>[0];

const plan = (change: Partial<Change>) =>
  planMails({ before: STATE, after: STATE, events: [], invoice: null, leadDays: 7, now: NOW, ...change });
const kinds = (change: Partial<Change>) => plan(change).map(({ kind }) => kind);
const open = (periodStartAt: number, createdAt = NOW) => ({
  n: 1,
  periodStart: periodStartAt,
  payBy: periodStartAt + 7 * DAY,
  createdAt,
  paymentId: 'pay_1',
});

describe('planMails', () => {
  it('reminds of an invoice at least a day after it was mailed, and before its period begins', () => {
    const intervals = fc.constantFrom(
      'daily' as const,
      'weekly' as const,
      'monthly' as const,
      'yearly' as const,
    );
    fc.assert(
      fc.property(
        intervals,
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: -40, max: 60 }),
        (interval, leadDays, ahead) => {
          const after = { ...STATE, schedule: { ...STATE.schedule, interval } };
          const start = periodStart(after.schedule, 1);
          const now = addCalendarDays('Europe/Berlin', start, -ahead);
          const [invoice, reminder, ...more] = plan({
            after,
            events: ['subscription.invoiced'],
            invoice: open(start),
            leadDays,
            now,
          });
          expect(more).toEqual([]);
          expect(invoice).toMatchObject({ kind: 'invoice', n: 1 });
          expect(invoice?.dueAt).toBeGreaterThanOrEqual(now);
          if (reminder === undefined) return;
          expect(reminder.kind).toBe('reminder');
          expect(reminder.dueAt).toBeLessThan(start);
          expect(reminder.dueAt - (invoice?.dueAt ?? 0)).toBeGreaterThanOrEqual(DAY - 3_600_000);
        },
      ),
    );
  });

  it('plans nothing for an invoice that credit covers', () => {
    const invoice = { ...open(NOW), paymentId: null };
    expect(plan({ events: ['subscription.invoiced'], invoice })).toEqual([]);
  });

  it('mails an overdue invoice at once, but one of the same day three days later', () => {
    const past = (createdAt: number) =>
      plan({ events: ['subscription.past_due'], invoice: open(NOW, createdAt) }).map(({ dueAt }) => dueAt);
    expect(past(NOW - 7 * DAY)).toEqual([NOW]);
    expect(past(NOW)).toEqual([addCalendarDays('Europe/Berlin', NOW, 3)]);
    // The clock was set back since.
    expect(past(NOW + DAY)).toEqual([addCalendarDays('Europe/Berlin', NOW, 3)]);
  });

  it('announces a cancellation when it is decided, and the end only where none was decided', () => {
    const cancelling = { ...STATE, cancelAtPeriodEnd: true };
    expect(kinds({ after: cancelling, events: ['subscription.updated'] })).toEqual(['cancelled']);
    expect(kinds({ before: cancelling, after: cancelling, events: ['subscription.updated'] })).toEqual([]);
    expect(kinds({ before: cancelling, events: ['subscription.ended'] })).toEqual([]);
    expect(kinds({ before: { ...STATE, status: 'cancelled' }, events: ['subscription.ended'] })).toEqual([]);
    expect(kinds({ before: { ...STATE, status: 'past_due' }, events: ['subscription.ended'] })).toEqual([
      'ended',
    ]);
  });
});

describe('nextPastDueMailAt', () => {
  it('is before the end of grace, or null', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 90 * DAY }), (graceMs) => {
        const next = nextPastDueMailAt('Europe/Berlin', NOW, NOW + graceMs);
        if (next === null) return;
        expect(next).toBeLessThan(NOW + graceMs);
        expect(next).toBeGreaterThan(NOW + 2 * DAY);
      }),
    );
  });
});
