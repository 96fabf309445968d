/** Receipts against the books: their numbers and sums after any life of a shop. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Calendar } from '../../../src/domain/calendar.ts';
import { parseFiat } from '../../../src/domain/fiat.ts';
import { monthReport } from '../../../src/usecases/accounting/month-report.ts';
import { BookLife, bookLives, type BookStep } from '../../_helpers/accounting-sequences.ts';
import { openAccounts, openOutputs, type Life } from '../../_helpers/sequence-networks.ts';

/** Three such pauses are longer than a month. */
const PAUSE: BookStep = { kind: 'wait', count: 300 };

/** Paid, reversed, paid again and refunded, over months. */
const TAKEN_BACK: readonly BookStep[] = [
  { kind: 'order', dollars: 50 },
  { kind: 'pay', which: 0, percent: 100 },
  { kind: 'mine', count: 1 },
  { kind: 'order', dollars: 20 },
  { kind: 'pay', which: 1, percent: 130 },
  { kind: 'mine', count: 1 },
  { kind: 'reorg', depth: 1, fate: 'moved' },
  PAUSE,
  PAUSE,
  PAUSE,
  { kind: 'mine', count: 3 },
  { kind: 'refund', which: 0 },
  { kind: 'mine', count: 1 },
];

const paused = bookLives.map((steps) =>
  steps.flatMap((step, index) => (index % 4 === 3 ? [step, PAUSE] : [step])),
);

async function readReceipts({ world: { db } }: Life) {
  return db.selectFrom('receipts').selectAll().orderBy('number').execute();
}

async function completedPayments({ world: { db } }: Life) {
  return db
    .selectFrom('payments')
    .select(['id', 'amount', 'currency', 'status'])
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('events')
          .select('events.seq')
          .whereRef('events.paymentId', '=', 'payments.id')
          .where('events.type', '=', 'payment.completed'),
      ),
    )
    .execute();
}

/** One receipt for each payment that was ever completed, numbered from 1, in the order of time. */
async function expectNumbers(life: Life): Promise<number> {
  const receipts = await readReceipts(life);
  const completed = await completedPayments(life);
  expect(receipts.map(({ number }) => number)).toEqual(receipts.map((_, index) => index + 1));
  expect(receipts.map(({ paymentId }) => paymentId).toSorted()).toEqual(
    completed.map(({ id }) => id).toSorted(),
  );
  for (const [index, { issuedAt }] of receipts.entries())
    expect(issuedAt).toBeGreaterThanOrEqual(receipts[index - 1]?.issuedAt ?? 0);
  const prices = new Map(completed.map((payment) => [payment.id, payment]));
  for (const { paymentId, minor, currency } of receipts) {
    const price = prices.get(paymentId);
    expect(price && parseFiat(price.amount, price.currency)).toEqual({ minor: BigInt(minor), currency });
  }
  return receipts.length;
}

/** Receipts less those of payments that are not paid now add up to the volume of completed and refunded payments. */
async function expectSums(life: Life): Promise<void> {
  const { db, clock, merchant } = life.world;
  const mode = merchant.sandbox ? 'sandbox' : 'live';
  const receipts = await readReceipts(life);
  const paid = new Set(
    (await completedPayments(life)).flatMap(({ id, status }) => (status === 'completed' ? [id] : [])),
  );
  const volume = await db
    .selectFrom('volume_totals')
    .select('sum')
    .where('currency', '=', 'USD')
    .where('periodMs', '=', 24 * 3_600_000)
    .execute();
  const sum = receipts.reduce(
    (all, { paymentId, minor }) => all + (paid.has(paymentId) ? BigInt(minor) : 0n),
    0n,
  );
  // Totals have four decimals, dollars two.
  expect(volume.reduce((all, total) => all + BigInt(total.sum), 0n)).toBe(sum * 100n);
  const calendar = new Calendar('UTC');
  const months = new Set(receipts.map(({ issuedAt }) => calendar.dayAt(issuedAt).slice(0, 7)));
  for (const month of months) {
    const { receipts: reported } = await monthReport(
      { db, clock },
      { merchantId: merchant.id, mode, month, calendar },
    );
    const own = receipts.filter(({ issuedAt }) => calendar.dayAt(issuedAt).startsWith(month));
    expect(reported).toEqual({
      bounds: { first: own[0]?.label, last: own.at(-1)?.label },
      sums: [
        {
          currency: 'USD',
          count: own.length,
          minor: own.reduce((all, { minor }) => all + BigInt(minor), 0n),
          tipMinor: 0n,
        },
      ],
    });
  }
}

describe.each([
  { money: 'outputs', open: openOutputs },
  { money: 'accounts', open: openAccounts },
])('the receipts of a shop paid in $money', ({ open }) => {
  test('have consecutive numbers, one per completed payment, and add up to the volume and to the month reports', async () => {
    let most = 0;
    await fc.assert(
      fc.asyncProperty(paused, async (steps) => {
        const life = await open();
        try {
          await new BookLife(life).live(steps);
          most = Math.max(most, await expectNumbers(life));
          await expectSums(life);
        } finally {
          await life.close();
        }
      }),
      { numRuns: 10, examples: [[[...TAKEN_BACK]]] },
    );
    expect(most).toBeGreaterThanOrEqual(2);
  });
});
