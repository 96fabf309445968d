/** Three years of 500 subscriptions on a simulated clock, compared with an independent calendar. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RECURRING_INTERVALS, type RecurringInterval } from '../../../src/domain/catalog.ts';
import { parseFiat } from '../../../src/domain/fiat.ts';
import { findSubscription } from '../../../src/store/subscriptions/subscriptions.ts';
import { renewDueSubscriptions } from '../../../src/usecases/subscriptions/renew-due-subscriptions.ts';
import { creditSubscription } from '../../../src/usecases/subscriptions/credit-subscription.ts';
import { clockIn, later, momentOf } from '../../_helpers/intl-calendar.ts';
import { SubscriptionWorld } from '../../_helpers/subscription-world.ts';

let world: SubscriptionWorld;
beforeEach(async () => {
  world = await SubscriptionWorld.open();
});
afterEach(async () => world.close());

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const BEGIN = Date.parse('2027-01-10T00:00:00Z');
const END = Date.parse('2030-01-10T00:00:00Z');
const LEAD_DAYS = 7;
const PRICE = '9.99';
const CREDIT = '20000.00';

/** With changes at midnight and of half an hour, in both hemispheres, and one that skips no time at all. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'Asia/Kathmandu',
  'Asia/Beirut',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
];
/** Month ends, the days around a leap day, and times that clock changes skip and repeat. */
const ANCHORS = [
  '2027-01-31 12:00:00',
  '2027-01-29 00:00:00',
  '2027-01-30 23:59:59',
  '2027-03-28 02:30:00',
  '2027-02-28 00:30:00',
  '2027-10-31 02:30:00',
  '2027-12-31 23:59:59',
  '2028-02-29 01:15:00',
  '2027-04-23 00:00:00',
  '2027-08-31 06:00:00',
];
/** Daily ones have most invoices, so that a few are enough. */
const COUNTS: Readonly<Record<RecurringInterval, number>> = {
  daily: 10,
  weekly: 40,
  monthly: 200,
  quarterly: 125,
  yearly: 125,
};
const ENDS = ['never', 'never', 'cancel', 'atPeriodEnd'] as const;

interface Case {
  readonly id: string;
  readonly timeZone: string;
  readonly interval: RecurringInterval;
  readonly anchor: string;
  readonly end: (typeof ENDS)[number];
  readonly endsAt: number;
}

async function subscribe(interval: RecurringInterval, priceId: string, at: number): Promise<Case> {
  const timeZone = ZONES[at % ZONES.length] ?? 'UTC';
  const shown = ANCHORS[Math.floor(at / ZONES.length) % ANCHORS.length] ?? '';
  await world.set({ timeZone });
  const startAt = momentOf(timeZone, shown);
  const { id } = await world.subscribe(priceId, { startAt });
  await creditSubscription(world.deps, {
    merchantId: world.merchantId,
    subscriptionId: id,
    amount: CREDIT,
    isCorrection: false,
    note: null,
  });
  const end = ENDS[at % ENDS.length] ?? 'never';
  const endsAt = startAt + (100 + ((at * 37) % 700)) * DAY + at * 61_000;
  // The wall time of the requested instant, also where daylight saving time skips it.
  return { id, timeZone, interval, anchor: clockIn(timeZone, startAt), end, endsAt };
}

/** The start of period n. */
const starts = ({ timeZone, anchor, interval }: Case, n: number): number =>
  momentOf(timeZone, later(anchor, interval, n));
/** A week before, but not before the period before has begun. */
const invoicedAt = (of: Case, n: number): number => {
  const lead = momentOf(of.timeZone, later(clockIn(of.timeZone, starts(of, n)), 'weekly', -LEAD_DAYS / 7));
  return Math.max(lead, starts(of, n - 1));
};

/** When the daemon runs: every few hours, with two long downtimes. */
function* runs(): Generator<number> {
  for (let at = BEGIN, step = 0; at < END; step += 1, at += (3 + (step % 4)) * HOUR) {
    if (step % 1_900 === 1_800) at += 16 * DAY;
    yield at;
  }
}

/** The numbers and days of the invoices that the calendar asks for. */
function expected(of: Case, moments: readonly number[]): string[] {
  const rows: string[] = [];
  const stopsAt = of.end === 'never' ? Infinity : (moments.find((at) => at >= of.endsAt) ?? Infinity);
  for (let n = 0; ; n += 1) {
    const due = invoicedAt(of, n);
    const at = moments.find((moment) => moment >= due);
    if (at === undefined || at >= stopsAt) return rows;
    rows.push(row(n, { at, from: starts(of, n), to: starts(of, n + 1) }));
  }
}

const iso = (at: number): string => new Date(at).toISOString();
const row = (n: number, { at, from, to }: { at: number; from: number; to: number }): string =>
  `${n} made ${iso(at)} for ${iso(from)} to ${iso(to)} paid`;

async function run(cases: readonly Case[]): Promise<number[]> {
  const left = cases.filter(({ end }) => end !== 'never').sort((one, two) => one.endsAt - two.endsAt);
  const moments: number[] = [];
  for (const at of runs()) {
    world.payments.advance(at - world.payments.now());
    moments.push(at);
    for (; left[0] !== undefined && left[0].endsAt <= at; left.shift()) {
      await world.act(left[0].id, {
        type: 'cancel',
        by: 'merchant',
        atPeriodEnd: left[0].end === 'atPeriodEnd',
      });
    }
    while ((await renewDueSubscriptions(world.deps, new AbortController().signal)) > 0);
  }
  return moments;
}

describe('renewDueSubscriptions', () => {
  it('invoices each period of 500 subscriptions once and on its day, for three simulated years', async () => {
    world.payments.advance(BEGIN - world.payments.now());
    const cases: Case[] = [];
    for (const interval of RECURRING_INTERVALS) {
      const priceId = await world.price(PRICE, interval);
      for (let at = 0; at < COUNTS[interval]; at += 1) cases.push(await subscribe(interval, priceId, at));
    }
    expect(cases).toHaveLength(500);
    const moments = await run(cases);
    for (const of of cases) {
      const invoices = await world.invoices(of.id);
      const made = invoices.map(({ n, createdAt, periodStart, periodEnd, status }) =>
        row(n, {
          at: Date.parse(createdAt),
          from: Date.parse(periodStart),
          to: Date.parse(periodEnd),
        }).replace('paid', status),
      );
      expect(made, JSON.stringify(of)).toEqual(expected(of, moments));
      const spent = parseFiat(PRICE, 'USD').minor * BigInt(made.length);
      const stored = await findSubscription(world.deps.db, of.id);
      expect(BigInt(stored?.balanceMinor ?? '') + spent).toBe(parseFiat(CREDIT, 'USD').minor);
    }
  });
});
