/** The subscription state machine: a subscriber is entitled for the paid periods plus the grace period. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  activeUntil,
  decide,
  followsUnpaidTime,
  nextDecisionAt,
  nextInvoiceAt,
  paymentDueAt,
} from '../../../src/domain/subscription/subscription-machine.ts';
import { coverPaidTime, joinPeriods } from '../../../src/domain/subscription/coverage.ts';
import { pauseShift } from '../../../src/domain/subscription/pauses.ts';
import { reclaimPeriods } from '../../../src/domain/subscription/reclaim.ts';
import { periodStart } from '../../../src/domain/subscription/periods.ts';
import type {
  SubscriptionEventType,
  SubscriptionFact,
  SubscriptionState,
} from '../../../src/domain/subscription/types.ts';

const DAY = 86_400_000;
const START = Date.parse('2027-01-31T12:00:00Z');
const LEAD = 7;
const GRACE = 5;

const PRICE = 10n;

interface Period {
  readonly n: number;
  readonly price: bigint;
  /** Credit that it has used. */
  readonly applied: bigint;
  /** Credit that its money has made. */
  credited: bigint;
  /** Prices do not change here. */
  readonly rate: bigint;
  readonly proration: bigint;
  readonly prorated: bigint;
  readonly pausedMs: number;
  periodStart: number;
  periodEnd: number;
  payBy: number;
  status: 'open' | 'paid' | 'void';
}

/** A subscription with its invoices, as the use cases keep them. */
class World {
  now: number;
  state: SubscriptionState;
  periods: Period[] = [];
  balance = 0n;
  readonly events: SubscriptionEventType[] = [];

  constructor({ trialDays = 0, startIn = 0 } = {}) {
    this.now = START;
    const startsAt = START + startIn * DAY;
    const anchorAt = startsAt + trialDays * DAY;
    this.state = {
      status: anchorAt <= START ? 'past_due' : 'trialing',
      startsAt,
      trialEndsAt: trialDays > 0 ? anchorAt : null,
      schedule: { anchorAt, anchorN: 0, interval: 'monthly', timeZone: 'Europe/Berlin' },
      nextN: 0,
      paidUntil: null,
      laterRuns: [],
      hasGrace: true,
      graceDays: GRACE,
      openPayBy: null,
      cancelAtPeriodEnd: false,
      cancelledBy: null,
      pausedAt: null,
      pausedBy: null,
      trialEndingSent: false,
      endedAt: null,
    };
    this.tick();
  }

  get open(): Period | undefined {
    return this.periods.find(({ status }) => status === 'open');
  }

  get paid(): Period[] {
    return this.periods.filter(({ status }) => status === 'paid');
  }

  get activeUntil(): number | null {
    return activeUntil(this.state, this.now);
  }

  apply(fact: SubscriptionFact): boolean {
    const decision = decide(this.state, fact, this.now);
    if (decision === null) return false;
    this.state = decision.state;
    this.events.push(...decision.events);
    if (this.state.openPayBy === null) this.close(Infinity);
    return true;
  }

  close(endedBy: number): void {
    for (const period of this.periods) {
      if (period.status !== 'open' || period.periodEnd > endedBy) continue;
      period.status = 'void';
      this.balance += period.applied;
    }
    this.state = { ...this.state, openPayBy: this.open?.payBy ?? null };
  }

  /** What the scheduler does. */
  tick(isUndecided = false): void {
    const at = nextInvoiceAt(this.state, LEAD);
    if (this.state.openPayBy === null && at !== null && at <= this.now) this.invoice();
    const { paidUntil, laterRuns } = this.state;
    this.apply({ type: 'clock', isUndecided });
    if (this.state.paidUntil !== paidUntil) this.close(laterRuns[0]?.from ?? 0);
  }

  invoice(): void {
    const { nextN: n, schedule } = this.state;
    const [start, end] = [periodStart(schedule, n), periodStart(schedule, n + 1)];
    const free = this.state.trialEndsAt ?? this.state.startsAt;
    // Time before its period that is not paid would become entitled with it.
    expect(start).toBeLessThanOrEqual(
      Math.max(this.now, free, ...this.paid.map(({ periodEnd }) => periodEnd)),
    );
    const until = paymentDueAt(this.state, Math.max(start, this.now), GRACE);
    const applied = this.balance > PRICE ? PRICE : this.balance;
    const unchanged = { rate: PRICE, proration: 0n, prorated: 0n, pausedMs: 0 };
    const money = { price: PRICE, applied, credited: 0n, ...unchanged };
    this.periods.push({ n, ...money, periodStart: start, periodEnd: end, payBy: until, status: 'open' });
    this.balance -= applied;
    this.apply({ type: 'invoiced', payBy: until, graceDays: GRACE });
    if (applied === PRICE) this.pay();
  }

