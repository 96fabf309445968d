/** The money of one coin that may be given back, in atoms and in value. */
import { COINS, type Coin } from '../coins.ts';
import { expectedConfirmations, requirementFor } from '../confirmations.ts';
import { isBeforeReturn, atomsReplacingReturn } from './balance.ts';
import { sumCoverage } from './coverage.ts';
import { sumAtoms, liveCredits, sumByCoin } from './credits.ts';
import { deepMoney, settledCredits, type DeepMoney } from './depth.ts';
import { valueOfEachRefund, shareOfAtoms, type RefundValue } from './refund-value.ts';
import { addShares, isMore, minShare, NO_SHARE, reduceShare, subtractShares } from './share.ts';
import type { PaymentState, Share } from './types.ts';

/** Money of one coin that may still be given back. */
export interface RemainingRefundable {
  readonly coin: Coin;
  /** Not positive when there is none. */
  readonly atoms: bigint;
  /** Of these the ones whose rate is not known: they go back first. Not less than none. */
  readonly unpriced: bigint;
  /** What so many atoms of the others came for; null where none of them is left. */
  readonly worth: { readonly atoms: bigint; readonly share: Share } | null;
  /**
   * The value that may be given back with it: less than it came for where a chain took money of another coin that was
   * given back before.
   */
  readonly most: Share;
}

/** Which money of a coin may be given back. */
export interface RefundableTerms {
  /** Whose claim does not count: the one that is to be paid. */
  readonly ownLink?: string | null;
  /** Counts what is in a block and not deep enough yet: what is claimed of it waits for that. */
  readonly mayWait?: boolean;
}

/** What may still be given back of a coin: what was received, less what refunds and claims took, in atoms and in value. */
export function remainingRefundable(
  payment: PaymentState,
  coin: Coin,
  { ownLink = null, mayWait = false }: RefundableTerms = {},
): RemainingRefundable {
  const { credits, most: deepest } = refundableMoney(payment, coin, mayWait);
  const priced = credits.filter(({ due }) => due !== null);
  const replaced = atomsReplacingReturn(payment, coin);
  const taken = sumRefunded(payment, coin, ownLink);
  const atoms = minimum(sumAtoms(credits), deepest) - taken.atoms - replaced;
  const unknown = notNegative(sumAtoms(credits) - sumAtoms(priced) - taken.unpriced);
  // What only replaces money that went back elsewhere is of unknown rate first, as with what goes back.
  const replacedPriced = notNegative(replaced - unknown);
  const pricedAtoms = sumAtoms(priced) - (taken.atoms - taken.unpriced) - replacedPriced;
  const share = subtractShares(
    subtractShares(sumCoverage(priced), taken.value),
    shareOfAtoms(credits, replacedPriced),
  );
  const missing = missingElsewhere(payment, coin, mayWait);
  const isMissing = missing.numerator < 0n || share.numerator < 0n;
  // Nobody can say what of this money makes up for what is missing.
  const unpriced = isMissing ? 0n : notNegative(unknown - replaced);
  // All that is priced went back in atoms, or in value by refunds at a higher price than that of the arrival.
  if (pricedAtoms <= 0n || share.numerator <= 0n)
    return { coin, atoms: minimum(atoms, unpriced), unpriced, worth: null, most: NO_SHARE };
  const worth = { atoms: pricedAtoms, share };
  const most = addShares(share, missing);
  const capped = isMissing ? atomsOfShare(most, worth) : pricedAtoms + unpriced;
  return { coin, atoms: minimum(atoms, capped), unpriced, worth, most };
}

/** What refunds and claims of a coin gave back. */
function sumRefunded(
  payment: PaymentState,
  coin: Coin,
  ownLink: string | null,
): RefundValue & { readonly atoms: bigint } {
  const given = valueOfEachRefund(payment);
  let [atoms, unpriced, value] = [0n, 0n, NO_SHARE];
  for (const refund of payment.refunds) {
    const isOwn = refund.stage === 'promised' && refund.id === ownLink;
    if (
      refund.coin !== coin ||
      refund.stage === 'failed' ||
      isOwn ||
      isBeforeReturn(payment, refund.position)
    )
      continue;
    const part = given(refund);
    atoms += refund.amount;
    unpriced += part.unpriced;
    value = addShares(value, part.value);
  }
  return { atoms, unpriced, value };
}

