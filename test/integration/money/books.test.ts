import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Calendar } from '../../../src/domain/calendar.ts';
import type { StoredMovement } from '../../../src/store/ledger/movements.ts';
import { exportMovements, type MovementView } from '../../../src/usecases/accounting/export-movements.ts';
import { BookLife, bookLives, type BookStep } from '../../_helpers/accounting-sequences.ts';
import { openAccounts, openOutputs } from '../../_helpers/sequence-networks.ts';
import { ORDERS } from '../../_helpers/send-steps.ts';

const ORDERED: readonly BookStep[] = [
  { kind: 'order', dollars: 50 },
  { kind: 'pay', which: 0, percent: 100 },
];
const PAID: readonly BookStep[] = [...ORDERED, { kind: 'mine', count: 1 }];

/** A life with a line of every kind; lives drawn at random may lack some. */
const EVERY_KIND: readonly BookStep[] = [
  { kind: 'reorg', depth: 1, fate: 'moved' },
  { kind: 'refund', which: 0 },
  { kind: 'mine', count: 1 },
  { kind: 'send', order: 0, percent: 20 },
  { kind: 'mine', count: 1 },
  ...ORDERED,
  { kind: 'mine', count: 1 },
  { kind: 'sweep' },
  { kind: 'mine', count: 1 },
];

const kindsOf = (lines: readonly StoredMovement[]): string[] => lines.map(({ kind }) => kind);

