import { COINS, type Coin } from '../coins.ts';
import { depthOf, requirementFor } from '../confirmations.ts';
import { isAccepted } from './acceptance.ts';
import { coverageOf, type Coverage } from './coverage.ts';
import { liveCredits, reaches, sumsOf } from './credits.ts';
import { deepMoney, settledCredits, type DeepMoney } from './depth.ts';
import { addShares, isMore, leastShare, NO_SHARE, reduceShare, subtractShares } from './share.ts';
import type { CoinSums, PaymentCredit, PaymentRefund, PaymentState, Share } from './types.ts';

/**
 * The money of an order in exact shares of its price. Whatever is paid, asked for, given back or shown derives from it:
 * nothing else adds up credits and refunds.
 */
export interface Balance {
  /** Money that is there, at the rates that apply to it: the locked one, or that of its arrival for late money. */
  readonly received: Coverage;
  /** Received and not given back. Negative where a chain took money that was given back before. */
  readonly kept: Share;
  /** Claimed, and not signed yet. */
  readonly promised: Share;
  /** kept - promised. */
  readonly left: Share;
  /**
   * What counts towards the price: without late money that the merchant is to decide on, which refunds use up first,
   * and without subtracting what was given back once the order was complete.
   */
  readonly counted: Share;
  /** As `counted`, of the money that came in time alone. */
  readonly countedOnTime: Share;
}

/** Adds up the balance over some of a payment's live credits: all of them, unless only those that are settled count. */
export function balanceOf(
  payment: PaymentState,
  credits: readonly PaymentCredit[] = liveCredits(payment),
): Balance {
  const received = coverageOf(credits);
  const onTime = coverageOf(credits.filter(({ late }) => !late));
  const takesLate = payment.latePolicy === 'accept' || isAccepted(payment);
  const { returned, promised, owedAgain } = givenBack(payment, sumsOf(credits));
  const kept = subtractShares(keptElsewhere(payment, credits, received), returned);
  const rest = subtractShares(received, owedAgain);
  return {
    received,
    kept,
    promised,
    left: subtractShares(kept, promised),
    counted: leastShare(takesLate ? received : onTime, rest),
    countedOnTime: leastShare(onTime, rest),
  };
}

interface GivenBack {
  readonly returned: Share;
  readonly promised: Share;
  /** Of both, what the payer owes again. */
  readonly owedAgain: Share;
}

function givenBack(payment: PaymentState, held: CoinSums): GivenBack {
  let [returned, promised, owedAgain] = [NO_SHARE, NO_SHARE, NO_SHARE];
  for (const refund of payment.refunds) {
    if (refund.stage === 'failed' || isBeforeReturn(payment, refund.position)) continue;
    const value = valueOf(payment, refund);
    if (refund.stage === 'promised') promised = addShares(promised, value);
    else returned = addShares(returned, value);
    const isWord = refund.completedBy !== null && reaches(held, refund.completedBy);
    if (!isWord) owedAgain = addShares(owedAgain, value);
  }
  return { returned, promised, owedAgain };
}

/** The received money without that which the merchant recorded as given back elsewhere. */
function keptElsewhere(payment: PaymentState, credits: readonly PaymentCredit[], received: Share): Share {
  if (payment.refundedBy !== 'merchant') return received;
  const coins = new Set(credits.map(({ coin }) => coin));
  return [...coins].reduce((sum, coin) => {
    const own = credits.filter((credit) => credit.coin === coin && !isBeforeReturn(payment, credit.position));
    const replaced = shareOfAtoms(own, replacedSince(payment, coin));
    return addShares(sum, subtractShares(coverageOf(own), replaced));
  }, NO_SHARE);
}

/** Whether something became known before the merchant recorded the money as given back elsewhere. */
export function isBeforeReturn(
  { refundedBy, refundedPosition }: Pick<PaymentState, 'refundedBy' | 'refundedPosition'>,
  position: number | null,
): boolean {
  return (
    refundedBy === 'merchant' &&
    refundedPosition !== null &&
    position !== null &&
    position <= refundedPosition
  );
}

/** Atoms that were recorded as given back elsewhere and are gone since: as much of what came later only replaces them. */
function replacedSince(payment: PaymentState, coin: Coin): bigint {
  if (payment.refundedBy !== 'merchant') return 0n;
  const kept = liveCredits(payment).filter(
    (credit) => credit.coin === coin && isBeforeReturn(payment, credit.position),
  );
  const gone = (payment.returned[coin] ?? 0n) - atomsOf(kept);
  return gone > 0n ? gone : 0n;
}

