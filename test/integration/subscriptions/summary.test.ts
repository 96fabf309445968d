/** The figures of subscriptions, compared with sums over random lives that are made in plain code. */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RECURRING_INTERVALS } from '../../../src/domain/catalog.ts';
import { formatFiat, parseFiat } from '../../../src/domain/fiat.ts';
import { addCalendarDays, periodStart } from '../../../src/domain/subscription/periods.ts';
import { SUBSCRIPTION_STATUSES } from '../../../src/domain/subscription/types.ts';
import type { SubscriptionRow } from '../../../src/store/schema/subscriptions.ts';
import { insertInvoice, type StoredInvoice } from '../../../src/store/subscriptions/invoices.ts';
import { insertSubscription } from '../../../src/store/subscriptions/subscriptions.ts';
import { summarizeSubscriptions } from '../../../src/usecases/subscriptions/summarize-subscriptions.ts';
import { recordQueries } from '../../_helpers/recorded-queries.ts';
import { SubscriptionWorld } from '../../_helpers/subscription-world.ts';

const DAY = 86_400_000;
const ZONES = ['UTC', 'Pacific/Auckland', 'America/New_York', 'Asia/Kolkata'] as const;
const MONTHS = 6;

let world: SubscriptionWorld;
let template: SubscriptionRow;
beforeAll(async () => {
  world = await SubscriptionWorld.open();
  template = await world.subscribe(await world.price('10.00'), { startAt: world.payments.now() + 100 * DAY });
});
afterAll(async () => world.close());
beforeEach(async () => forgetAll());

async function forgetAll(): Promise<void> {
  await world.deps.db.transaction(async (tx) => {
    await tx.deleteFrom('subscription_invoices').execute();
    await tx.deleteFrom('events').execute();
    await tx.deleteFrom('subscriptions').execute();
  });
}

interface Life {
  readonly row: SubscriptionRow;
  readonly invoices: readonly StoredInvoice[];
}

const put = async (lives: readonly Life[]): Promise<void> =>
  world.deps.db.transaction(async (tx) => {
    for (const { row, invoices } of lives) {
      await insertSubscription(tx, row);
      for (const invoice of invoices) await insertInvoice(tx, invoice);
    }
  });
const summary = async (months = MONTHS) =>
  summarizeSubscriptions(world.deps, { merchant: await world.merchant(), mode: 'live', months });

/** Days before now, for any moment of the last months. */
const ago = fc.integer({ min: 0, max: 220 * 24 * 60 }).map((minutes) => minutes * 60_000);
const minor = fc.oneof(fc.bigInt(0n, 100_000n), fc.bigInt(10n ** 18n, 10n ** 21n));
const invoiceArb = fc.record({
  status: fc.constantFrom('open' as const, 'paid' as const, 'void' as const),
  price: minor,
  applied: fc.oneof(fc.constant(0n), fc.bigInt(-5_000n, 5_000n)),
  paidAgo: ago,
});
const lifeArb = fc.record({
  status: fc.constantFrom(...SUBSCRIPTION_STATUSES),
  interval: fc.constantFrom(...RECURRING_INTERVALS),
  currency: fc.constantFrom('USD', 'JPY', 'EUR'),
  amount: fc.integer({ min: 1, max: 5_000 }),
  quantity: fc.integer({ min: 1, max: 9 }),
  timeZone: fc.constantFrom(...ZONES),
  anchorAgo: ago,
  nextN: fc.integer({ min: 0, max: 9 }),
  paidUntil: fc.option(fc.integer({ min: -200, max: 60 })),
  endedAgo: ago,
  cancelAtPeriodEnd: fc.boolean(),
  isElsewhere: fc.boolean(),
  invoices: fc.array(invoiceArb, { maxLength: 5 }),
});

type Made = typeof lifeArb extends fc.Arbitrary<infer T> ? T : never;

