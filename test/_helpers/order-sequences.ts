/** Lives of an order on the payment machine: a payer, a shop, two chains and a clock, with books of their own. */
import type { Coin } from '../../src/domain/coins.ts';
import { assertNever } from '../../src/domain/errors.ts';
import {
  excessAtoms,
  remainingRefundable,
  refundValue,
  type RemainingRefundable,
} from '../../src/domain/payment/remaining-refundable.ts';
import { atomsToRequest } from '../../src/domain/payment/paid-share.ts';
import { nextPosition } from '../../src/domain/payment/credits.ts';
import {
  endsUnclaimedRefundLinks,
  isBought,
  isLimitedToExcess,
} from '../../src/domain/payment/link-terms.ts';
import { transitionAll } from '../../src/domain/payment/payment-machine.ts';
import { completedBy, missingShare } from '../../src/domain/payment/status.ts';
import type {
  CoinSums,
  PaymentEventType,
  PaymentFact,
  PaymentRefund,
  PaymentState,
  PaymentStatus,
  Share,
} from '../../src/domain/payment/types.ts';
import { freshPayment, option } from './payment-state.ts';

export const LIFE_COINS = ['BTC', 'LTC'] as const;
export type LifeCoin = (typeof LIFE_COINS)[number];

/** Payments that it superseded: one at half of its price, one in another currency. */
export const LIFE_MEMBERS = ['cheaper', 'foreign'] as const;
export type LifeMember = (typeof LIFE_MEMBERS)[number];

export interface LifeTerms {
  readonly dues: Readonly<Record<LifeCoin, bigint>>;
  readonly confirmations: number;
  /** From this part of the price, in percent, six confirmations are asked for. */
  readonly tierPercent: number;
  readonly toleranceBps: number;
  readonly latePolicy: 'accept' | 'review';
}

/** Numbers choose among what is there at the time: an output, a link, a part of the money. */
export type Step = PayerStep | Decision | GivingBack;

type PayerStep =
  | {
      readonly do: 'pay';
      readonly coin: LifeCoin;
      readonly percent: number;
      /** The superseded payment to whose address it comes. */
      readonly via?: LifeMember | undefined;
    }
  | { readonly do: 'pay asked'; readonly coin: LifeCoin }
  | {
      readonly do: 'mine';
      readonly coin: LifeCoin;
      readonly blocks: number;
      /** The only one that the first block holds; all of them where it is not given. */
      readonly which?: number | undefined;
    }
  | { readonly do: 'double-spend'; readonly which: number }
  | { readonly do: 'bring back'; readonly which: number }
  | { readonly do: 'bump'; readonly which: number }
  | { readonly do: 'reorg'; readonly coin: LifeCoin; readonly depth: number; readonly isMoved: boolean };

type Decision =
  | { readonly do: 'clock'; readonly ms: number }
  /** Whether rates are known for what comes now. */
  | { readonly do: 'rates'; readonly areKnown: boolean }
  /** The rate of money that came without one: this part of the price that it was asked for. */
  | { readonly do: 'quote'; readonly which: number; readonly percent: number }
  | { readonly do: 'close' }
  /** Money has stayed unconfirmed for as long as it may. */
  | { readonly do: 'waited'; readonly coin: LifeCoin; readonly via?: LifeMember | undefined }
  | { readonly do: 'cancel' }
  | { readonly do: 'resolve'; readonly action: 'accept' | 'refunded' };

type GivingBack =
  | { readonly do: 'refund'; readonly coin: LifeCoin; readonly percent: number; readonly rate: number }
  | { readonly do: 'node takes' | 'send fails' | 'failed send is mined'; readonly which: number }
  | {
      readonly do: 'open link';
      readonly coin: LifeCoin;
      readonly percent: number;
      readonly isExcess: boolean;
    }
  | { readonly do: 'claim' | 'send claim' | 'cancel claim' | 'drop claim'; readonly which: number };

