/**
 * Lives of orders: after any payments, forks, refunds and claims, no order completes with money that went
 * back. `ORDER_LIVES=100000 npx vitest run test/unit/domain/order-balance.test.ts` plays as many; `ORDER_SEED`
 * repeats a run.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { remainingRefundable } from '../../../src/domain/payment/remaining-refundable.ts';
import { sumCoverage } from '../../../src/domain/payment/paid-share.ts';
import { addShares, isMore, NO_SHARE } from '../../../src/domain/payment/share.ts';
import {
  PAYMENT_STATUSES,
  type PaymentCredit,
  type PaymentRefund,
  type PaymentStatus,
} from '../../../src/domain/payment/types.ts';
import {
  LIFE_COINS,
  LIFE_MEMBERS,
  LifeBooks,
  OrderLife,
  reachesPrice,
  type LifeCoin,
  type LifeTerms,
  type Step,
} from '../../_helpers/order-sequences.ts';

const LIVES = Number(process.env.ORDER_LIVES ?? 2_000);
const { ORDER_SEED } = process.env;
const SEED = ORDER_SEED === undefined ? {} : { seed: Number(ORDER_SEED) };
const TIMEOUT_MS = 60_000 + LIVES * 60;

const coin = fc.constantFrom(...LIFE_COINS);
const which = fc.nat({ max: 7 });
const percent = fc.constantFrom(1, 10, 30, 49, 50, 51, 70, 99, 100, 100, 150, 210);
const part = fc.constantFrom(1, 30, 50, 99, 100, 100);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pay' as const), coin, percent }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pay asked' as const), coin }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      coin,
      percent,
      via: fc.constantFrom(...LIFE_MEMBERS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('waited' as const),
      coin,
      via: fc.constantFrom(undefined, ...LIFE_MEMBERS),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('mine' as const),
      coin,
      blocks: fc.constantFrom(1, 1, 2, 6),
      which: fc.constantFrom(undefined, undefined, undefined, 0, 1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('double-spend' as const, 'bring back' as const, 'bump' as const),
      which,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('reorg' as const),
      coin,
      depth: fc.integer({ min: 1, max: 7 }),
      isMoved: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('clock' as const),
      ms: fc.constantFrom(-7_200_000, -1, 1, 600_000, 7_200_000, 100_000_000),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ do: 'close' }, { do: 'cancel' }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rates' as const), areKnown: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('quote' as const), which, percent: fc.constantFrom(50, 75, 125) }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Step>(
      { do: 'resolve', action: 'accept' },
      { do: 'resolve', action: 'accept' },
      { do: 'resolve', action: 'refunded' },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      coin,
      percent: part,
      rate: fc.constantFrom(100, 100, 50, 200),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('node takes' as const, 'send fails' as const, 'failed send is mined' as const),
      which,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('open link' as const),
      coin,
      percent: part,
      isExcess: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'claim' as const,
        'claim' as const,
        'send claim' as const,
        'send claim' as const,
        'cancel claim' as const,
        'drop claim' as const,
      ),
      which,
    }),
  },
);

const terms: fc.Arbitrary<LifeTerms> = fc.record({
  dues: fc.record({ BTC: fc.bigInt(1_000n, 10n ** 7n), LTC: fc.bigInt(1_000n, 10n ** 9n) }),
  confirmations: fc.constantFrom(1, 2),
  tierPercent: fc.constantFrom(40, 120),
  toleranceBps: fc.constantFrom(0, 50, 500),
  latePolicy: fc.constantFrom('accept' as const, 'review' as const),
});
const life = fc.tuple(terms, fc.array(step, { minLength: 4, maxLength: 40, size: 'max' }));

const plainTerms: LifeTerms = {
  dues: { BTC: 1_000_000n, LTC: 1_000_000n },
  confirmations: 1,
  tierPercent: 120,
  toleranceBps: 0,
  latePolicy: 'review',
};

/** What was given back before the order was complete, or by money or an acceptance that is not there any more. */
function owesAgain(order: OrderLife, by: 'live' | 'settled'): (refund: PaymentRefund) => boolean {
  const books = new LifeBooks(order);
  const isAccepted = books.isAccepted(by);
  return ({ completedBy }) =>
    completedBy === null ||
    LIFE_COINS.some((each) => books.atoms(each, by) < (completedBy.sums[each] ?? 0n)) ||
    (completedBy.byAcceptance && !isAccepted);
}

