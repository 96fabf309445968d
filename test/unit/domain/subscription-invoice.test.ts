/** What the money of its payment makes of an invoice: no more credit than money that was kept. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PaymentStatus } from '../../../src/domain/payment/types.ts';
import { settleInvoice } from '../../../src/domain/subscription/invoice.ts';
import { INVOICE_STATUSES, SUBSCRIPTION_STATUSES } from '../../../src/domain/subscription/types.ts';

const STATUSES: readonly PaymentStatus[] = [
  'pending',
  'confirming',
  'underpaid',
  'completed',
  'expired',
  'cancelled',
  'failed',
  'refunded',
];

const minor = fc.bigInt({ min: 0n, max: 1_000n });
const cases = fc.record({
  status: fc.constantFrom(...INVOICE_STATUSES),
  due: minor,
  wasPaid: fc.boolean(),
  subscription: fc.constantFrom(...SUBSCRIPTION_STATUSES),
  payment: fc.constantFrom(...STATUSES),
  price: minor,
  kept: fc.bigInt({ min: -100n, max: 3_000n }),
  hasExcess: fc.boolean(),
});

type Case = typeof cases extends fc.Arbitrary<infer C> ? C : never;

const settle = ({ status, due, wasPaid, subscription, payment, ...money }: Case) =>
  settleInvoice(
    { status, due, wasPaid: wasPaid || status === 'paid', credited: 0n },
    subscription,
    { status: payment, ...money },
    true,
  );

describe('settleInvoice of a subscription', () => {
  it('credits to the customer at most the money that was kept, nothing after a refund, and only the excess of a paid invoice', () => {
    fc.assert(
      fc.property(cases, (made) => {
        const { status, credited } = settle(made);
        const kept = made.kept > 0n ? made.kept : 0n;
        expect(credited >= 0n && credited <= kept).toBe(true);
        if (made.payment === 'refunded') expect(credited).toBe(0n);
        if (status === 'paid' && credited > 0n) expect(credited + made.due <= kept).toBe(true);
      }),
    );
  });

  it('keeps an invoice paid that the credit balance covers', () => {
    fc.assert(
      fc.property(cases, (made) => {
        expect(settle({ ...made, status: 'paid', due: 0n })).toMatchObject({ status: 'paid', change: null });
      }),
    );
  });

  it('turns a payment into credit when the invoice is void because the subscription has ended', () => {
    fc.assert(
      fc.property(cases, (made) => {
        const late = { ...made, status: 'void', subscription: 'ended', payment: 'completed' } as const;
        const credited = made.kept > 0n ? made.kept : 0n;
        expect(settle(late)).toEqual({ status: 'void', change: null, credited });
      }),
    );
  });
});
