import { describe, expect, it } from 'vitest';
import {
  bookChange,
  reverseMovement,
  type LedgerTransaction,
  type Movement,
  type MovedSend,
  type PaidOutput,
} from '../../../src/domain/movements.ts';

const NOTHING: LedgerTransaction = { outputs: [], spent: [], send: null, unreversed: [] };
const paid: PaidOutput = { vout: 1, amount: 70n, isConfirmed: true, paymentId: 'pay_1', address: 'shop' };
const change: PaidOutput = { vout: 0, amount: 15n, isConfirmed: true, paymentId: null, address: 'change' };
const spent = [{ amount: 100n, paymentId: 'pay_0' }];
const send: MovedSend = {
  id: 'send_1',
  purpose: 'send',
  destination: 'elsewhere',
  outputs: null,
  fee: 5n,
  isPaid: true,
  cancels: false,
  refundOf: null,
  note: 'Rent',
};

const made = (transaction: Partial<LedgerTransaction>): readonly Movement[] =>
  bookChange({ ...NOTHING, ...transaction }).made;
const standing = (lines: readonly Movement[]) => lines.map((line, at) => ({ ...line, seq: at + 1 }));
const short = (lines: readonly Movement[]) => lines.map(({ kind, amount }) => [kind, amount]);

describe('bookChange for a transaction of the wallet', () => {
  it('records no movement before a block contains the transaction', () => {
    expect(made({ outputs: [{ ...paid, isConfirmed: false }] })).toEqual([]);
  });

  it('records a payment for each output to a payment address, and a deposit for an output to another wallet address', () => {
    expect(made({ outputs: [paid, change] })).toEqual([
      {
        kind: 'payment',
        amount: 70n,
        vout: 1,
        paymentId: 'pay_1',
        sendId: null,
        address: 'shop',
        note: null,
      },
      {
        kind: 'payment',
        amount: 15n,
        vout: 0,
        paymentId: null,
        sendId: null,
        address: 'change',
        note: 'received in the wallet',
      },
    ]);
  });

  it('records the amount that left the wallet and the fee when the transaction is a send', () => {
    expect(made({ outputs: [change], spent, send })).toEqual([
      {
        kind: 'send',
        amount: -80n,
        vout: null,
        paymentId: null,
        sendId: 'send_1',
        address: 'elsewhere',
        note: 'Rent',
      },
      { kind: 'fee', amount: -5n, vout: null, paymentId: null, sendId: 'send_1', address: null, note: null },
    ]);
  });

  it('records a send and a payment when a shop pays one of its own payments', () => {
    expect(short(made({ outputs: [change, paid], spent, send }))).toEqual([
      ['payment', 70n],
      ['send', -80n],
      ['fee', -5n],
    ]);
  });

  it('links a refund to its payment', () => {
    const lines = made({ outputs: [change], spent, send: { ...send, refundOf: 'pay_9' } });
    expect(lines.map(({ kind, paymentId }) => [kind, paymentId])).toEqual([
      ['refund', 'pay_9'],
      ['fee', 'pay_9'],
    ]);
  });

  it('records a sweep with amount zero, linked to the payment if it moves the money of only one', () => {
    const sweep = { ...send, purpose: 'sweep' as const, note: null };
    const moved = { ...change, amount: 95n };
    const own = made({ outputs: [moved], spent, send: sweep });
    expect(own.map(({ kind, amount, paymentId }) => [kind, amount, paymentId])).toEqual([
      ['sweep', 0n, 'pay_0'],
      ['fee', -5n, 'pay_0'],
    ]);
    const two = [
      { amount: 40n, paymentId: 'pay_0' },
      { amount: 60n, paymentId: 'pay_2' },
    ];
    const mixed = made({ outputs: [moved], spent: two, send: sweep });
    expect(mixed.map(({ paymentId }) => paymentId)).toEqual([null, null]);
  });

  it('records only the fee when the send failed or was cancelled on the chain', () => {
    const back = { ...change, amount: 95n };
    const failed = made({ outputs: [back], spent, send: { ...send, isPaid: false } });
    expect(failed).toMatchObject([
      { kind: 'fee', amount: -5n, note: 'failed: only the network fee was spent' },
    ]);
    const cancelled = made({ outputs: [back], spent, send: { ...send, isPaid: false, cancels: true } });
    expect(cancelled).toMatchObject([{ kind: 'fee', note: 'cancelled: only the network fee was spent' }]);
  });

  it('records the missing amount when this wallet did not sign the transaction that spent it', () => {
    const note = 'not signed here; includes its network fee';
    expect(made({ outputs: [change], spent })).toMatchObject([{ kind: 'send', amount: -85n, note }]);
    const more = { ...change, amount: 130n };
    expect(made({ outputs: [more], spent })).toMatchObject([{ kind: 'payment', amount: 30n, note }]);
  });

  it('records no fee when the transaction has none', () => {
    const free = { ...send, fee: 0n };
    expect(short(made({ outputs: [change], spent, send: free }))).toEqual([['send', -85n]]);
  });
});