function toLife(made: Made, at: number): Life {
  const now = world.payments.now();
  const { status, interval, currency, quantity, timeZone, nextN, cancelAtPeriodEnd } = made;
  const id = `sub_life_${String(at).padStart(6, '0')}`;
  const anchorAt = Math.floor((now - made.anchorAgo) / 1000) * 1000;
  const row: SubscriptionRow = {
    ...template,
    id,
    mode: made.isElsewhere ? 'sandbox' : 'live',
    status,
    interval,
    currency,
    quantity,
    timeZone,
    nextN,
    cancelAtPeriodEnd,
    amount: String(made.amount),
    anchorAt,
    anchorN: 0,
    startsAt: anchorAt,
    paidUntil: made.paidUntil === null ? null : now + made.paidUntil * DAY,
    endedAt: status === 'ended' ? now - made.endedAgo : null,
    pausedAt: status === 'paused' ? now : null,
    portalTokenHash: null,
    portalTokenSealed: null,
    createdAt: now - at,
  };
  const invoices = made.invoices.map(({ price, applied, paidAgo, ...rest }, n): StoredInvoice => ({
    subscriptionId: id,
    n,
    periodStart: anchorAt + n,
    periodEnd: anchorAt + n + 1,
    price,
    applied,
    currency,
    status: rest.status,
    paymentId: null,
    credited: 0n,
    interval: 'monthly',
    rate: price,
    proration: 0n,
    prorated: 0n,
    pausedMs: 0,
    payBy: now,
    createdAt: now,
    paidAt: rest.status === 'paid' ? now - paidAgo : null,
  }));
  return { row, invoices };
}

/** The month of a moment in the zone of the shop. */
function monthIn(timeZone: string, at: number): string {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
  }).formatToParts(at);
  const part = (wanted: string): string => parts.find(({ type }) => type === wanted)?.value ?? '';
  return `${part('year')}-${part('month')}`;
}

const byKey = ([a]: readonly [string, ...unknown[]], [b]: readonly [string, ...unknown[]]): number =>
  a < b ? -1 : 1;
type Money = Map<string, { minor: bigint; count: number }>;
function addTo(sums: Money, currency: string, amount: bigint, count = 1): void {
  const had = sums.get(currency) ?? { minor: 0n, count: 0 };
  sums.set(currency, { minor: had.minor + amount, count: had.count + count });
}
const shown = (sums: Money): [string, string, number][] =>
  [...sums]
    .toSorted(byKey)
    .map(([currency, { minor: sum, count }]) => [currency, formatFiat({ minor: sum, currency }), count]);

function naiveUpcoming({ row }: Life, leadDays: number): number {
  const runs = ['trialing', 'active', 'past_due'].includes(row.status) && !row.cancelAtPeriodEnd;
  if (!runs) return 0;
  const until = world.payments.now() + 30 * DAY;
  const madeAt = (n: number): number =>
    Math.max(addCalendarDays(row.timeZone, periodStart(row, n), -leadDays), periodStart(row, n - 1));
  return Array.from({ length: 400 }, (_, at) => madeAt(row.nextN + at)).filter((at) => at < until).length;
}

function naiveLost({ row, invoices }: Life): { began: number; left: number } | null {
  const first = invoices.find(({ paidAt }) => paidAt !== null);
  if (first?.paidAt === undefined || first.paidAt === null) return null;
  if (row.status === 'ended') return { began: first.paidAt, left: row.endedAt ?? 0 };
  const isLeaving = row.status === 'cancelled';
  return { began: first.paidAt, left: isLeaving ? (row.paidUntil ?? row.startsAt) : Infinity };
}

