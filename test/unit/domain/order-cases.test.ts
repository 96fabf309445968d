/** Lives of an order in which its balance and its status could part: what leaves, what is kept and what completes it. */
import { describe, expect, it } from 'vitest';
import {
  excessAtoms,
  remainingRefundable,
  refundValue,
} from '../../../src/domain/payment/remaining-refundable.ts';
import { acceptanceProblem } from '../../../src/domain/payment/acceptance.ts';
import { nextPosition } from '../../../src/domain/payment/credits.ts';
import { endsUnclaimedRefundLinks, isLimitedToExcess } from '../../../src/domain/payment/link-terms.ts';
import { transitionAll } from '../../../src/domain/payment/payment-machine.ts';
import { completedBy, missingShare } from '../../../src/domain/payment/status.ts';
import type { PaymentFact, PaymentRefund, PaymentState } from '../../../src/domain/payment/types.ts';
import { freshPayment, option } from '../../_helpers/payment-state.ts';

const DUE = 1_000_000n;
const ref = (txid: string) => ({ txid, index: 0 });

interface Money {
  readonly coin?: 'BTC' | 'LTC';
  readonly currentDue?: bigint | null;
}

const moneyOf = (txid: string, amount: bigint) =>
  ({ coin: 'BTC', ref: ref(txid), amount, maturity: 1, seenAt: 0, currentDue: null }) as const;

class Order {
  state: PaymentState;
  readonly events: string[] = [];
  tip = 100;
  now = 0;

  constructor(over: Partial<PaymentState> = {}, confirmations = 1) {
    this.state = freshPayment({ BTC: option(DUE, confirmations) }, { toleranceBps: 0, ...over });
  }

  tell(...facts: PaymentFact[]): this {
    const { payment, events } = transitionAll(this.state, facts, this.now);
    this.state = payment;
    this.events.push(...events);
    return this;
  }

