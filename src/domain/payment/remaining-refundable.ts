/** The refundable money of one coin, in atoms and in value. */
import { COINS, type Coin } from '../coins.ts';
import { expectedConfirmations, requiredConfirmationsFor } from '../confirmations.ts';
import { isBeforeReturn, atomsReplacingReturn } from './balance.ts';
import { sumCoverage } from './paid-share.ts';
import { sumAtoms, liveCredits, sumByCoin } from './credits.ts';
import { deepMoney, settledCredits, type DeepMoney } from './depth.ts';
import { valueOfEachRefund, shareOfAtoms, type RefundValue } from './refund-value.ts';
import { addShares, isMore, minShare, NO_SHARE, reduceShare, subtractShares } from './share.ts';
import type { PaymentState, Share } from './types.ts';

/** Remaining refundable money of one coin. */
export interface RemainingRefundable {
  readonly coin: Coin;
  /** Not positive when there is none. */
  readonly atoms: bigint;
  /** Of these the atoms of unknown rate, which are refunded first. Not negative. */
  readonly unpriced: bigint;
  /** Value at receipt of the other atoms; null without any. */
  readonly worth: { readonly atoms: bigint; readonly share: Share } | null;
  /**
   * Maximum value that may be refunded with it: less than at receipt where a chain removed refunded money of
   * another coin.
   */
  readonly most: Share;
}

/** Selects the refundable money of a coin. */
export interface RefundableTerms {
  /** The link whose claim is excluded, because it is about to be paid. */
  readonly ownLink?: string | null;
  /** Includes money in a block that lacks confirmations: a claim on it waits. */
  readonly mayWait?: boolean;
}

/** The remaining refundable money of a coin in atoms and in value: received money minus refunds and claims. */
export function remainingRefundable(
  payment: PaymentState,
  coin: Coin,
  { ownLink = null, mayWait = false }: RefundableTerms = {},
): RemainingRefundable {
  const { credits, most: deepest } = refundableMoney(payment, coin, mayWait);
  const priced = credits.filter(({ due }) => due !== null);
  const replaced = atomsReplacingReturn(payment, coin);
  const refunded = sumRefunded(payment, coin, ownLink);
  const atoms = minimum(sumAtoms(credits), deepest) - refunded.atoms - replaced;
  const unknown = notNegative(sumAtoms(credits) - sumAtoms(priced) - refunded.unpriced);
  // Money that only replaces an external refund uses up unknown rates first, as refunds do.
  const replacedPriced = notNegative(replaced - unknown);
  const pricedAtoms = sumAtoms(priced) - (refunded.atoms - refunded.unpriced) - replacedPriced;
  const share = subtractShares(
    subtractShares(sumCoverage(priced), refunded.value),
    shareOfAtoms(credits, replacedPriced),
  );
  const missing = missingElsewhere(payment, coin, mayWait);
  const isMissing = missing.numerator < 0n || share.numerator < 0n;
  // It is undetermined which of this money makes up for the missing part.
  const unpriced = isMissing ? 0n : notNegative(unknown - replaced);
  // All priced money was refunded in atoms, or in value by refunds at a higher price than at receipt.
  if (pricedAtoms <= 0n || share.numerator <= 0n)
    return { coin, atoms: minimum(atoms, unpriced), unpriced, worth: null, most: NO_SHARE };
  const worth = { atoms: pricedAtoms, share };
  const most = addShares(share, missing);
  const capped = isMissing ? atomsOfShare(most, worth) : pricedAtoms + unpriced;
  return { coin, atoms: minimum(atoms, capped), unpriced, worth, most };
}

/**
 * Whether confirmed money that arrived after the payment was fully refunded remains: it is neither refunded nor
 * claimed.
 */
export function hasMoneyAfterRefund(payment: PaymentState): boolean {
  const { refundedPosition, supersededBy } = payment;
  if (refundedPosition === null || supersededBy !== null) return false;
  const isNew = payment.credits.some(
    ({ state, position }) => state === 'confirmed' && position > refundedPosition,
  );
  return isNew && COINS.some((coin) => remainingRefundable(payment, coin, { mayWait: true }).atoms > 0n);
}

/** Sums the refunds and claims of a coin. */
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
 * Money of the other coins that a chain removed after it was refunded, as a negative share that reduces the
 * refundable money of this coin. Money of the others counts once it is settled, or in a block for a claim
 * that may wait. Their claims use only their live money.
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

/** Converts a share of the price into whole atoms, at the value at receipt of others. */
function atomsOfShare(
  { numerator, denominator }: Share,
  { atoms, share }: NonNullable<RemainingRefundable['worth']>,
): bigint {
  return numerator <= 0n ? 0n : (atoms * numerator * share.denominator) / (denominator * share.numerator);
}

/** Confirmations that money of a coin needs before all its past and pending refunds can be sent. */
export function depthToLeave(payment: PaymentState, coin: Coin): number {
  const policy = payment.options[coin]?.policy;
  const leaving = payment.refunds.filter(
    (refund) =>
      refund.coin === coin && refund.stage !== 'failed' && !isBeforeReturn(payment, refund.position),
  );
  return policy === undefined
    ? 1
    : expectedConfirmations(requiredConfirmationsFor(policy, sumByCoin(leaving)[coin] ?? 0n));
}

/**
 * Atoms of a coin that a payment has received and that have enough confirmations to be refunded, before
 * refunds are subtracted.
 */
export function refundableAtoms(payment: PaymentState, coin: Coin): bigint {
  const { credits, most } = refundableMoney(payment, coin, false);
  return minimum(sumAtoms(credits) - atomsReplacingReturn(payment, coin), most);
}

/** Excludes money recorded as refunded elsewhere. */
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
 * The share of the price that a refund of some atoms gives back: first money of unknown rate, then the others
 * at their value at receipt, or at the refund's rate if that is higher; never more than the remaining value
 * of the coin.
 * @param at for a refund at the current rate, in shares of the price: its ordered value, and the smallest
 * unit of the currency. A smaller remainder is refunded with it.
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
 * Whole atoms of a coin for the excess over the price, at most the coin's remaining atoms; money of unknown
 * rate counts for nothing.
 * @param balances all coins with remaining money
 */
export function excessAtoms(balances: readonly RemainingRefundable[], coin: Coin): bigint {
  let excess: Share = { numerator: -1n, denominator: 1n };
  for (const { atoms, worth } of balances) {
    if (worth === null) continue;
    const { numerator, denominator } = worth.share;
    const priced = minimum(atoms, worth.atoms);
    excess = addShares(excess, { numerator: numerator * priced, denominator: denominator * worth.atoms });
  }
  const balance = balances.find((money) => money.coin === coin);
  if (balance === undefined || balance.worth === null || excess.numerator <= 0n) return 0n;
  const { share, atoms: pricedAtoms } = balance.worth;
  const atoms = (excess.numerator * share.denominator * pricedAtoms) / (excess.denominator * share.numerator);
  return atoms < balance.atoms ? atoms : balance.atoms;
}