  settle(change: 'paid' | 'reversed' | 'refunded'): void {
    const { startsAt, trialEndsAt, pausedAt } = this.state;
    const span = { at: pausedAt ?? this.now, freeUntil: trialEndsAt ?? startsAt };
    const paid = coverPaidTime(this.paidRuns, span);
    this.apply({ type: 'settled', change, ...paid, openPayBy: this.open?.payBy ?? null });
  }

  get paidRuns() {
    return this.paid.map(({ periodStart: from, periodEnd: until }) => ({ from, until }));
  }

  /** @param excess money beyond the invoice, which is credit */
  pay(excess = 0n): void {
    const { open } = this;
    if (open === undefined) return;
    open.status = 'paid';
    open.credited += excess;
    this.balance += excess;
    this.reclaim(open.applied);
    this.settle(open.status === 'paid' ? 'paid' : 'reversed');
  }

  /** The money of a paid period is refunded, or was spent twice. */
  lose(change: 'reversed' | 'refunded', period = this.paid.at(-1)): void {
    if (period === undefined || period.applied === PRICE) return;
    const isClosed = ['paused', 'cancelled', 'ended'].includes(this.state.status);
    period.status = change === 'refunded' || isClosed ? 'void' : 'open';
    if (change === 'reversed') {
      period.payBy = Math.max(period.payBy, paymentDueAt(this.state, this.now, GRACE));
      if (isClosed) this.balance += period.applied;
    }
    const lost = period.credited;
    period.credited = 0n;
    this.balance -= lost;
    this.reclaim(lost);
    this.settle(change);
  }

  reclaim(used: bigint): void {
    const missing = -this.balance < used ? -this.balance : used;
    if (missing <= 0n || this.state.status === 'ended') return;
    const at = this.state.pausedAt ?? this.now;
    const { reclaimed, moved, schedule } = reclaimPeriods(this.periods, this.state, { at, missing });
    for (const period of reclaimed) {
      period.status = 'void';
      period.credited += period.price - period.applied;
      this.balance += period.price;
    }
    for (const { n, ...period } of moved)
      Object.assign(this.periods.find((one) => one.n === n) ?? {}, period);
    this.state = { ...this.state, schedule };
  }

  shift(): void {
    const { pausedAt } = this.state;
    const shift = pauseShift(this.state, this.now);
    if (shift === null || pausedAt === null) return;
    for (const period of this.paid) {
      if (period.periodStart > pausedAt) period.periodStart += shift;
      if (period.periodEnd > pausedAt) period.periodEnd += shift;
    }
  }

  resume(): void {
    if (this.state.status !== 'paused') return;
    this.shift();
    this.apply({ type: 'resume', by: 'merchant' });
  }

  cancel(atPeriodEnd: boolean): void {
    if (this.state.status === 'paused') this.shift();
    this.apply({ type: 'cancel', by: 'merchant', atPeriodEnd });
  }

  pass(ms: number): void {
    this.now += ms;
    this.tick();
  }
}

const iso = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString().slice(0, 16);