function checkCompletion(order: OrderLife, before: PaymentStatus): void {
  if (order.payment.status !== 'completed') return;
  const books = new LifeBooks(order);
  // A reorganisation that moves the transactions does not undo a completion.
  const by = before === 'completed' || before === 'refunded' ? 'live' : 'settled';
  const isPaid = reachesPrice(books.left(by, owesAgain(order, by)), order.terms.toleranceBps);
  expect(isPaid || books.isAccepted(by)).toBe(true);
}

/** What leaves is there, is deep enough, and is worth no more than what came and is there. */
function checkGivenBack(order: OrderLife, before: readonly PaymentRefund[]): void {
  const made = order.refunds.find((refund) => isNew(refund, before));
  if (made === undefined || order.payment.refundedBy === 'merchant') return;
  const books = new LifeBooks(order);
  const of = order.refunds.filter(({ coin: in_, stage }) => in_ === made.coin && stage !== 'failed');
  const atoms = of.reduce((sum, { amount }) => sum + amount, 0n);
  const isClaim = made.stage === 'promised';
  const there = isClaim ? books.atoms(made.coin, 'mined') : books.deep(made.coin, atoms);
  expect(atoms).toBeLessThanOrEqual(there);
  const own = LIFE_COINS.find((each) => each === made.coin) ?? 'BTC';
  expect(books.spare(own, isClaim ? 'mined' : 'settled').numerator).toBeGreaterThanOrEqual(0n);
}

/** A link that was made before the order was bought takes nothing of the price since. */
function checkClaim(order: OrderLife, { links }: { readonly links: readonly string[] }): void {
  const claimed = order.links.find(({ id, state }) => state === 'claimed' && !links.includes(id));
  if (claimed === undefined || claimed.openedComplete) return;
  const books = new LifeBooks(order);
  if (order.payment.status !== 'completed' && !books.isAccepted('live')) return;
  if (order.payment.refundedAt !== null) return;
  expect(reachesPrice(books.left('live'), 0)).toBe(true);
}

/** It is refunded by refunds exactly while they give back what was there, and nothing is accepted that is claimed. */
function checkRefunded(order: OrderLife): void {
  const { credits, refundedBy, refundedPosition } = order.payment;
  if (refundedBy === 'merchant') return;
  const books = new LifeBooks(order);
  const live = credits.filter(({ state }) => state !== 'gone');
  const meant = live.filter(({ position }) => refundedPosition === null || position <= refundedPosition);
  const sum = (each: LifeCoin): bigint =>
    meant.filter(({ coin: of }) => of === each).reduce((total, { amount }) => total + amount, 0n);
  const isBackInAtoms = LIFE_COINS.every((each) => books.taken(each) >= sum(each));
  const isTaken = order.refunds.some(({ stage }) => stage === 'accepted');
  if (refundedBy === null) expect(isBackInAtoms && isTaken && meant.length > 0).toBe(false);
  if (refundedBy === 'refunds' && meant.length > 0) {
    const value = order.refunds.filter(({ stage }) => stage === 'accepted');
    const isBackInValue = !isMore(
      sumCoverage(meant),
      value.reduce((total, refund) => addShares(total, refund.value), NO_SHARE),
    );
    expect(isBackInAtoms || isBackInValue || !books.isBacked()).toBe(true);
  }
}

function checkAcceptance(
  order: OrderLife,
  before: OrderLife['payment'],
  refunds: readonly PaymentRefund[],
): void {
  if (order.payment.acceptedAt === before.acceptedAt) return;
  expect(refunds.filter(({ stage }) => stage === 'promised')).toEqual([]);
}