describe.each([
  { money: 'outputs', open: openOutputs },
  { money: 'accounts', open: openAccounts },
])('the accounting export of a wallet of $money', ({ open }) => {
  /** The lines that were written after those of the funded wallet, oldest first. */
  async function linesAfter(steps: readonly BookStep[]): Promise<StoredMovement[]> {
    const life = await open();
    try {
      const { db } = life.world;
      const { funded } = await db
        .selectFrom('movements')
        .select((eb) => eb.fn.max<number>('seq').as('funded'))
        .executeTakeFirstOrThrow();
      await new BookLife(life).live(steps);
      return await db.selectFrom('movements').selectAll().where('seq', '>', funded).orderBy('seq').execute();
    } finally {
      await life.close();
    }
  }
  test('contains a payment once a block contains it, valued at the rate at receipt', async () => {
    const lines = await linesAfter(PAID);
    expect(lines).toMatchObject([
      { kind: 'payment', rate: '100', currency: 'USD', sendId: null, note: null },
    ]);
    expect(lines[0]?.paymentId).toMatch(/^pay_/);
  });

  test('contains no rate for a payment when no source had one', async () => {
    const lines = await linesAfter([
      { kind: 'order', dollars: 50 },
      { kind: 'rates' },
      { kind: 'pay', which: 0, percent: 100 },
      { kind: 'mine', count: 1 },
    ]);
    expect(lines).toMatchObject([{ kind: 'payment', rate: null, currency: 'USD' }]);
  });

  test('reverses a payment on a reorg, and adds it again with the next block', async () => {
    const lines = await linesAfter([...PAID, { kind: 'reorg', depth: 1, fate: 'moved' }]);
    expect(kindsOf(lines)).toEqual(['payment', 'reversal', 'payment']);
    expect(BigInt(lines[0]?.amount ?? 0) + BigInt(lines[1]?.amount ?? 0)).toBe(0n);
    expect(lines[1]).toMatchObject({
      reverses: lines[0]?.seq,
      rate: '100',
      paymentId: lines[0]?.paymentId,
    });
  });

  test('contains a send with the amount to the destination and the fee', async () => {
    const lines = await linesAfter([
      { kind: 'send', order: 0, percent: 20 },
      { kind: 'mine', count: 1 },
    ]);
    expect(lines).toMatchObject([
      { kind: 'send', currency: 'USD', rate: '100', paymentId: null },
      { kind: 'fee', currency: 'USD', rate: '100', address: null, sendId: lines[0]?.sendId },
    ]);
    const coins = open === openOutputs ? 10n ** 8n : 10n ** 18n;
    expect(BigInt(lines[0]?.amount ?? 0)).toBe(-coins);
    expect(BigInt(lines[1]?.amount ?? 0)).toBeLessThan(0n);
  });

  test('contains no rate for a send when none was known, also when the block is read much later', async () => {
    const unpriced = await linesAfter([
      { kind: 'rates' },
      { kind: 'send', order: 0, percent: 20 },
      { kind: 'mine', count: 1 },
    ]);
    expect(unpriced.map(({ kind, rate }) => [kind, rate])).toEqual([
      ['send', null],
      ['fee', null],
    ]);
  });

  test('links a refund to its payment', async () => {
    const lines = await linesAfter([...PAID, { kind: 'refund', which: 0 }, { kind: 'mine', count: 1 }]);
    const [payment] = lines;
    expect(kindsOf(lines)).toEqual(['payment', 'refund', 'fee']);
    for (const line of lines.slice(1)) {
      expect(line).toMatchObject({ paymentId: payment?.paymentId, currency: 'USD', rate: '100' });
    }
    // Without an amount the fee comes out of the refund: nothing is left of the payment.
    expect(lines.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(0n);
  });

  test('contains only the fee for a cancelled send', async () => {
    const lines = await linesAfter([
      { kind: 'send', order: 0, percent: 20 },
      { kind: 'cancel', which: 0 },
      { kind: 'mine', count: 1 },
    ]);
    expect(lines).toMatchObject([{ kind: 'fee', note: 'cancelled: only the network fee was spent' }]);
  });

  test('contains a spend by another wallet with the same seed as a line without a send', async () => {
    const lines = await linesAfter([
      { kind: 'send', order: 0, percent: 20 },
      { kind: 'steal', which: 0 },
      { kind: 'mine', count: 1 },
    ]);
    expect(lines[0]).toMatchObject({
      kind: 'send',
      sendId: null,
      note: 'not signed here; includes its network fee',
    });
  });

  test('contains money to the wallet address as a deposit without a payment', async () => {
    const lines = await linesAfter([
      { kind: 'deposit', count: 2 },
      { kind: 'mine', count: 1 },
    ]);
    expect(lines).toMatchObject([
      { kind: 'payment', paymentId: null, note: 'received in the wallet', rate: '100' },
    ]);
  });

  test('contains a transfer within the wallet with amount zero and its fee', async () => {
    const lines = await linesAfter([...PAID, { kind: 'sweep' }, { kind: 'mine', count: 1 }]);
    expect(kindsOf(lines)).toEqual(['payment', 'sweep', 'fee']);
    expect(lines[1]?.amount).toBe('0');
  });

  test('appends lines after the last one, and never within a range that was exported before, when the clock is set back', async () => {
    const life = await open();
    try {
      const { db, clock, merchant } = life.world;
      const books = new BookLife(life);
      const read = async (beforeMs: number): Promise<MovementView[]> => {
        const range = { merchantId: merchant.id, mode: merchant.sandbox ? 'sandbox' : 'live' } as const;
        const calendar = new Calendar('UTC');
        const pages = exportMovements({ db, clock }, { ...range, fromMs: undefined, beforeMs, calendar });
        const lines: MovementView[] = [];
        for await (const page of pages) lines.push(...page);
        return lines;
      };
      await books.live(PAID);
      await books.perform({ kind: 'wait', count: 48 });
      const end = clock.now() - 3_600_000;
      const closed = await read(end);
      await books.perform({ kind: 'step', hours: -40 });
      await books.live([...PAID, { kind: 'sweep' }, { kind: 'mine', count: 1 }]);
      expect(await read(end)).toEqual(closed);
      expect((await read(end + 3_600_000)).length).toBeGreaterThan(closed.length);
    } finally {
      await life.close();
    }
  });

  test('adds up to the ledger after any sequence of steps', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(bookLives, async (steps) => {
        // There is something to refund, to sweep and to take back from the start.
        for (const line of await linesAfter([...PAID, ...steps])) seen.add(line.kind);
      }),
      { numRuns: 25, examples: [[[...EVERY_KIND]]] },
    );
    expect([...seen].toSorted()).toEqual(['fee', 'payment', 'refund', 'reversal', 'send', 'sweep']);
  });
});

test('the accounting export contains only the gas of a transaction that a contract reverts', async () => {
  const life = await openAccounts();
  try {
    const steps: BookStep[] = [
      { kind: 'send', order: ORDERS - 1, percent: 20 },
      { kind: 'mine', count: 1 },
    ];
    await new BookLife(life).live(steps);
    const lines = await life.world.db.selectFrom('movements').selectAll().orderBy('seq').execute();
    expect(lines.at(-1)).toMatchObject({ kind: 'fee', note: 'failed: only the network fee was spent' });
    expect(lines.filter(({ kind }) => kind === 'send')).toEqual([]);
  } finally {
    await life.close();
  }
});
