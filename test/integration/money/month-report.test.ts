/** The figures of each month against the lines of the books. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMonths, Calendar } from '../../../src/domain/calendar.ts';
import type { Coin } from '../../../src/domain/coins.ts';
import { parseFiat } from '../../../src/domain/fiat.ts';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { exportMovements, type MovementView } from '../../../src/usecases/accounting/export-movements.ts';
import { monthReport, type MonthReport } from '../../../src/usecases/accounting/month-report.ts';
import { BookLife, bookLives, type BookStep } from '../../_helpers/accounting-sequences.ts';
import { openAccounts, openOutputs, type Life } from '../../_helpers/sequence-networks.ts';

/** Three such pauses are longer than a month. */
const PAUSE: BookStep = { kind: 'wait', count: 300 };

/** A line of each kind, and a payment that a later month reverses. */
const EVERY_KIND: readonly BookStep[] = [
  { kind: 'order', dollars: 50 },
  { kind: 'pay', which: 0, percent: 100 },
  { kind: 'deposit', count: 1 },
  { kind: 'mine', count: 1 },
  PAUSE,
  PAUSE,
  PAUSE,
  { kind: 'reorg', depth: 1, fate: 'moved' },
  { kind: 'refund', which: 0 },
  { kind: 'mine', count: 1 },
  { kind: 'rates' },
  { kind: 'send', order: 0, percent: 20 },
  { kind: 'mine', count: 1 },
  { kind: 'sweep' },
  { kind: 'mine', count: 1 },
];

const paused = bookLives.map((steps) =>
  steps.flatMap((step, index) => (index % 3 === 2 ? [step, PAUSE] : [step])),
);

type Sums = Record<string, { count: number; atoms: bigint; minor: bigint; unpriced: bigint }>;

function signed(text: string, parse: (unsigned: string) => bigint): bigint {
  return text.startsWith('-') ? -parse(text.slice(1)) : parse(text);
}

const atomsOf = ({ amount, coin }: MovementView): bigint =>
  signed(amount, (text) => parseCoinAmount(text, coin));

/** The kind of the reversed line is the first word of a reversal's note. */
function kindOf({ kind, note, paymentId }: MovementView): string {
  const counted = kind === 'reversal' ? (note?.split(' ')[0] ?? '') : kind;
  return counted === 'payment' && paymentId === null ? 'deposit' : counted;
}

function sumLines(lines: readonly MovementView[]): Sums {
  const sums: Sums = {};
  for (const line of lines) {
    const { kind, coin, currency, fiatAmount } = line;
    const sum = (sums[`${kindOf(line)} ${coin} ${currency}`] ??= {
      count: 0,
      atoms: 0n,
      minor: 0n,
      unpriced: 0n,
    });
    sum.count += kind === 'reversal' ? -1 : 1;
    sum.atoms += atomsOf(line);
    if (fiatAmount === null || currency === null) sum.unpriced += atomsOf(line);
    else sum.minor += signed(fiatAmount, (text) => parseFiat(text, currency).minor);
  }
  const isSomething = ({ count, atoms, minor, unpriced }: Sums[string]): boolean =>
    count !== 0 || atoms !== 0n || minor !== 0n || unpriced !== 0n;
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => isSomething(sum)));
}

function reportedSums({ totals }: MonthReport): Sums {
  return Object.fromEntries(
    totals.map(({ kind, coin, currency, count, amount, minor, unpriced }) => [
      `${kind} ${coin} ${currency}`,
      { count, atoms: amount, minor, unpriced },
    ]),
  );
}

async function read(life: Life, range: { fromMs?: number; beforeMs?: number }): Promise<MovementView[]> {
  const { db, clock, merchant } = life.world;
  const { fromMs, beforeMs } = range;
  const pages = exportMovements(
    { db, clock },
    {
      merchantId: merchant.id,
      mode: merchant.sandbox ? 'sandbox' : 'live',
      fromMs,
      beforeMs,
      calendar: new Calendar('UTC'),
    },
  );
  const lines: MovementView[] = [];
  for await (const page of pages) lines.push(...page);
  return lines;
}

/** Every month that has a line, and those around them, agrees with its lines and with its neighbours. */
async function expectMonthsToAgree(life: Life, timeZone: string, seen: Set<string>): Promise<void> {
  const { db, clock, merchant } = life.world;
  const calendar = new Calendar(timeZone);
  const mode = merchant.sandbox ? 'sandbox' : 'live';
  const all = await read(life, {});
  const months = all.map(({ at }) => calendar.dayAt(Date.parse(at)).slice(0, 7)).toSorted();
  const newest = calendar.dayAt(clock.now()).slice(0, 7);
  let previous: MonthReport | null = null;
  for (let month = addMonths(months[0] ?? newest, -1); month <= newest; month = addMonths(month, 1)) {
    const report = await monthReport({ db, clock }, { merchantId: merchant.id, mode, month, calendar });
    expect(report.isFinal).toBe(month < newest);
    expect(reportedSums(report)).toEqual(sumLines(await read(life, calendar.monthRange(month))));
    for (const balance of report.balances) {
      const { coin, opening, incoming, outgoing, fees, closing } = balance;
      expect(opening).toBe(previous?.balances.find((before) => before.coin === coin)?.closing ?? 0n);
      expect(opening + incoming - outgoing - fees).toBe(closing);
    }
    for (const { kind } of report.totals) seen.add(kind);
    previous = report;
  }
  // A clock that was set back leaves lines after the current month.
  if ((months.at(-1) ?? '') > newest) return;
  for (const { coin, closing } of previous?.balances ?? [])
    expect(closing).toBe(await confirmedMoney(life, coin));
}

async function confirmedMoney({ world: { db, merchant } }: Life, coin: Coin): Promise<bigint> {
  const held = await db
    .selectFrom('outputs')
    .select('amount')
    .where('merchantId', '=', merchant.id)
    .where('mode', '=', merchant.sandbox ? 'sandbox' : 'live')
    .where('coin', '=', coin)
    .where('state', '=', 'confirmed')
    .where('spentHeight', 'is', null)
    .execute();
  return held.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

describe.each([
  { money: 'outputs', open: openOutputs },
  { money: 'accounts', open: openAccounts },
])('monthReport of a wallet of $money', ({ open }) => {
  test('equals the sums of the accounting export, and begins each month with the last balance, after any sequence of payments and sends', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        paused,
        fc.constantFrom('UTC', 'Pacific/Auckland', 'America/New_York'),
        async (steps, timeZone) => {
          const life = await open();
          try {
            await new BookLife(life).live(steps);
            await expectMonthsToAgree(life, timeZone, seen);
          } finally {
            await life.close();
          }
        },
      ),
      { numRuns: 12, examples: [[[...EVERY_KIND], 'Pacific/Auckland']] },
    );
    expect([...seen].toSorted()).toEqual(['deposit', 'fee', 'payment', 'refund', 'send', 'sweep']);
  });

  test('rejects a month in the future, and returns the previous month by default', async () => {
    const life = await open();
    try {
      const { db, clock, merchant } = life.world;
      const calendar = new Calendar('UTC');
      const current = calendar.dayAt(clock.now()).slice(0, 7);
      const ask = async (month: string | undefined) =>
        monthReport({ db, clock }, { merchantId: merchant.id, mode: 'live', month, calendar });
      await expect(ask(addMonths(current, 1))).rejects.toMatchObject({ code: 'VALIDATION_INVALID' });
      expect(await ask(undefined)).toMatchObject({ month: addMonths(current, -1), isFinal: true });
    } finally {
      await life.close();
    }
  });
});