describe('bookChange for movements that were already recorded', () => {
  const whole = { outputs: [change, paid], spent, send };
  const lines = standing(made(whole));

  it('records nothing new while the ledger is unchanged', () => {
    expect(bookChange({ ...whole, unreversed: lines })).toEqual({ takenBack: [], made: [] });
  });

  it('reverses the movements when a reorg drops their transaction', () => {
    const gone = { ...NOTHING, outputs: [{ ...change, isConfirmed: false }, paid] };
    const { takenBack, made: anew } = bookChange({ ...gone, unreversed: lines });
    expect(short(takenBack)).toEqual([
      ['send', -80n],
      ['fee', -5n],
    ]);
    expect(anew).toEqual([]);
    expect(takenBack.map(reverseMovement)).toMatchObject([
      { kind: 'reversal', amount: 80n, note: 'send reversed by the chain', sendId: 'send_1' },
      { kind: 'reversal', amount: 5n, note: 'fee reversed by the chain' },
    ]);
  });

  it('replaces the movements when the amount of the transaction changes', () => {
    const dearer = { ...whole, outputs: [{ ...change, amount: 12n }, paid], send: { ...send, fee: 8n } };
    const { takenBack, made: anew } = bookChange({ ...dearer, unreversed: lines });
    expect(short(takenBack)).toEqual([
      ['send', -80n],
      ['fee', -5n],
    ]);
    expect(short(anew)).toEqual([
      ['send', -80n],
      ['fee', -8n],
    ]);
  });

  it('adds an output to the recorded send when it turns out to be change of that send', () => {
    const before = standing(made({ outputs: [change] }));
    const { takenBack, made: anew } = bookChange({ outputs: [change], spent, send, unreversed: before });
    expect(short(takenBack)).toEqual([['payment', 15n]]);
    expect(short(anew)).toEqual([
      ['send', -80n],
      ['fee', -5n],
    ]);
  });
});

it('a send to several recipients has a line for each, or one line if it paid the wallet as well', () => {
  const outputs = [
    { destination: 'elsewhere', amount: 50n },
    { destination: 'payroll', amount: 30n },
  ];
  const booked = (more: Partial<LedgerTransaction>) =>
    made({ outputs: [change], spent, send: { ...send, outputs }, ...more }).map(
      ({ kind, amount, address }) => [kind, amount, address],
    );
  expect(booked({})).toEqual([
    ['send', -50n, 'elsewhere'],
    ['send', -30n, 'payroll'],
    ['fee', -5n, null],
  ]);
  const own: PaidOutput = { vout: 2, amount: 30n, isConfirmed: true, paymentId: null, address: 'payroll' };
  expect(booked({ outputs: [change, own] })).toEqual([
    ['send', -50n, 'elsewhere'],
    ['fee', -5n, null],
  ]);
});