describe('a subscription', () => {
  it('is past due without entitlement until its first invoice is paid, and then active until the end of the period', () => {
    const world = new World();
    expect([world.state.status, iso(world.activeUntil)]).toEqual(['past_due', '2027-01-31T12:00']);
    world.pay();
    expect([world.state.status, iso(world.activeUntil)]).toEqual(['active', '2027-02-28T12:00']);
    expect(world.events).toEqual(['subscription.invoiced', 'subscription.renewed']);
  });

  it('ends after the grace period when its first invoice was never paid', () => {
    const world = new World();
    world.pass(GRACE * DAY - 1);
    expect(world.state.status).toBe('past_due');
    world.pass(1);
    expect([world.state.status, iso(world.activeUntil)]).toEqual(['ended', '2027-01-31T12:00']);
  });

  it('stays entitled during the grace period once a period was paid, and ends with it', () => {
    const world = new World();
    world.pay();
    world.pass(28 * DAY);
    expect([world.state.status, iso(world.activeUntil)]).toEqual(['past_due', '2027-03-05T12:00']);
    world.pass(GRACE * DAY);
    expect([world.state.status, iso(world.activeUntil)]).toEqual(['ended', '2027-03-05T12:00']);
    world.pass(40 * DAY);
    expect(iso(world.activeUntil)).toBe('2027-03-05T12:00');
  });

  it('does not end while a payment of its invoice may still confirm', () => {
    const world = new World();
    world.now += GRACE * DAY;
    world.tick(true);
    expect(world.state.status).toBe('past_due');
    world.tick(false);
    expect(world.state.status).toBe('ended');
  });

  it('announces the end of its trial once, three days before, and is active afterwards when paid during it', () => {
    const world = new World({ trialDays: 14 });
    expect([world.state.status, iso(world.activeUntil), world.open]).toEqual([
      'trialing',
      '2027-02-14T12:00',
      undefined,
    ]);
    world.pass(11 * DAY);
    world.pass(DAY);
    expect(world.events).toEqual(['subscription.invoiced', 'subscription.trial_ending']);
    world.pay();
    expect(iso(world.activeUntil)).toBe('2027-03-14T12:00');
    world.pass(2 * DAY);
    expect(world.state.status).toBe('active');
  });

  it('is trialing without entitlement before a start date in the future', () => {
    const world = new World({ startIn: 30 });
    expect([world.state.status, world.activeUntil, world.open]).toEqual(['trialing', null, undefined]);
    world.pass(23 * DAY);
    expect(world.open?.n).toBe(0);
  });

  it('invoices only the first missed period after a downtime, and each next one when the previous is paid', () => {
    const world = new World();
    world.pay();
    world.pass(100 * DAY);
    expect(world.periods.map(({ n }) => n)).toEqual([0, 1]);
    expect([world.state.status, iso(world.activeUntil)]).toEqual(['past_due', '2027-03-05T12:00']);
    world.pay();
    world.tick();
    world.pay();
    world.tick();
    expect(world.periods.map(({ n }) => n)).toEqual([0, 1, 2, 3]);
    world.pay();
    expect([world.state.status, iso(world.activeUntil)]).toEqual(['active', '2027-05-31T11:00']);
  });

  it('ends with the paid period when cancelled at its end, unless the cancellation is undone before', () => {
    const world = new World();
    world.pay();
    world.cancel(true);
    expect([world.state.status, nextInvoiceAt(world.state, LEAD)]).toEqual(['active', null]);
    expect(world.apply({ type: 'keep', by: 'merchant' })).toBe(true);
    expect(world.apply({ type: 'keep', by: 'merchant' })).toBe(false);
    world.cancel(true);
    world.pass(28 * DAY);
    expect([world.state.status, iso(world.activeUntil)]).toEqual(['ended', '2027-02-28T12:00']);
    expect(world.events.slice(-1)).toEqual(['subscription.ended']);
  });

  it('voids its open invoice when cancelled immediately, and stays entitled for paid periods', () => {
    const world = new World();
    world.pay();
    world.pass(25 * DAY);
    world.cancel(false);
    expect([world.state.status, iso(world.activeUntil), world.open]).toEqual([
      'cancelled',
      '2027-02-28T12:00',
      undefined,
    ]);
    expect(decide(world.state, { type: 'pause', by: 'merchant' }, world.now)).toBeNull();
    world.pass(4 * DAY);
    expect(world.state.status).toBe('ended');
  });

  it('lets the payer undo only a pause or a cancellation by the payer, and the shop both', () => {
    for (const by of ['payer', 'merchant'] as const) {
      const world = new World();
      world.pay();
      world.apply({ type: 'cancel', by, atPeriodEnd: true });
      expect([by, world.apply({ type: 'keep', by: 'payer' })]).toEqual([by, by === 'payer']);
      world.apply({ type: 'keep', by: 'merchant' });
      expect(world.state).toMatchObject({ cancelAtPeriodEnd: false, cancelledBy: null });
      world.apply({ type: 'pause', by });
      expect([by, world.apply({ type: 'resume', by: 'payer' })]).toEqual([by, by === 'payer']);
      world.apply({ type: 'resume', by: 'merchant' });
      expect(world.state).toMatchObject({ status: 'active', pausedBy: null });
    }
  });

  it('keeps a cancellation by the shop that follows one by the payer', () => {
    const world = new World();
    world.pay();
    for (const by of ['payer', 'merchant', 'payer'] as const) {
      world.apply({ type: 'cancel', by, atPeriodEnd: true });
    }
    expect(world.apply({ type: 'keep', by: 'payer' })).toBe(false);
    expect(world.events.slice(-2)).toEqual(['subscription.updated', 'subscription.updated']);
  });

  it('grants the remaining paid time after a pause, and starts its next period from there', () => {
    const world = new World();
    world.pay();
    world.pass(18 * DAY);
    world.apply({ type: 'pause', by: 'merchant' });
    expect(iso(world.activeUntil)).toBe('2027-02-18T12:00');
    world.pass(60 * DAY);
    expect([world.state.status, world.periods.length]).toEqual(['paused', 1]);
    world.resume();
    expect([world.state.status, iso(world.activeUntil)]).toEqual(['active', '2027-04-29T12:00']);
    expect(iso(world.state.schedule.anchorAt)).toBe('2027-04-29T12:00');
  });

  it('loses the entitlement of a period, and the grace period, when the payment was refunded', () => {
    const world = new World();
    world.pay();
    world.pass(3 * DAY);
    world.lose('refunded');
    expect(iso(world.activeUntil)).toBe('2027-01-31T12:00');
    world.tick();
    expect([world.state.status, iso(world.activeUntil)]).toEqual(['past_due', '2027-01-31T12:00']);
  });

  it('is entitled only for the earlier paid period when a payment is reversed', () => {
    const world = new World();
    world.pay();
    world.pass(25 * DAY);
    world.pay();
    expect(iso(world.activeUntil)).toBe('2027-03-31T11:00');
    world.lose('reversed');
    world.pass(4 * DAY);
    expect([world.state.status, iso(world.activeUntil)]).toEqual(['past_due', '2027-03-05T12:00']);
  });
});

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('pass' as const), hours: fc.integer({ min: 1, max: 1_000 }) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('pay' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('overpay' as const), excess: fc.bigInt({ min: 1n, max: 45n }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('refund' as const, 'reverse' as const), which: fc.nat() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('pause' as const, 'resume' as const, 'keep' as const, 'invoice' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('cancel' as const, 'cancelAtEnd' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function take(world: World, made: Step): void {
  switch (made.do) {
    case 'pass':
      return world.pass(made.hours * 3_600_000);
    case 'pay':
      return world.pay();
    case 'overpay':
      return world.pay(made.excess);
    case 'refund':
    case 'reverse': {
      const change = made.do === 'refund' ? 'refunded' : 'reversed';
      return world.lose(change, world.paid[made.which % Math.max(1, world.paid.length)]);
    }
    case 'pause':
      return void world.apply({ type: 'pause', by: 'merchant' });
    case 'resume':
      return world.resume();
    case 'keep':
      return void world.apply({ type: 'keep', by: 'merchant' });
    case 'cancel':
      return world.cancel(false);
    case 'cancelAtEnd':
      return world.cancel(true);
    case 'invoice': {
      // Pays ahead.
      const { state } = world;
      const isOpen = nextInvoiceAt(state, LEAD) !== null && state.openPayBy === null;
      if (isOpen && !followsUnpaidTime(state)) world.invoice();
      return;
    }
  }
}

describe('subscriptions with random events', () => {
  it('are entitled throughout paid periods, and no longer than the paid periods plus the grace period', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0, 0, 2, 14),
        fc.constantFrom(0, 0, 30),
        fc.array(step, { maxLength: 40 }),
        (trialDays, startIn, steps) => {
          const world = new World({ trialDays, startIn });
          for (const made of steps) {
            take(world, made);
            const { state, now } = world;
            const until = world.activeUntil ?? 0;
            const free = state.trialEndsAt ?? state.startsAt;
            const at = state.pausedAt ?? now;
            const runs = joinPeriods([{ from: 0, until: free }, ...world.paidRuns]);
            // A payment before the first period counts at once.
            const [covering] = runs.filter(({ from, until: end }) => from <= Math.max(at, free) && at < end);
            const before = runs.filter(({ from }) => from <= at).at(-1)?.until ?? 0;
            const grace = state.status === 'past_due' || state.status === 'ended' ? (GRACE + 0.1) * DAY : 0;
            if (until > now) expect(until).toBeLessThanOrEqual(covering?.until ?? before + grace);
            const isPaid = world.paidRuns.some(({ from, until: end }) => from <= at && at < end);
            if (covering !== undefined && isPaid && state.status !== 'paused') {
              expect(until).toBeGreaterThanOrEqual(covering.until);
            }
            if (world.paidRuns.some(({ until: end }) => end > at)) expect(state.status).not.toBe('ended');
            // What is entitled from now on is paid by money that is there.
            const unpaid = world.paid.filter(({ applied, periodEnd }) => applied > 0n && periodEnd > at);
            if (world.balance < 0n && state.status !== 'ended') expect(unpaid).toEqual([]);
            if (state.status === 'ended') expect(nextDecisionAt(state, LEAD, now)).toBeNull();
            expect(new Set(world.periods.map(({ n }) => n)).size).toBe(world.periods.length);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