/** What a refund gave back; at the present mean of its coin where the rate at receipt was not known. */
function valueOf(payment: PaymentState, { value, coin, amount }: PaymentRefund): Share {
  return (
    value ??
    shareOfAtoms(
      liveCredits(payment).filter((credit) => credit.coin === coin),
      amount,
    )
  );
}

/** What some atoms of these credits came for, at their mean. */
function shareOfAtoms(credits: readonly PaymentCredit[], atoms: bigint): Share {
  const priced = credits.filter(({ due }) => due !== null);
  const all = atomsOf(priced);
  if (all === 0n) return NO_SHARE;
  const { numerator, denominator } = coverageOf(priced);
  return { numerator: numerator * atoms, denominator: denominator * all };
}

/** Money of one coin that may still be given back. */
export interface CoinLeft {
  readonly coin: Coin;
  /** Not positive when there is none. */
  readonly atoms: bigint;
  /** What so many atoms of it came for; null while that is not known. */
  readonly worth: { readonly atoms: bigint; readonly share: Share } | null;
  /**
   * The value that may be given back with it: less than it came for where a chain took money of another coin that was
   * given back before.
   */
  readonly most: Share;
}

/** Which money of a coin may be given back. */
export interface LeftTerms {
  /** Whose claim does not count: the one that is to be paid. */
  readonly ownLink?: string | null;
  /** Counts what is in a block and not deep enough yet: what is claimed of it waits for that. */
  readonly mayWait?: boolean;
}

/** What may still be given back of a coin: what was received, less what refunds and claims took, in atoms and in value. */
export function leftIn(
  payment: PaymentState,
  coin: Coin,
  { ownLink = null, mayWait = false }: LeftTerms = {},
): CoinLeft {
  const money = refundableMoney(payment, coin, mayWait);
  const { credits } = money;
  const taken = payment.refunds.filter(
    (refund) =>
      refund.coin === coin &&
      refund.stage !== 'failed' &&
      !(refund.stage === 'promised' && refund.id === ownLink) &&
      !isBeforeReturn(payment, refund.position),
  );
  const replaced = replacedSince(payment, coin);
  const takenAtoms = taken.reduce((sum, { amount }) => sum + amount, replaced);
  const takenShare = taken.reduce(
    (sum, refund) => addShares(sum, valueOf(payment, refund)),
    shareOfAtoms(credits, replaced),
  );
  const priced = credits.filter(({ due }) => due !== null);
  const share = subtractShares(coverageOf(priced), takenShare);
  const pricedAtoms = atomsOf(priced) - takenAtoms;
  const atoms = leastOf(atomsOf(credits), money.most) - takenAtoms;
  const missing = missingElsewhere(payment, coin, mayWait);
  const unpriced = missing.numerator < 0n ? 0n : atomsOf(credits) - atomsOf(priced);
  // All that is priced went back in atoms, or in value by refunds at a higher price than that of the arrival.
  if (pricedAtoms <= 0n || share.numerator <= 0n)
    return { coin, atoms: leastOf(atoms, unpriced), worth: null, most: NO_SHARE };
  const worth = { atoms: pricedAtoms, share };
  const most = addShares(share, missing);
  const capped = missing.numerator < 0n ? atomsOfShare(most, worth) : atoms;
  return { coin, atoms: leastOf(atoms, capped), worth, most };
}

/**
 * What a chain took of the other coins after it was given back, as a negative share: so much less of this coin may leave.
 * Money of the others counts once it is settled, or in a block for a claim that may wait. Their claims take only what is
 * there of them.
 */
function missingElsewhere(payment: PaymentState, coin: Coin, mayWait: boolean): Share {
  const refunds = payment.refunds.filter(
    (refund) =>
      refund.coin !== coin && refund.stage !== 'failed' && !isBeforeReturn(payment, refund.position),
  );
  if (refunds.every(({ stage }) => stage === 'promised')) return NO_SHARE;
  const mined = mayWait
    ? liveCredits(payment).filter(({ state }) => state === 'confirmed')
    : settledCredits(payment);
  const left = COINS.filter((other) => other !== coin).reduce((sum, other) => {
    const credits = mined.filter(
      (credit) => credit.coin === other && !isBeforeReturn(payment, credit.position),
    );
    const replaced = shareOfAtoms(credits, replacedSince(payment, other));
    const [promised, returned] = [true, false].map((isPromised) =>
      refunds
        .filter((refund) => refund.coin === other && (refund.stage === 'promised') === isPromised)
        .reduce((total, refund) => addShares(total, valueOf(payment, refund)), NO_SHARE),
    ) as [Share, Share];
    const kept = subtractShares(subtractShares(coverageOf(credits), replaced), returned);
    const free = subtractShares(kept, promised);
    return addShares(sum, isMore(free, NO_SHARE) ? free : leastShare(kept, NO_SHARE));
  }, NO_SHARE);
  return leastShare(left, NO_SHARE);
}