describe('the summary of the subscriptions of a shop', () => {
  it('equals plain sums for each currency, for subscriptions with random events', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(lifeArb, { maxLength: 25 }),
        fc.constantFrom(...ZONES),
        fc.integer({ min: 0, max: 20 }),
        async (made, timeZone, invoiceLeadDays) => {
          await forgetAll();
          await world.set({ timeZone, invoiceLeadDays });
          const lives = made.map(toLife);
          await put(lives);
          const ours = lives.filter(({ row }) => row.mode === 'live');
          const figures = await summary();
          const [recurring, upcoming]: [Map<string, number>, Money] = [new Map(), new Map()];
          const exact = new Map<string, bigint>();
          for (const life of ours) {
            const { row } = life;
            const price = parseFiat(row.amount, row.currency).minor * BigInt(row.quantity);
            const count = naiveUpcoming(life, invoiceLeadDays);
            if (count > 0) addTo(upcoming, row.currency, price * BigInt(count), count);
            const goesOn = ['active', 'past_due'].includes(row.status) && row.paidUntil !== null;
            if (!goesOn || row.cancelAtPeriodEnd) continue;
            recurring.set(row.currency, (recurring.get(row.currency) ?? 0) + 1);
            // In twelfths of a seventh of a minor unit: no interval has a remainder.
            const shares = { daily: 365n * 7n, weekly: 365n, monthly: 84n, quarterly: 28n, yearly: 7n };
            exact.set(row.currency, (exact.get(row.currency) ?? 0n) + price * shares[row.interval]);
          }
          expect(figures.monthlyRecurringRevenue).toEqual(
            [...recurring].toSorted(byKey).map(([currency, subscriptions]) => ({
              currency,
              subscriptions,
              amount: formatFiat({ minor: (exact.get(currency) ?? 0n) / 84n, currency }),
            })),
          );
          expect(
            figures.upcoming.map(({ currency, amount, invoices }) => [currency, amount, invoices]),
          ).toEqual(shown(upcoming));
          const starts = figures.months.map(({ month }) => month);
          expect(starts.at(-1)).toBe(monthIn(timeZone, world.payments.now()));
          expect(starts).toEqual([...new Set(starts)].toSorted());
          for (const { month, revenue } of figures.months) {
            const [due, credit]: [Money, Money] = [new Map(), new Map()];
            for (const { invoices } of ours) {
              for (const { status, paidAt, currency, price, applied } of invoices) {
                if (status !== 'paid' || paidAt === null || monthIn(timeZone, paidAt) !== month) continue;
                addTo(due, currency, price - applied);
                addTo(credit, currency, applied > 0n ? applied : 0n);
              }
            }
            expect(revenue.map((one) => [one.currency, one.amount, one.invoices])).toEqual(shown(due));
            expect(revenue.map((one) => [one.currency, one.creditApplied, one.invoices])).toEqual(
              shown(credit),
            );
          }
          for (const { month, activeAtStart, lost } of figures.months) {
            // A moment is within a month; its bounds compare as the names of their months do.
            const known = ours.map(naiveLost).filter((life) => life !== null);
            const before = (at: number): boolean => monthIn(timeZone, at) < month;
            const active = known.filter(
              ({ began, left }) => before(began) && (left === Infinity || !before(left)),
            );
            const gone = active.filter(({ left }) => left !== Infinity && monthIn(timeZone, left) === month);
            expect([month, activeAtStart, lost]).toEqual([month, active.length, gone.length]);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('reads ten thousand subscriptions in small parts', async () => {
    const one = {
      status: 'active',
      interval: 'monthly',
      currency: 'USD',
      amount: 10,
      quantity: 1,
      timeZone: 'America/New_York',
      anchorAgo: 40 * DAY,
      nextN: 2,
      paidUntil: 20,
      endedAgo: 0,
      cancelAtPeriodEnd: false,
      isElsewhere: false,
      invoices: [],
    } as const satisfies Partial<Made>;
    await put(Array.from({ length: 10_000 }, (_, at) => toLife({ ...one, invoices: [] }, at)));
    const take = recordQueries();
    let turns = 0;
    const counting = (async () => {
      const end = new AbortController();
      const done = summary().finally(() => end.abort());
      while (!end.signal.aborted) {
        turns += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
      return done;
    })();
    const { monthlyRecurringRevenue } = await counting;
    expect(monthlyRecurringRevenue).toEqual([{ currency: 'USD', amount: '100000', subscriptions: 10_000 }]);
    expect(turns).toBeGreaterThanOrEqual(200);
    // What reads all rows of the shop runs in the read thread, which this process does not see.
    const reads = take().filter(({ sql }) => sql.includes('subscription'));
    for (const { sql } of reads) expect(sql).toContain('limit ');
  });
});
