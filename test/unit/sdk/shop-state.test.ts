import { expect, it } from 'vitest';
import { shopState, type Payment, type ShopState } from '../../../packages/sdk/src/index.ts';
import { deriveStatus } from '../../../src/domain/payment/status.ts';
import {
  PAYMENT_EXCEPTIONS,
  PAYMENT_STATUSES,
  type PaymentCredit,
  type PaymentState,
} from '../../../src/domain/payment/types.ts';
import { freshPayment, option } from '../../_helpers/payment-state.ts';

type State = Pick<Payment, 'status' | 'exception'>;

const EXPECTED: Readonly<Record<string, ShopState>> = {
  'pending/null': 'waiting',
  'pending/reversed': 'waiting',
  'underpaid/null': 'short',
  'underpaid/underpaid': 'short',
  'underpaid/late': 'late',
  'underpaid/reversed': 'short',
  'confirming/null': 'seen',
  'confirming/underpaid': 'seen',
  'confirming/overpaid': 'seen',
  'confirming/late': 'seen',
  'confirming/multiple': 'seen',
  'confirming/reversed': 'seen',
  'completed/null': 'paid',
  'completed/underpaid': 'paid',
  'completed/overpaid': 'paid',
  'completed/late': 'paid',
  'completed/multiple': 'paid',
  'completed/reversed': 'paid',
  'expired/null': 'lost',
  'expired/late': 'late',
  'expired/reversed': 'lost',
  'cancelled/null': 'lost',
  'cancelled/late': 'late',
  'cancelled/reversed': 'lost',
  'failed/null': 'lost',
  'failed/late': 'late',
  'failed/reversed': 'lost',
  'refunded/null': 'refunded',
  'refunded/underpaid': 'refunded',
  'refunded/overpaid': 'refunded',
  'refunded/late': 'refunded',
  'refunded/multiple': 'refunded',
  'refunded/reversed': 'refunded',
};
/** No payment is like that, so a shop concludes nothing from it. */
const IMPOSSIBLE = PAYMENT_STATUSES.flatMap((status) =>
  [null, ...PAYMENT_EXCEPTIONS].map((exception) => ({ status, exception })),
).filter(
  ({ status, exception }) =>
    EXPECTED[`${status}/${exception}`] === undefined && !(status === 'pending' && exception !== null),
);

it.each(Object.entries(EXPECTED))('shopState maps %s to %s', (key, expected) => {
  const [status, exception] = key.split('/') as [State['status'], string];
  const state = { status, exception: exception === 'null' ? null : exception } as State;
  expect(shopState(state)).toBe(expected);
});

it('shopState is superseded when another payment of the order has its money, whatever the status', () => {
  for (const status of PAYMENT_STATUSES) {
    expect(shopState({ status, exception: null, supersededBy: 'pay_1' })).toBe('superseded');
  }
});

it('shopState returns no conclusion for an unknown state', () => {
  expect(IMPOSSIBLE.length).toBeGreaterThan(5);
  for (const state of IMPOSSIBLE) expect(() => shopState(state)).toThrow(RangeError);
  expect(() => shopState({ status: 'frozen' } as unknown as State)).toThrow('frozen');
});

/** One output: nothing, or too little, enough or twice the price, in every state. */
const CREDITS: readonly (readonly PaymentCredit[])[] = [
  [],
  ...(['unconfirmed', 'confirmed', 'gone'] as const).flatMap((state) =>
    [true, false].flatMap((late) =>
      [40n, 100n, 200n].map((amount): PaymentCredit[] => [
        {
          coin: 'BTC',
          ref: { txid: `${state}${late}${amount}`, index: 0 },
          amount,
          position: 1,
          state,
          height: state === 'confirmed' ? 90 : null,
          maturity: 0,
          firstSeenAt: 1,
          confirmedAt: state === 'confirmed' ? 1 : null,
          late,
          due: 100n,
        },
      ]),
    ),
  ),
];

/** Whatever can be decided about a payment, with any two outputs. */
function* payments(): Generator<PaymentState> {
  const times = [null, 2];
  for (const status of PAYMENT_STATUSES)
    for (const latePolicy of ['accept', 'review'] as const)
      for (const closedAt of times)
        for (const cancelledAt of times)
          for (const acceptedAt of times)
            for (const first of CREDITS)
              for (const second of CREDITS) {
                const credits = [
                  ...first,
                  ...second.map((credit) => ({ ...credit, ref: { ...credit.ref, index: 1 } })),
                ];
                const acceptedPosition = acceptedAt;
                const decided = {
                  status,
                  latePolicy,
                  closedAt,
                  cancelledAt,
                  acceptedAt,
                  acceptedPosition,
                  credits,
                };
                yield freshPayment({ BTC: option(100n, 2) }, decided);
              }
}

it('shopState has a result for every state of a payment', () => {
  const reached = new Map<string, ShopState>();
  for (const payment of payments()) {
    const settled = deriveStatus(payment);
    const refunded = deriveStatus({ ...settled, refundedAt: 3 });
    for (const { status, exception } of [settled, refunded]) {
      reached.set(`${status}/${exception}`, shopState({ status, exception }));
    }
  }
  expect(Object.keys(EXPECTED)).toEqual(expect.arrayContaining([...reached.keys()]));
  expect(reached.size).toBeGreaterThan(17);
  expect(Object.fromEntries(reached)).toMatchObject({ 'completed/multiple': 'paid', 'expired/late': 'late' });
});