export interface LifeLink {
  readonly id: string;
  readonly coin: LifeCoin;
  readonly atoms: bigint;
  readonly isExcess: boolean;
  readonly openedComplete: boolean;
  state: 'open' | 'claimed' | 'sent' | 'ended';
}

interface Output {
  readonly coin: LifeCoin;
  readonly txid: string;
  readonly amount: bigint;
  readonly via: LifeMember | undefined;
  height: number | null;
  isGone: boolean;
}

const HOUR = 3_600_000;

/** Both ended before the order began: what comes to them has the rate of its arrival. */
function membersAt({ dues, confirmations }: LifeTerms): PaymentState['members'] {
  const member = { expiresAt: -HOUR, cancelledAt: -HOUR };
  const options = {
    BTC: option((dues.BTC * 3n) / 5n, confirmations),
    LTC: option((dues.LTC * 2n) / 5n, confirmations),
  };
  return {
    cheaper: { ...member, options, priceShare: shareOf(1n, 2n) },
    foreign: { ...member, options, priceShare: null },
  };
}

export class OrderLife {
  payment: PaymentState;
  readonly terms: LifeTerms;
  readonly outputs: Output[] = [];
  readonly links: LifeLink[] = [];
  readonly events: PaymentEventType[] = [];
  readonly reached = new Set<PaymentStatus>();
  refunds: PaymentRefund[] = [];
  now = 0;
  /** Outputs that the merchant accepted, and those that were there when he recorded a return elsewhere. */
  accepted: ReadonlySet<string> = new Set();
  returned: ReadonlySet<string> = new Set();
  /** Whether nothing was given back at more than it came for, and no refund or claim was undone. */
  hasPlainRefunds = true;
  #ratesAreKnown = true;
  #serial = 0;
  readonly #tips: Record<LifeCoin, number> = { BTC: 100, LTC: 100 };

  constructor(terms: LifeTerms) {
    this.terms = terms;
    const offered = (coin: LifeCoin) =>
      option(terms.dues[coin], terms.confirmations, [
        { fromAtoms: (terms.dues[coin] * BigInt(terms.tierPercent)) / 100n + 1n, confirmations: 6 },
      ]);
    this.payment = freshPayment(
      { BTC: offered('BTC'), LTC: offered('LTC') },
      {
        toleranceBps: terms.toleranceBps,
        latePolicy: terms.latePolicy,
        expiresAt: HOUR,
        members: membersAt(terms),
      },
    );
    this.reached.add(this.payment.status);
  }

  /** What the checkout asks for in a coin. */
  asked(coin: LifeCoin): bigint {
    const { toleranceBps } = this.terms;
    const due = this.terms.dues[coin];
    return atomsToRequest(missingShare(this.payment), { due, coinDecimals: 8, toleranceBps });
  }