function notNegative(atoms: bigint): bigint {
  return atoms > 0n ? atoms : 0n;
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
  const given = valueOfEachRefund(payment);
  const mined = mayWait
    ? liveCredits(payment).filter(({ state }) => state === 'confirmed')
    : settledCredits(payment);
  const left = COINS.filter((other) => other !== coin).reduce((sum, other) => {
    const credits = mined.filter(
      (credit) => credit.coin === other && !isBeforeReturn(payment, credit.position),
    );
    const replaced = shareOfAtoms(credits, atomsReplacingReturn(payment, other));
    let kept = subtractShares(sumCoverage(credits), replaced);
    let promised = NO_SHARE;
    for (const refund of refunds.filter((each) => each.coin === other)) {
      if (refund.stage === 'promised') promised = addShares(promised, given(refund).value);
      else kept = subtractShares(kept, given(refund).value);
    }
    const free = subtractShares(kept, promised);
    return addShares(sum, isMore(free, NO_SHARE) ? free : minShare(kept, NO_SHARE));
  }, NO_SHARE);
  return minShare(left, NO_SHARE);
}

/** Whole atoms for a share of the price, at what others came for. */
function atomsOfShare(
  { numerator, denominator }: Share,
  { atoms, share }: NonNullable<RemainingRefundable['worth']>,
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
  return policy === undefined
    ? 1
    : expectedConfirmations(requirementFor(policy, sumByCoin(leaving)[coin] ?? 0n));
}

/** Atoms of a coin that a payment has received and that are deep enough to leave, whatever went back since. */
export function refundableAtoms(payment: PaymentState, coin: Coin): bigint {
  const { credits, most } = refundableMoney(payment, coin, false);
  return minimum(sumAtoms(credits) - atomsReplacingReturn(payment, coin), most);
}

/** What was recorded as given back elsewhere is none. */
function refundableMoney(payment: PaymentState, coin: Coin, mayWait: boolean): DeepMoney {
  const credits = payment.credits.filter(
    (credit) =>
      credit.coin === coin && credit.state === 'confirmed' && !isBeforeReturn(payment, credit.position),
  );
  return mayWait ? { credits, most: null } : deepMoney(payment, coin, credits);
}

function minimum(atoms: bigint, most: bigint | null): bigint {
  return most !== null && most < atoms ? most : atoms;
}

/**
 * What a refund of some atoms gives back of the price: first money of unknown rate, then what the others came for, or what
 * they are given back at if that is more; never more than is left of the coin.
 * @param at for a refund at the current rate, in shares of the price: the value that it is ordered at, and the smallest unit of
 *   the currency. A rest of less than that is given back with it.
 */
export function refundValue(
  { atoms: left, unpriced: unknown, worth, most }: RemainingRefundable,
  atoms: bigint,
  at: { readonly given: Share; readonly unit: Share } | null,
): RefundValue {
  if (worth === null) return { value: NO_SHARE, unpriced: atoms };
  const unpriced = minimum(atoms, unknown);
  const rest = atoms - unpriced;
  if (rest === 0n) return { value: NO_SHARE, unpriced };
  const { share, atoms: all } = worth;
  const arrival = { numerator: share.numerator * rest, denominator: share.denominator * all };
  const given = at && { numerator: at.given.numerator * rest, denominator: at.given.denominator * atoms };
  if (atoms >= left || at === null || given === null || !isMore(given, arrival))
    return { value: reduceShare(minShare(most, arrival)), unpriced };
  const isAll = !isMore(subtractShares(most, given), at.unit);
  return { value: reduceShare(isAll ? most : given), unpriced };
}

/**
 * Whole atoms of a coin for what is left beyond the price, at most what is left of that coin; money of unknown rate counts
 * for nothing.
 * @param held all coins of which something is left
 */
export function excessAtoms(held: readonly RemainingRefundable[], coin: Coin): bigint {
  let excess: Share = { numerator: -1n, denominator: 1n };
  for (const { atoms, worth } of held) {
    if (worth === null) continue;
    const { numerator, denominator } = worth.share;
    const priced = minimum(atoms, worth.atoms);
    excess = addShares(excess, { numerator: numerator * priced, denominator: denominator * worth.atoms });
  }
  const own = held.find((money) => money.coin === coin);
  if (own === undefined || own.worth === null || excess.numerator <= 0n) return 0n;
  const { share, atoms: pricedAtoms } = own.worth;
  const atoms = (excess.numerator * share.denominator * pricedAtoms) / (excess.denominator * share.numerator);
  return atoms < own.atoms ? atoms : own.atoms;
}