/** What was not there when a return elsewhere was recorded may go back. */
function checkReturned(order: OrderLife): void {
  const { refundedBy, refundedPosition } = order.payment;
  if (refundedBy !== 'merchant') return;
  const isSince = ({ position }: PaymentRefund): boolean =>
    position === null || position > (refundedPosition ?? 0);
  if (order.refunds.some((refund) => refund.stage !== 'failed' && isSince(refund))) return;
  const books = new LifeBooks(order);
  for (const each of LIFE_COINS) {
    const { atoms } = remainingRefundable(order.payment, each, { mayWait: true });
    const rest = books.notReturned(each);
    expect(atoms > 0n ? atoms : 0n).toBe(rest > 0n ? rest : 0n);
  }
}

/** What went back of money whose rates are all known, and that is all there, is valued at no less than the cheapest of it. */
function checkValues(order: OrderLife): void {
  const { credits, refundedBy } = order.payment;
  if (!order.hasPlainRefunds || refundedBy === 'merchant') return;
  if (credits.some(({ due, state }) => due === null || state === 'gone')) return;
  for (const each of LIFE_COINS) {
    const refunds = order.refunds.filter(({ coin: of }) => of === each);
    expect(refunds.filter(({ unpriced }) => unpriced > 0n)).toEqual([]);
    const dues = credits.filter(({ coin: of }) => of === each).map(priceIn);
    const most = dues.reduce((a, b) => (a > b ? a : b), 1n);
    const atoms = refunds.reduce((sum, { amount }) => sum + amount, 0n);
    const value = refunds.reduce((sum, refund) => addShares(sum, refund.value), NO_SHARE);
    // value >= atoms / most
    expect(value.numerator * most).toBeGreaterThanOrEqual(atoms * value.denominator);
  }
}

/** Atoms of the whole price, by what was asked for or is the rate of the day. */
function priceIn({ due, dueShare = { numerator: 1n, denominator: 1n } }: PaymentCredit): bigint {
  return ((due ?? 1n) * dueShare.denominator + dueShare.numerator - 1n) / dueShare.numerator;
}

const claimedIn = ({ links }: OrderLife): string[] =>
  links.filter(({ state }) => state === 'claimed').map(({ id }) => id);

/** Claimed, or signed. */
function isNew({ id, stage }: PaymentRefund, before: readonly PaymentRefund[]): boolean {
  const was = before.find((other) => other.id === id);
  return (stage === 'promised' && was === undefined) || (stage === 'signed' && was?.stage !== 'signed');
}

/** Who pays what is asked for has paid the price, and not more than an atom and a basis point of it. */
function checkAsked(order: OrderLife): void {
  const { refundedAt } = order.payment;
  const books = new LifeBooks(order);
  if (refundedAt !== null || !books.isBacked()) return;
  const left = books.left('live');
  for (const each of LIFE_COINS) {
    const due = order.terms.dues[each];
    const asked = order.asked(each);
    if (asked === 0n) continue;
    // asked + left <= price + one atom + one basis point
    const sum = asked * left.denominator + left.numerator * due;
    const bound = due * left.denominator;
    expect((sum - bound) * 10_000n).toBeLessThanOrEqual(left.denominator * 10_000n + bound);
    expect(sum).toBeGreaterThanOrEqual(bound);
  }
}

function playChecked(order: OrderLife, steps: readonly Step[]): void {
  for (const each of steps) {
    const before = order.payment;
    const { refunds } = order;
    const links = claimedIn(order);
    if (!order.play(each)) continue;
    checkCompletion(order, before.status);
    checkGivenBack(order, refunds);
    checkClaim(order, { links });
    checkAsked(order);
    checkRefunded(order);
    checkAcceptance(order, before, refunds);
    checkReturned(order);
    checkValues(order);
  }
}