  /** Plays one step; false where there is nothing for it. */
  play(step: Step): boolean {
    switch (step.do) {
      case 'pay':
        return this.pay(step.coin, (this.terms.dues[step.coin] * BigInt(step.percent)) / 100n, step.via);
      case 'pay asked':
        return this.pay(step.coin, this.asked(step.coin));
      case 'mine':
        return this.mine(step.coin, step.blocks, step.which);
      case 'double-spend':
        return this.#doubleSpend(pick(this.outputs.filter(isOpen), step.which));
      case 'bring back':
        return this.#bringBack(
          pick(
            this.outputs.filter(({ isGone }) => isGone),
            step.which,
          ),
        );
      case 'bump':
        return this.#bump(pick(this.outputs.filter(isOpen), step.which));
      case 'reorg':
        return this.reorg(step.coin, step.depth, step.isMoved);
      case 'clock':
      case 'rates':
      case 'quote':
      case 'close':
      case 'waited':
      case 'cancel':
      case 'resolve':
        return this.#decide(step);
      case 'refund':
      case 'node takes':
      case 'send fails':
      case 'failed send is mined':
      case 'open link':
      case 'claim':
      case 'send claim':
      case 'cancel claim':
      case 'drop claim':
        return this.#giveBack(step);
      default:
        return assertNever(step);
    }
  }

  /** What the clock and the merchant decide. */
  #decide(step: Decision): boolean {
    switch (step.do) {
      case 'clock':
        this.now += step.ms;
        return true;
      case 'rates':
        this.#ratesAreKnown = step.areKnown;
        return true;
      case 'quote':
        return this.#quote(step.which, step.percent);
      case 'resolve':
        return this.#resolve(step.action);
      case 'close':
        return this.#tell([{ type: 'time_passed' }]);
      case 'waited':
        return this.#waited(step);
      case 'cancel':
        return this.#tell([{ type: 'cancel' }]);
      default:
        return assertNever(step);
    }
  }

  #giveBack(step: GivingBack): boolean {
    switch (step.do) {
      case 'refund':
        return this.#refund(step.coin, step.percent, step.rate);
      case 'node takes':
        return this.#move(this.#refundIn(['signed'], step.which), 'accepted');
      case 'send fails':
        return this.#fail(this.#refundIn(['signed', 'accepted'], step.which));
      case 'failed send is mined':
        return this.#revive(this.#refundIn(['failed'], step.which));
      case 'open link':
        return this.#openLink(step.coin, step.percent, step.isExcess);
      case 'claim':
        return this.#claim(this.#linkIn('open', step.which));
      case 'send claim':
        return this.#sendClaim(this.#linkIn('claimed', step.which));
      case 'cancel claim':
        return this.#unclaim(this.#linkIn('claimed', step.which), 'ended');
      case 'drop claim':
        return this.#unclaim(this.#linkIn('claimed', step.which), 'open');
      default:
        return assertNever(step);
    }
  }

  #refundIn(stages: readonly PaymentRefund['stage'][], which: number): PaymentRefund | undefined {
    return pick(
      this.refunds.filter(({ stage }) => stages.includes(stage)),
      which,
    );
  }

  #linkIn(state: LifeLink['state'], which: number): LifeLink | undefined {
    return pick(
      this.links.filter((link) => link.state === state),
      which,
    );
  }

  pay(coin: LifeCoin, amount: bigint, via?: LifeMember): boolean {
    if (amount <= 0n) return false;
    this.#serial += 1;
    const output = { coin, txid: `t${this.#serial}`, amount, via, height: null, isGone: false };
    this.outputs.push(output);
    return this.#tell([this.#seen(output)]);
  }

  mine(coin: LifeCoin, blocks: number, which?: number): boolean {
    const height = this.#tips[coin] + 1;
    const open = this.outputs.filter((output) => output.coin === coin && isOpen(output));
    const waiting = which === undefined ? open : open.slice(which % Math.max(1, open.length)).slice(0, 1);
    for (const output of waiting) output.height = height;
    this.#tips[coin] += blocks;
    const mined = waiting.map((output): PaymentFact => ({
      ...this.#seen(output),
      type: 'output_confirmed',
      height,
    }));
    // Blocks are read one by one, and the tip moves with the last.
    return this.#tell([...mined, { type: 'tip', coin, height: this.#tips[coin] }]);
  }

  reorg(coin: LifeCoin, depth: number, isMoved: boolean): boolean {
    const from = this.#tips[coin] - depth;
    const hit = this.outputs.filter((output) => output.coin === coin && (output.height ?? 0) > from);
    this.#tips[coin] = from;
    for (const output of hit) output.height = null;
    const back = hit.map(({ txid }): PaymentFact => ({ type: 'output_unconfirmed', ref: ref(txid) }));
    this.#tell([...back, { type: 'tip', coin, height: from }]);
    if (!isMoved) for (const output of hit) this.#doubleSpend(output);
    return hit.length > 0;
  }

  /** What links could give back now, in the coin of each. */
  claimable(link: LifeLink): bigint {
    const terms = { mayWait: true };
    const left = remainingRefundable(this.payment, link.coin, terms);
    const preset = link.isExcess ? ('excess' as const) : null;
    if (!isLimitedToExcess(this.payment, { preset, openedComplete: link.openedComplete })) return left.atoms;
    if (this.payment.refundedAt !== null) return left.atoms;
    return excessAtoms(this.#held(terms), link.coin);
  }

  #held(terms: { readonly mayWait: boolean }): RemainingRefundable[] {
    return LIFE_COINS.map((coin) => remainingRefundable(this.payment, coin, terms)).filter(
      ({ atoms }) => atoms > 0n,
    );
  }

  #waited({ coin, via }: Extract<Decision, { do: 'waited' }>): boolean {
    const currentDue = this.#dueNow(coin);
    return this.#tell([{ type: 'grace_expired', coin, currentDue, ...(via === undefined ? {} : { via }) }]);
  }

  #dueNow(coin: LifeCoin): bigint | null {
    return this.#ratesAreKnown ? (this.terms.dues[coin] * 3n) / 4n + 1n : null;
  }

  #seen({ coin, txid, amount, via }: Output) {
    const currentDue = this.#dueNow(coin);
    return {
      type: 'output_seen',
      coin,
      ref: ref(txid),
      amount,
      maturity: 1,
      seenAt: this.now,
      currentDue,
      ...(via === undefined ? {} : { via }),
    } as const;
  }

  #doubleSpend(output: Output | undefined): boolean {
    if (output === undefined) return false;
    output.isGone = true;
    return this.#tell([{ type: 'output_gone', ref: ref(output.txid) }]);
  }

  /** The payer replaces a transaction by one that pays the same. */
  #bump(output: Output | undefined): boolean {
    if (output === undefined) return false;
    this.#serial += 1;
    const next = { ...output, txid: `t${this.#serial}` };
    this.outputs.push(next);
    output.isGone = true;
    const wasAccepted = new LifeBooks(this).isAccepted('live', [output.txid]);
    this.#tell([this.#seen(next), { type: 'output_gone', ref: ref(output.txid) }]);
    // What replaces accepted money is accepted, and no other money.
    if (wasAccepted && !new LifeBooks(this).isAccepted('live'))
      this.accepted = new Set([...this.accepted, next.txid]);
    return true;
  }

  #there(): Set<string> {
    return new Set(this.outputs.filter(({ isGone }) => !isGone).map(({ txid }) => txid));
  }

  #quote(which: number, percent: number): boolean {
    const credit = pick(
      this.payment.credits.filter(({ late, due, state }) => late && due === null && state !== 'gone'),
      which,
    );
    if (credit === undefined) return false;
    const due = (this.terms.dues[credit.coin as LifeCoin] * BigInt(percent)) / 100n + 1n;
    this.#tell([{ type: 'late_quoted', ref: credit.ref, due }]);
    this.refunds = [...this.payment.refunds];
    return true;
  }

  #bringBack(output: Output | undefined): boolean {
    if (output === undefined) return false;
    output.isGone = false;
    return this.#tell([this.#seen(output)]);
  }

  #resolve(action: 'accept' | 'refunded'): boolean {
    const events = this.events.length;
    const { acceptedPosition } = this.payment;
    this.#tell([{ type: 'resolve', action }]);
    if (this.payment.acceptedPosition !== acceptedPosition) this.accepted = this.#there();
    if (this.payment.refundedBy !== 'merchant' || this.events.length === events) return true;
    if (this.returned.size === 0) this.returned = this.#there();
    for (const link of this.links)
      if (link.state === 'open' || link.state === 'claimed') link.state = 'ended';
    return this.#set(this.refunds.filter(({ stage }) => stage !== 'promised'));
  }

  #refund(coin: LifeCoin, percent: number, rate: number): boolean {
    const left = remainingRefundable(this.payment, coin);
    const atoms = (left.atoms * BigInt(percent)) / 100n;
    if (atoms <= 0n) return false;
    // At the rate of now, coins are given back at another value than that of their arrival.
    const given = shareOf(atoms * BigInt(rate), this.terms.dues[coin] * 100n);
    const at = rate === 100 ? null : { given, unit: shareOf(1n, 10_000n) };
    if (rate > 75) this.hasPlainRefunds &&= rate === 100;
    this.#serial += 1;
    const made: PaymentRefund = {
      id: `s${this.#serial}`,
      coin,
      amount: atoms,
      stage: 'signed',
      ...refundValue(left, atoms, at),
      completedBy: completedBy(this.payment),
      position: nextPosition(this.payment),
    };
    return this.#set([...this.refunds, made]);
  }

  #openLink(coin: LifeCoin, percent: number, isExcess: boolean): boolean {
    const terms = { mayWait: true };
    const all = isExcess
      ? excessAtoms(this.#held(terms), coin)
      : remainingRefundable(this.payment, coin, terms).atoms;
    const atoms = (all * BigInt(percent)) / 100n;
    if (atoms <= 0n) return false;
    this.#serial += 1;
    const openedComplete = isBought(this.payment);
    this.links.push({ id: `l${this.#serial}`, coin, atoms, isExcess, openedComplete, state: 'open' });
    return true;
  }

  #claim(link: LifeLink | undefined): boolean {
    if (link === undefined || this.claimable(link) < link.atoms) return false;
    link.state = 'claimed';
    const { id, coin, atoms } = link;
    const given = refundValue(remainingRefundable(this.payment, coin, { mayWait: true }), atoms, null);
    const by = completedBy(this.payment);
    const claim = {
      id,
      coin,
      amount: atoms,
      stage: 'promised',
      ...given,
      completedBy: by,
      position: null,
    } as const;
    return this.#set([...this.refunds, claim]);
  }

  #sendClaim(link: LifeLink | undefined): boolean {
    if (link === undefined) return false;
    const left = remainingRefundable(this.payment, link.coin, { ownLink: link.id });
    if (left.atoms < link.atoms) return false;
    link.state = 'sent';
    const position = nextPosition(this.payment);
    const given = refundValue(left, link.atoms, null);
    return this.#set(
      this.refunds.map((refund) =>
        refund.id === link.id && refund.stage === 'promised'
          ? { ...refund, ...given, stage: 'signed', position }
          : refund,
      ),
    );
  }

  #unclaim(link: LifeLink | undefined, state: 'open' | 'ended'): boolean {
    if (link === undefined) return false;
    this.hasPlainRefunds = false;
    link.state = state;
    return this.#set(this.refunds.filter(({ id, stage }) => id !== link.id || stage !== 'promised'));
  }

  #fail(refund: PaymentRefund | undefined): boolean {
    if (refund === undefined) return false;
    this.hasPlainRefunds = false;
    const link = this.links.find(({ id, state }) => id === refund.id && state === 'sent');
    this.#serial += 1;
    // The link is open again, and its next claim is another refund.
    if (link !== undefined) {
      link.state = 'ended';
      this.links.push({ ...link, id: `l${this.#serial}`, state: 'open' });
    }
    return this.#move(refund, 'failed');
  }

  /** A block pays it after all; where another refund of its coin was made since, only one of the two can be paid. */
  #revive(refund: PaymentRefund | undefined): boolean {
    if (refund === undefined) return false;
    const since = this.refunds.slice(this.refunds.indexOf(refund) + 1);
    const isRivalled = since.some(({ coin, stage }) => coin === refund.coin && stage !== 'failed');
    return !isRivalled && this.#move(refund, 'accepted');
  }

  #move(refund: PaymentRefund | undefined, stage: 'accepted' | 'failed'): boolean {
    if (refund === undefined) return false;
    return this.#set(this.refunds.map((each) => (each === refund ? { ...each, stage } : each)));
  }

  #set(refunds: readonly PaymentRefund[]): boolean {
    this.refunds = [...refunds];
    return this.#tell([{ type: 'refunds_changed', refunds: this.refunds }]);
  }

  #tell(facts: readonly PaymentFact[]): boolean {
    const before = this.payment;
    const { payment, events } = transitionAll(before, facts, this.now);
    this.payment = payment;
    this.events.push(...events);
    this.reached.add(payment.status);
    if (endsUnclaimedRefundLinks(before, payment)) {
      for (const link of this.links) if (link.state === 'open') link.state = 'ended';
    }
    return true;
  }
}