/** Whole atoms for a share of the price, at what others came for. */
function atomsOfShare(
  { numerator, denominator }: Share,
  { atoms, share }: NonNullable<CoinLeft['worth']>,
): bigint {
  return numerator <= 0n ? 0n : (atoms * numerator * share.denominator) / (denominator * share.numerator);
}

/** Confirmations that money of a coin must have before all that was and is to be given back of it leaves. */
export function depthToLeave(payment: PaymentState, coin: Coin): number {
  const policy = payment.options[coin]?.policy;
  const leaving = payment.refunds.filter(
    (refund) =>
      refund.coin === coin && refund.stage !== 'failed' && !isBeforeReturn(payment, refund.position),
  );
  return policy === undefined ? 1 : depthOf(requirementFor(policy, sumsOf(leaving)[coin] ?? 0n));
}

/** Atoms of a coin that a payment has received and that are deep enough to leave, whatever went back since. */
export function refundableAtoms(payment: PaymentState, coin: Coin): bigint {
  const { credits, most } = refundableMoney(payment, coin, false);
  return leastOf(atomsOf(credits) - replacedSince(payment, coin), most);
}

/** What was recorded as given back elsewhere is none. */
function refundableMoney(payment: PaymentState, coin: Coin, mayWait: boolean): DeepMoney {
  const credits = payment.credits.filter(
    (credit) =>
      credit.coin === coin && credit.state === 'confirmed' && !isBeforeReturn(payment, credit.position),
  );
  return mayWait ? { credits, most: null } : deepMoney(payment, coin, credits);
}

function leastOf(atoms: bigint, most: bigint | null): bigint {
  return most !== null && most < atoms ? most : atoms;
}

/**
 * What a refund of some atoms gives back of the price: what they came for, or what they are given back at if that is
 * more; never more than is left of the coin. Null while it is not known what they came for.
 * @param at for a refund at the current rate, in shares of the price: the value that it is ordered at, and the smallest unit of
 *   the currency. A rest of less than that is given back with it.
 */
export function valueGiven(
  { atoms: left, worth, most }: CoinLeft,
  atoms: bigint,
  at: { readonly given: Share; readonly unit: Share } | null,
): Share | null {
  if (worth === null) return null;
  const { share, atoms: all } = worth;
  const arrival = { numerator: share.numerator * atoms, denominator: share.denominator * all };
  if (atoms >= left || at === null || !isMore(at.given, arrival))
    return reduceShare(leastShare(most, arrival));
  const isAll = !isMore(subtractShares(most, at.given), at.unit);
  return reduceShare(isAll ? most : at.given);
}

/**
 * Whole atoms of a coin for what is left beyond the price, at most what is left of that coin.
 * @param held all coins of which something is left
 */
export function excessAtoms(held: readonly CoinLeft[], coin: Coin): bigint {
  let excess: Share = { numerator: -1n, denominator: 1n };
  for (const { atoms, worth } of held) {
    if (worth === null) continue;
    const { numerator, denominator } = worth.share;
    excess = addShares(excess, { numerator: numerator * atoms, denominator: denominator * worth.atoms });
  }
  const own = held.find((money) => money.coin === coin);
  if (own === undefined || own.worth === null || excess.numerator <= 0n) return 0n;
  const { share, atoms: pricedAtoms } = own.worth;
  const atoms = (excess.numerator * share.denominator * pricedAtoms) / (excess.denominator * share.numerator);
  return atoms < own.atoms ? atoms : own.atoms;
}

/** True when what nodes took reaches these credits: in atoms of every coin, or in value. */
export function isGivenBack(payment: PaymentState, credits: readonly PaymentCredit[]): boolean {
  if (credits.length === 0) return false;
  const taken = payment.refunds.filter(({ stage }) => stage === 'accepted');
  if (taken.length === 0) return false;
  if (reaches(sumsOf(taken), sumsOf(credits))) return true;
  if (credits.some(({ due }) => due === null)) return false;
  const value = taken.reduce((sum, refund) => addShares(sum, valueOf(payment, refund)), NO_SHARE);
  return !isMore(coverageOf(credits), value);
}

function atomsOf(credits: readonly PaymentCredit[]): bigint {
  return credits.reduce((sum, { amount }) => sum + amount, 0n);
}