/** Lives that once failed, shrunk, with the seed that found them. */
const FAILED_LIVES: readonly (Partial<LifeTerms> & {
  readonly seed: number;
  readonly steps: readonly Step[];
})[] = [
  {
    seed: -1603885590,
    latePolicy: 'accept',
    steps: [
      { do: 'pay asked', coin: 'BTC' },
      { do: 'mine', coin: 'BTC', blocks: 1 },
      { do: 'open link', coin: 'BTC', percent: 50, isExcess: false },
      { do: 'pay', coin: 'BTC', percent: 50, via: 'cheaper' },
      { do: 'claim', which: 0 },
      { do: 'reorg', coin: 'BTC', depth: 1, isMoved: false },
      { do: 'mine', coin: 'BTC', blocks: 1 },
      { do: 'pay', coin: 'BTC', percent: 1 },
      { do: 'send claim', which: 0 },
    ],
  },
  {
    seed: 96922061,
    dues: { BTC: 1_000n, LTC: 1_000n },
    tierPercent: 40,
    latePolicy: 'accept',
    steps: [
      { do: 'pay asked', coin: 'LTC' },
      { do: 'clock', ms: 7_200_000 },
      { do: 'mine', coin: 'LTC', blocks: 6 },
      { do: 'open link', coin: 'LTC', percent: 1, isExcess: false },
      { do: 'refund', coin: 'LTC', percent: 99, rate: 100 },
      { do: 'pay', coin: 'LTC', percent: 1 },
      { do: 'mine', coin: 'LTC', blocks: 2 },
      { do: 'claim', which: 0 },
      { do: 'mine', coin: 'LTC', blocks: 2 },
      { do: 'reorg', coin: 'LTC', depth: 4, isMoved: false },
      { do: 'send claim', which: 0 },
    ],
  },
];

