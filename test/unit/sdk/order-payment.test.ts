import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hasEnded,
  hasMoney,
  isOlder,
  selectPayment,
  type KeptPayment,
} from '../../../packages/sdk/src/shop.ts';
import { SHOP_STATES } from '../../../packages/sdk/src/index.ts';

const STATES = ['waiting', 'seen', 'paid', 'short', 'late', 'lost', 'refunded', 'superseded'];

const kept = (id: string, state: string, seconds: number, isBooked = false): KeptPayment => ({
  id,
  state,
  createdAt: new Date(seconds * 1000),
  isBooked,
});

const select = (...rows: KeptPayment[]): string | number | undefined => selectPayment(rows, (row) => row)?.id;

const payments = fc.uniqueArray(
  fc.record({
    id: fc.string({ minLength: 1 }),
    state: fc.constantFrom(...STATES),
    createdAt: fc.integer({ min: 0, max: 3 }).map((seconds) => new Date(seconds * 1000)),
    isBooked: fc.boolean(),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 8 },
);

describe('selectPayment of an order', () => {
  it('returns nothing when the order has no payments', () => {
    expect(select()).toBeUndefined();
  });

  it('returns the payment with money, even when a newer payment still waits for money', () => {
    expect(select(kept('a', 'late', 1), kept('b', 'waiting', 2), kept('c', 'lost', 3))).toBe('a');
  });

  it('returns the earliest of several paid payments, and the newest of several unpaid ones', () => {
    expect(select(kept('b', 'paid', 2), kept('a', 'paid', 1))).toBe('a');
    expect(select(kept('a', 'waiting', 1), kept('b', 'waiting', 2))).toBe('b');
  });

  it('prefers a payment whose money the shop has recorded, unless it was reversed and another payment can still be paid', () => {
    expect(select(kept('a', 'paid', 1), kept('b', 'seen', 2, true))).toBe('b');
    expect(select(kept('a', 'lost', 1, true), kept('b', 'lost', 2))).toBe('a');
    expect(select(kept('a', 'lost', 1, true), kept('b', 'waiting', 2))).toBe('b');
  });

  it('returns a payment with money if there is one, in whatever order the database returns the rows', () => {
    fc.assert(
      fc.property(payments, (rows) => {
        const selected = selectPayment(rows, (row) => row);
        expect(hasMoney(selected?.state ?? '')).toBe(rows.some(({ state }) => hasMoney(state)));
        expect(selectPayment(rows.toReversed(), (row) => row)?.id).toBe(selected?.id);
      }),
    );
  });
});

describe('isOlder', () => {
  it('compares numeric ids when the database stores creation times in whole seconds', () => {
    expect(isOlder({ id: 9, createdAt: new Date(0) }, { id: 10, createdAt: new Date(0) })).toBe(true);
    expect(isOlder({ id: 'b', createdAt: new Date(0) }, { id: 'a', createdAt: new Date(0) })).toBe(false);
    expect(isOlder({ id: 9, createdAt: new Date(1) }, { id: 10, createdAt: new Date(0) })).toBe(false);
  });
});

describe('hasMoney and hasEnded', () => {
  it('cover every state of shopState, and are never both true', () => {
    const known = Object.values(SHOP_STATES).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : Object.values(entry),
    );
    for (const state of known) expect(STATES).toContain(state);
    const both = STATES.map((state) => [state, hasMoney(state), hasEnded(state)]);
    expect(both).toEqual([
      ['waiting', false, false],
      ['seen', true, false],
      ['paid', true, false],
      ['short', true, false],
      ['late', true, false],
      ['lost', false, true],
      ['refunded', false, true],
      ['superseded', false, true],
    ]);
  });
});