  #money(txid: string, amount: bigint, { coin = 'BTC', currentDue = null }: Money = {}) {
    return { coin, ref: ref(txid), amount, maturity: 1, seenAt: this.now, currentDue } as const;
  }

  seen(txid: string, amount: bigint, money?: Money): this {
    return this.tell({ type: 'output_seen', ...this.#money(txid, amount, money) });
  }

  mined(txid: string, amount: bigint, money: Money = {}): this {
    this.tip += 1;
    const { coin = 'BTC' } = money;
    return this.tell(
      { type: 'output_confirmed', ...this.#money(txid, amount, money), height: this.tip },
      { type: 'tip', coin, height: this.tip },
    );
  }

  gone(txid: string): this {
    return this.tell({ type: 'output_gone', ref: ref(txid) });
  }

  /** One transaction takes the place of another, as a round over the mempool shows it. */
  replaced(txid: string, by: string, amount: bigint): this {
    return this.tell(
      { type: 'output_seen', ...this.#money(by, amount) },
      { type: 'output_gone', ref: ref(txid) },
    );
  }

  priced(txid: string, due: bigint): this {
    return this.tell({ type: 'late_quoted', ref: ref(txid), due });
  }

  /** Of money in a block. */
  claim(id: string, amount: bigint): this {
    return this.#giveBack({ id, coin: 'BTC', amount, stage: 'promised', position: null }, true);
  }

  /** Of money that is deep enough. */
  refund(id: string, amount: bigint, coin: 'BTC' | 'LTC' = 'BTC'): this {
    return this.#giveBack({ id, coin, amount, stage: 'signed', position: nextPosition(this.state) }, false);
  }

  #giveBack(made: Omit<PaymentRefund, 'value' | 'unpriced' | 'completedBy'>, mayWait: boolean): this {
    const given = refundValue(remainingRefundable(this.state, made.coin, { mayWait }), made.amount, null);
    const refund = { ...made, ...given, completedBy: completedBy(this.state) };
    return this.tell({ type: 'refunds_changed', refunds: [...this.state.refunds, refund] });
  }

  accepted(id: string): this {
    const refunds = this.state.refunds.map((each) =>
      each.id === id ? { ...each, stage: 'accepted' as const } : each,
    );
    return this.tell({ type: 'refunds_changed', refunds });
  }
}

const missing = ({ state }: Order): number => {
  const { numerator, denominator } = missingShare(state);
  return Number(numerator) / Number(denominator);
};

describe('an order', () => {
  it('does not complete by money that was refunded before its exchange rate was known', () => {
    const order = new Order();
    order.mined('dust', 1n);
    order.now = 2_000_000;
    order.mined('late', DUE);
    // `all` of a link: 1,000,001 sat; one is kept so that it is not 'refunded'.
    expect(remainingRefundable(order.state, 'BTC').atoms).toBe(DUE + 1n);
    order.refund('r', DUE).accepted('r');
    order.priced('late', DUE);
    // The shop has one sat of the order.
    expect(order.state.status).not.toBe('completed');
  });

  it('does not complete by money that the payer has claimed back before its exchange rate was known', () => {
    const order = new Order();
    order.mined('dust', 1n);
    order.now = 2_000_000;
    order.mined('late', DUE + 1n);
    order.claim('l', DUE + 2n);
    order.priced('late', DUE);
    expect(order.events).not.toContain('payment.completed');
  });

  it('does not revalue an earlier refund when further money arrives at a lower exchange rate', () => {
    const order = new Order();
    order.now = 2_000_000;
    order.mined('late', DUE);
    order.refund('r', (DUE * 99n) / 100n).accepted('r');
    order.priced('late', DUE);
    expect(order.state.status).not.toBe('completed');
    // The price fell by 20 %: the price is 1.25 of the atoms now. The payer sends 97.6 % of the price that is missing.
    order.mined('more', 1_210_000n, { currentDue: 1_250_000n });
    // Kept: 0.01 and 0.968 of the price.
    expect(order.state.status).not.toBe('completed');
  });

  it('does not subtract a refund twice when dropped money is mined after all', () => {
    const order = new Order();
    order.mined('part', 300_000n);
    order.seen('rest', DUE);
    order.refund('r', 300_000n).accepted('r');
    // No mempool has it for two hours: its credit goes back; then it is offered again and mined.
    order.gone('rest');
    order.mined('rest', DUE);
    // Received 1.3, given back 0.3: the price is there, in time, to the atom.
    expect(order.state.status).toBe('completed');
  });

  it('completes again after a reorg that temporarily dropped a part of its money', () => {
    const order = new Order();
    order.mined('a', 500_000n).mined('b', 500_000n);
    expect(order.state.status).toBe('completed');
    order.refund('r', 500_000n).accepted('r');
    order.gone('b');
    order.mined('b', 500_000n);
    expect(order.state.status).toBe('completed');
  });

  it('refunds no money that the merchant has accepted when a refund link is claimed that was created before', () => {
    const order = new Order({}, 3);
    order.mined('half', 500_000n);
    // A link over 500,000 sat is opened here: openedComplete is false. Then the merchant accepts the half.
    order.tell({ type: 'resolve', action: 'accept' });
    expect(order.state.status).toBe('confirming');
    const isExcess = isLimitedToExcess(order.state, { preset: null, openedComplete: false });
    const left = remainingRefundable(order.state, 'BTC', { mayWait: true });
    const claimable = isExcess ? excessAtoms([left], 'BTC') : left.atoms;
    if (claimable > 0n) order.claim('l', claimable);
    order.tip += 2;
    order.tell({ type: 'tip', coin: 'BTC', height: order.tip });
    expect(order.state.status).toBe('completed');
    // The claim is sent now: the shop keeps nothing of what it accepted.
    expect(claimable).toBe(0n);
  });

  it('does not complete by an acceptance whose money was dropped when other money arrives', () => {
    const order = new Order();
    order.mined('a', 500_000n).tell({ type: 'resolve', action: 'accept' });
    expect(order.state.status).toBe('completed');
    order.refund('r', 400_000n).accepted('r');
    order.gone('a');
    order.mined('b', 500_000n).mined('c', 500_000n);
    // No node accepted these two; 600,000 of 1,000,000 stays.
    expect(order.state.status).not.toBe('completed');
  });

  it('allows the refund of money that was missing from the mempool when the rest was recorded as refunded outside tilld', () => {
    const order = new Order();
    order.mined('a', 500_000n).seen('b', 400_000n);
    // No mempool has b any more; the merchant gives a back in cash and records that: {BTC: 500000}.
    order.gone('b').tell({ type: 'resolve', action: 'refunded' });
    expect(order.state.returned).toEqual({ BTC: 500_000n });
    order.mined('b', 400_000n);
    expect(remainingRefundable(order.state, 'BTC').atoms).toBe(400_000n);
  });

  it('allows only the refund of the excess when new money of unknown rate replaces dropped money that was refunded outside tilld', () => {
    const order = new Order();
    order.seen('a', DUE).tell({ type: 'resolve', action: 'refunded' });
    order.mined('more', 10n);
    order.now = 2_000_000;
    order.gone('a').mined('again', DUE);
    expect(remainingRefundable(order.state, 'BTC').atoms).toBe(10n);
  });

  it('allows the refund of money that arrives with the RBF replacement of money that was refunded outside tilld', () => {
    const order = new Order();
    order
      .seen('a', 900_000n)
      .tell({ type: 'resolve', action: 'accept' }, { type: 'resolve', action: 'refunded' });
    order.tell(
      { type: 'output_seen', ...moneyOf('b', 900_000n) },
      { type: 'output_seen', ...moneyOf('other', 400_000n) },
      { type: 'output_gone', ref: ref('a') },
    );
    order.mined('b', 900_000n).mined('other', 400_000n);
    expect(remainingRefundable(order.state, 'BTC').atoms).toBe(400_000n);
  });

  it('does not complete when the merchant accepts money that the payer has claimed back', () => {
    const order = new Order({}, 3);
    order.mined('half', 500_000n).claim('l', 500_000n);
    order.tell({ type: 'resolve', action: 'accept' });
    order.tip += 2;
    order.tell({ type: 'tip', coin: 'BTC', height: order.tip });
    // All of it is claimed, and sent in the next round.
    expect(order.state.status).not.toBe('completed');
  });

  it('values a refund at the rate of the price when its money had no known rate and is dropped', () => {
    const options = { BTC: option(DUE, 1), LTC: option(DUE, 1) };
    const order = new Order({ options });
    order.now = 2_000_000;
    order.mined('late', DUE).refund('r', (DUE * 99n) / 100n);
    const [known, unknown] = [new Order(), new Order()];
    for (const each of [known, unknown])
      [each.state, each.tip, each.now] = [order.state, order.tip, order.now];
    known.tell(
      { type: 'late_quoted', ref: ref('late'), due: DUE },
      { type: 'output_gone', ref: ref('late') },
    );
    unknown.gone('late');
    for (const each of [known, unknown]) {
      each.mined('ltc', DUE, { coin: 'LTC', currentDue: DUE });
      // Received 1, given back 0.99: at its rate, or at that of the price where no other was known.
      expect(missing(each)).toBe(0.99);
    }
  });

  it('does not refund a coin while refunds of another coin are covered by unconfirmed money only', () => {
    const order = new Order({ options: { BTC: option(DUE, 1), LTC: option(DUE, 1) } });
    order.mined('btc', DUE).mined('ltc', DUE, { coin: 'LTC' }).refund('r', DUE, 'LTC').accepted('r');
    // The rest is claimed, and waits for the merchant's approval; then a fork takes the LTC, whose refund stays.
    order.claim('l', DUE).gone('ltc');
    expect(remainingRefundable(order.state, 'BTC', { ownLink: 'l' }).atoms).toBe(0n);
    // The payer shows one that will never confirm.
    order.seen('never', DUE, { coin: 'LTC' });
    expect(remainingRefundable(order.state, 'BTC', { ownLink: 'l' }).atoms).toBe(0n);
    order.mined('again', DUE, { coin: 'LTC' });
    expect(remainingRefundable(order.state, 'BTC', { ownLink: 'l' }).atoms).toBe(DUE);
  });

  it('counts the money with a known rate as paid while the rate of the rest is unknown', () => {
    const order = new Order();
    order.mined('in time', 600_000n);
    order.now = 2_000_000;
    order.mined('late', 500_000n).refund('r', 500_000n);
    expect(missing(order)).toBe(0.4);
    order.priced('late', DUE);
    expect(order.state.refunds).toMatchObject([{ value: { numerator: 1n, denominator: 2n }, unpriced: 0n }]);
    expect(missing(order)).toBe(0.4);
  });

  it('does not count money of unknown rate as excess', () => {
    const order = new Order();
    order.mined('in time', DUE);
    order.now = 2_000_000;
    order.mined('late', DUE);
    expect(remainingRefundable(order.state, 'BTC').atoms).toBe(2n * DUE);
    expect(excessAtoms([remainingRefundable(order.state, 'BTC')], 'BTC')).toBe(0n);
  });

  it('retains money of unknown rate while refunds of another coin exceed the money that remains in it', () => {
    const order = new Order({ options: { BTC: option(DUE, 1), LTC: option(DUE, 1) } });
    order.mined('ltc', DUE, { coin: 'LTC' }).refund('r', DUE, 'LTC').accepted('r');
    order.gone('ltc');
    order.now = 2_000_000;
    order.mined('late', DUE);
    expect(remainingRefundable(order.state, 'BTC').atoms).toBe(0n);
    order.priced('late', DUE / 2n);
    // It came for twice the price, which half of it makes up for.
    expect(remainingRefundable(order.state, 'BTC').atoms).toBe(DUE / 2n);
  });

  it('retains money of unknown rate while refunds of the same coin exceed the money that remains in it', () => {
    const order = new Order();
    order.mined('a', DUE).refund('r', 500_000n).accepted('r').gone('a');
    order.now = 2_000_000;
    order.mined('late', DUE);
    expect(remainingRefundable(order.state, 'BTC').atoms).toBe(0n);
    // Half of its atoms went back.
    order.priced('late', DUE / 2n);
    expect(remainingRefundable(order.state, 'BTC').atoms).toBe(500_000n);
  });

  it('is underpaid when accepted money was dropped and the same amount arrives as new money', () => {
    const order = new Order();
    order.mined('a', 500_000n).tell({ type: 'resolve', action: 'accept' }).gone('a');
    order.mined('b', 500_000n);
    expect(order.state.status).toBe('underpaid');
  });

  it('is underpaid when the accepted money is dropped while other money exists', () => {
    const order = new Order();
    order.mined('a', 500_000n).tell({ type: 'resolve', action: 'accept' });
    order.mined('b', 500_000n - 1n).seen('c', 500_000n);
    order.gone('a').gone('b');
    expect(order.state.status).toBe('underpaid');
    expect(missing(order)).toBe(0.5);
  });

  it('completes again after a refund and a reorg only once new money covers the whole price', () => {
    const order = new Order();
    order.mined('a', DUE).refund('r', 400_000n).accepted('r');
    order.gone('a');
    expect(order.state.status).toBe('pending');
    order.mined('b', DUE - 1n);
    expect(order.state.status).toBe('underpaid');
    order.mined('c', 1n);
    expect(order.state.status).toBe('completed');
  });

  it('stays completed while an RBF replacement of its money is unconfirmed, and is reversed when that is dropped', () => {
    const order = new Order();
    order.mined('a', DUE);
    order.replaced('a', 'b', DUE);
    expect(order.state.status).toBe('completed');
    order.gone('b');
    expect(order.events).toEqual(['payment.completed', 'payment.reversed']);
  });

  it('keeps its open refund links when the payer bumps the fee (RBF) with the same amount', () => {
    const order = new Order();
    order.seen('a', 500_000n);
    const before = order.state;
    expect(endsUnclaimedRefundLinks(before, order.replaced('a', 'b', 500_000n).state)).toBe(false);
    expect(endsUnclaimedRefundLinks(before, order.replaced('b', 'c', 500_001n).state)).toBe(true);
  });

  it('does not complete by an acceptance whose money was replaced (RBF) and then dropped while other money exists', () => {
    const order = new Order();
    order.seen('a', 400_000n).tell({ type: 'resolve', action: 'accept' });
    order.mined('other', 500_000n).refund('r', 499_999n).accepted('r');
    order.replaced('a', 'b', 400_000n);
    expect(order.state.status).toBe('confirming');
    order.gone('b');
    expect(order.state.status).toBe('underpaid');
    expect(order.events).not.toContain('payment.completed');
    order.seen('b', 400_000n).mined('b', 400_000n);
    expect(order.state.status).toBe('completed');
  });

  it('can be accepted by the merchant after a partial refund, but not after a full refund', () => {
    const part = new Order();
    part.mined('half', 500_000n).refund('r', 499_999n);
    expect(acceptanceProblem(part.state)).toBeNull();
    const all = new Order();
    all.mined('half', 500_000n).refund('r', 500_000n);
    expect(acceptanceProblem(all.state)).toBe('nothing_left');
  });
});