describe('the balance of an order, for any payments and refunds', () => {
  it(
    'completes the order only by money it keeps or by acceptance of the merchant, and never requests the same money twice',
    () => {
      fc.assert(
        fc.property(life, ([lifeTerms, steps]) => {
          playChecked(new OrderLife(lifeTerms), steps);
        }),
        { ...SEED, numRuns: LIVES },
      );
    },
    TIMEOUT_MS,
  );

  it.each(FAILED_LIVES)('holds in the life that seed $seed found', ({ steps, ...lifeTerms }) => {
    playChecked(new OrderLife({ ...plainTerms, ...lifeTerms }), steps);
  });

  it('asks for no more than the price after a claim was paid of money without a rate', () => {
    const order = new OrderLife(plainTerms);
    const steps: Step[] = [
      { do: 'pay', coin: 'BTC', percent: 50 },
      { do: 'mine', coin: 'BTC', blocks: 1 },
      { do: 'open link', coin: 'BTC', percent: 100, isExcess: false },
      { do: 'claim', which: 0 },
      { do: 'reorg', coin: 'BTC', depth: 1, isMoved: false },
      { do: 'rates', areKnown: false },
      { do: 'clock', ms: 7_200_000 },
      { do: 'pay', coin: 'BTC', percent: 51 },
      { do: 'mine', coin: 'BTC', blocks: 1 },
      { do: 'send claim', which: 0 },
    ];
    playChecked(order, steps);
    expect(order.refunds).toMatchObject([{ stage: 'signed', unpriced: 500_000n, value: { numerator: 0n } }]);
    expect(order.asked('BTC')).toBe(plainTerms.dues.BTC);
    order.play({ do: 'quote', which: 0, percent: 125 });
    expect(order.asked('BTC')).toBe(992_001n);
  });

  it('reaches every payment status in some sequence of steps', () => {
    const paid: Step = { do: 'pay asked', coin: 'BTC' };
    const mined: Step = { do: 'mine', coin: 'BTC', blocks: 6 };
    const late: Step[] = [{ do: 'clock', ms: 7_200_000 }, { do: 'close' }];
    const lives: Record<PaymentStatus, Step[]> = {
      pending: [],
      underpaid: [{ do: 'pay', coin: 'BTC', percent: 50 }],
      confirming: [paid],
      completed: [paid, mined],
      expired: late,
      cancelled: [{ do: 'cancel' }],
      failed: [paid, { do: 'double-spend', which: 0 }, ...late],
      refunded: [
        paid,
        mined,
        { do: 'refund', coin: 'BTC', percent: 100, rate: 100 },
        { do: 'node takes', which: 0 },
      ],
    };
    for (const status of PAYMENT_STATUSES) {
      const order = new OrderLife(plainTerms);
      for (const each of lives[status]) order.play(each);
      expect(order.payment.status).toBe(status);
    }
  });

  it(
    'is never underpaid because of a refund after completion, nor after a reorg that drops money and includes it again',
    () => {
      fc.assert(
        fc.property(life, ([lifeTerms, steps]) => {
          const order = new OrderLife(lifeTerms);
          for (const each of steps) {
            const before = order.payment;
            order.play(each);
            if (
              before.status !== 'completed' ||
              !['refund', 'claim', 'send claim', 'node takes'].includes(each.do)
            )
              continue;
            expect(['completed', 'refunded']).toContain(order.payment.status);
          }
          order.mine('BTC', 12);
          order.mine('LTC', 12);
          const { status } = order.payment;
          if (status !== 'completed') return;
          for (const each of LIFE_COINS) order.reorg(each, 20, true);
          for (const each of LIFE_COINS) order.mine(each, 30);
          expect(order.payment.status).toBe('completed');
        }),
        { ...SEED, numRuns: Math.ceil(LIVES / 2) },
      );
    },
    TIMEOUT_MS,
  );

  it(
    'completes the order by an acceptance only while the accepted money or its replacement exists',
    () => {
      const bump: fc.Arbitrary<Step> = fc.record({
        do: fc.constant('bump' as const),
        which: fc.nat({ max: 2 }),
      });
      const since = fc.array(fc.oneof({ weight: 4, arbitrary: step }, { weight: 1, arbitrary: bump }), {
        minLength: 3,
        maxLength: 15,
      });
      fc.assert(
        fc.property(terms, since, (lifeTerms, steps) => {
          const order = new OrderLife(lifeTerms);
          order.play({ do: 'pay', coin: 'BTC', percent: 30 });
          order.play({ do: 'resolve', action: 'accept' });
          for (const each of steps) {
            const { status } = order.payment;
            if (order.play(each)) checkCompletion(order, status);
          }
        }),
        { ...SEED, numRuns: LIVES },
      );
    },
    TIMEOUT_MS,
  );

  it(
    'completes the order when the requested amount is paid, whatever was refunded before',
    () => {
      fc.assert(
        fc.property(life, coin, ([lifeTerms, steps], by) => {
          const order = new OrderLife(lifeTerms);
          for (const each of steps) order.play(each);
          const { status, credits, refundedAt } = order.payment;
          fc.pre(refundedAt === null && ['pending', 'underpaid'].includes(status));
          fc.pre(credits.every(({ late }) => !late) && order.now < 3_600_000 && order.now >= 0);
          for (const each of LIFE_COINS) order.mine(each, 10);
          if (order.payment.status === 'completed') return;
          fc.pre(order.payment.cancelledAt === null);
          order.pay(by, order.asked(by));
          order.mine(by, 10);
          expect(order.payment.status).toBe('completed');
          expect(order.payment.exception).toBeNull();
        }),
        { ...SEED, numRuns: Math.ceil(LIVES / 2) },
      );
    },
    TIMEOUT_MS,
  );

  it(
    'has funds for every refund claim, and reports all money',
    () => {
      fc.assert(
        fc.property(life, ([lifeTerms, steps]) => {
          const order = new OrderLife(lifeTerms);
          for (const each of steps) order.play(each);
          for (const each of LIFE_COINS) order.mine(each, 20);
          const claimed = order.links.filter(({ state }) => state === 'claimed');
          const isSendable = claimed.some(
            ({ id, coin: of, atoms }) =>
              remainingRefundable(order.payment, of, { ownLink: id }).atoms >= atoms,
          );
          const isLost = order.events.includes('payment.reversed');
          expect(claimed.length === 0 || isSendable || isLost).toBe(true);
          const isThere = order.outputs.some(({ isGone }) => !isGone);
          const told = ['confirming', 'underpaid', 'completed', 'late', 'overpaid'].map(
            (type) => `payment.${type}`,
          );
          expect(!isThere || order.events.some((type) => told.includes(type))).toBe(true);
        }),
        { ...SEED, numRuns: Math.ceil(LIVES / 2) },
      );
    },
    TIMEOUT_MS,
  );
});