/** The books of the test: what outputs and refunds come to, without the code that is tested. */
export class LifeBooks {
  readonly #life: OrderLife;

  constructor(life: OrderLife) {
    this.#life = life;
  }

  /** Atoms of a coin in outputs that are there: all, in blocks, or as deep as the tier of all that is there asks for. */
  atoms(coin: Coin, which: 'live' | 'mined' | 'settled'): bigint {
    return this.#outputs(which)
      .filter((output) => output.coin === coin)
      .reduce((sum, { amount }) => sum + amount, 0n);
  }

  sums(which: 'live' | 'settled'): CoinSums {
    return { BTC: this.atoms('BTC', which), LTC: this.atoms('LTC', which) };
  }

  /** Received less what refunds and claims gave back, in parts of the price. */
  left(which: 'live' | 'settled', counts: (refund: PaymentRefund) => boolean = () => true): Share {
    let sum = this.#valueOf(this.#outputs(which));
    for (const refund of this.#life.refunds) {
      if (refund.stage === 'failed' || !counts(refund)) continue;
      sum = plus(sum, { ...refund.value, numerator: -refund.value.numerator });
    }
    return sum;
  }

  /** Whether the accepted money is there. @param besides gone ones that count as there */
  isAccepted(which: 'live' | 'settled', besides: readonly string[] = []): boolean {
    const { accepted, acceptedAt } = this.#life.payment;
    if (acceptedAt === null) return false;
    const outputs = [
      ...this.#outputs(which),
      ...this.#life.outputs.filter(({ txid }) => besides.includes(txid)),
    ];
    const there = outputs.filter(({ txid }) => this.#life.accepted.has(txid));
    return there.length > 0 && LIFE_COINS.every((coin) => atomsIn(there, coin) >= (accepted[coin] ?? 0n));
  }

  /** Whether the atoms of unknown rate that went back are those of money that is there. */
  isBacked(): boolean {
    return LIFE_COINS.every((coin) => {
      const given = this.#life.refunds.filter(
        (refund) => refund.coin === coin && refund.stage !== 'failed' && refund.unpriced > 0n,
      );
      const first = given.reduce((least, { position }) => Math.min(least, position ?? Infinity), Infinity);
      const open = this.#life.payment.credits.filter(
        ({ coin: of, state, due, position }) =>
          of === coin && state !== 'gone' && due === null && position <= first,
      );
      const sum = given.reduce((total, { unpriced }) => total + unpriced, 0n);
      return sum <= open.reduce((total, { amount }) => total + amount, 0n);
    });
  }

  /**
   * What is there of all coins less what went back, in parts of the price: of one coin what is in blocks, of the others what
   * is settled. Claims take no more than what is there of their coin. What a coin gave back beyond its value is not
   * known to be too much while money of unknown rate is there: a claim made for money that is gone since is paid of it.
   */
  spare(own: LifeCoin, others: 'mined' | 'settled'): Share {
    let sum = shareOf(0n, 1n);
    for (const coin of LIFE_COINS) {
      const of = this.#outputs(coin === own ? 'mined' : others).filter((output) => output.coin === coin);
      let kept = this.#valueOf(of);
      let free = kept;
      for (const { stage, coin: in_, value } of this.#life.refunds) {
        if (in_ !== coin || stage === 'failed') continue;
        const less = { ...value, numerator: -value.numerator };
        free = plus(free, less);
        if (stage !== 'promised') kept = plus(kept, less);
      }
      const least = kept.numerator > 0n || this.#hasUnpriced(coin, of) ? shareOf(0n, 1n) : kept;
      sum = plus(sum, free.numerator > 0n ? free : least);
    }
    return sum;
  }

  /** Whether outputs of a coin without a rate have more atoms than refunds took of such. */
  #hasUnpriced(coin: LifeCoin, outputs: readonly Output[]): boolean {
    const rated = new Set(
      this.#life.payment.credits.filter(({ due }) => due !== null).map(({ ref: own }) => own.txid),
    );
    const there = outputs.filter(({ txid }) => !rated.has(txid));
    const taken = this.#life.refunds
      .filter((refund) => refund.coin === coin && refund.stage !== 'failed')
      .reduce((sum, { unpriced }) => sum + unpriced, 0n);
    return atomsIn(there, coin) > taken;
  }

  /** Atoms in blocks of money that was not there when a return elsewhere was recorded, less what only replaces that. */
  notReturned(coin: LifeCoin): bigint {
    const { returned, payment } = this.#life;
    const since = this.#outputs('mined').filter(({ txid }) => !returned.has(txid));
    const then = this.#outputs('live').filter(({ txid }) => returned.has(txid));
    const replaced = (payment.returned[coin] ?? 0n) - atomsIn(then, coin);
    return atomsIn(since, coin) - (replaced > 0n ? replaced : 0n);
  }

  /** Atoms of a coin that nodes took of refunds. */
  taken(coin: LifeCoin): bigint {
    return this.#life.refunds
      .filter((refund) => refund.coin === coin && refund.stage === 'accepted')
      .reduce((sum, { amount }) => sum + amount, 0n);
  }

  #valueOf(outputs: readonly Output[]): Share {
    const { credits } = this.#life.payment;
    let sum = shareOf(0n, 1n);
    for (const { txid, amount } of outputs) {
      const { due = null, dueShare = shareOf(1n, 1n) } =
        credits.find(({ ref: own }) => own.txid === txid) ?? {};
      if (due !== null) sum = plus(sum, shareOf(amount * dueShare.numerator, due * dueShare.denominator));
    }
    return sum;
  }

  #dueOf(coin: Coin): bigint {
    return coin === 'BTC' || coin === 'LTC' ? this.#life.terms.dues[coin] : 0n;
  }

  #outputs(which: 'live' | 'mined' | 'settled'): Output[] {
    const there = this.#life.outputs.filter(({ isGone }) => !isGone);
    if (which === 'live') return there;
    const mined = there.filter(({ height }) => height !== null);
    if (which === 'mined') return mined;
    return mined.filter(({ coin, height }) => {
      const held = (this.#life.payment.tips[coin] ?? 0) - (height ?? 0) + 1;
      return held >= this.required(coin, this.atoms(coin, 'live'));
    });
  }

  /** Atoms of a coin that are as deep as the tier of an amount asks for. */
  deep(coin: Coin, amount: bigint): bigint {
    const tip = this.#life.payment.tips[coin] ?? 0;
    return this.#outputs('mined')
      .filter(
        (output) => output.coin === coin && tip - (output.height ?? 0) + 1 >= this.required(coin, amount),
      )
      .reduce((sum, output) => sum + output.amount, 0n);
  }

  /** Confirmations for an amount. */
  required(coin: Coin, atoms: bigint): number {
    const { tierPercent, confirmations } = this.#life.terms;
    return atoms > (this.#dueOf(coin) * BigInt(tierPercent)) / 100n
      ? Math.max(6, confirmations)
      : confirmations;
  }
}

function shareOf(numerator: bigint, denominator: bigint): Share {
  return { numerator, denominator };
}

/** Whether a share reaches the price less a tolerance. */
export function reachesPrice({ numerator, denominator }: Share, toleranceBps: number): boolean {
  return numerator * 10_000n >= denominator * BigInt(10_000 - toleranceBps);
}

function plus(a: Share, b: Share): Share {
  return shareOf(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

function atomsIn(outputs: readonly Output[], coin: LifeCoin): bigint {
  return outputs.filter((output) => output.coin === coin).reduce((sum, { amount }) => sum + amount, 0n);
}

function ref(txid: string) {
  return { txid, index: 0 };
}

function isOpen({ height, isGone }: Output): boolean {
  return height === null && !isGone;
}

function pick<T>(all: readonly T[], which: number): T | undefined {
  return all[which % Math.max(1, all.length)];
}
