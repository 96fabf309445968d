import { finalHeight } from '../confirmations.ts';
import type { Coin } from '../coins.ts';
import { askedAmount } from '../price.ts';
import type { PaymentCredit, PaymentState, Share } from './types.ts';

/**
 * The share of the price that credits cover, as an exact fraction: money in several coins adds up
 * because each credit counts as amount / due in its own coin.
 */
export interface Coverage extends Share {
  /** The whole price in atoms of the received coin whose atom is worth most. */
  readonly coarsest: bigint;
}

const NOTHING: Coverage = { numerator: 0n, denominator: 1n, coarsest: 1n };
const BPS = 10_000n;

/** Adds up the share of the price that each credit covers. Credits without a known price count nothing. */
export function coverageOf(credits: readonly PaymentCredit[]): Coverage {
  const perDue = new Map<bigint, bigint>();
  for (const credit of credits) {
    if (credit.due !== null) perDue.set(credit.due, (perDue.get(credit.due) ?? 0n) + credit.amount);
  }
  let total = NOTHING;
  for (const [due, amount] of perDue) {
    total = {
      numerator: total.numerator * due + amount * total.denominator,
      denominator: total.denominator * due,
      coarsest: total === NOTHING || due < total.coarsest ? due : total.coarsest,
    };
  }
  return total;
}

/** True when the coverage reaches the price less the tolerated underpayment. */
export function isPaid(coverage: Coverage, toleranceBps: number): boolean {
  return coverage.numerator * BPS >= coverage.denominator * (BPS - BigInt(toleranceBps));
}

/**
 * True when the coverage exceeds the price by more than the tolerance and by at least one atom: the rest
 * due after money in another coin is rounded up, and paying that is no overpayment.
 */
export function isOverpaid({ numerator, denominator, coarsest }: Coverage, toleranceBps: number): boolean {
  const isAnAtom = (numerator - denominator) * coarsest >= denominator;
  return isAnAtom && numerator * BPS > denominator * (BPS + BigInt(toleranceBps));
}

/** True when the price was paid at least twice. */
export function isPaidTwice(coverage: Coverage, toleranceBps: number): boolean {
  return coverage.numerator * BPS >= coverage.denominator * (2n * (BPS - BigInt(toleranceBps)));
}

/** True when `a` covers more than `b`. */
export function coversMore(a: Share, b: Share): boolean {
  return a.numerator * b.denominator > b.numerator * a.denominator;
}

/** What is still missing from the price, in atoms of the coin whose whole price is `due`, rounded up. */
export function missingAtoms({ numerator, denominator }: Coverage, due: bigint): bigint {
  const share = denominator - numerator;
  return share <= 0n ? 0n : (due * share + denominator - 1n) / denominator;
}

/**
 * What a payer is asked for to make up the price: what is missing, rounded up to be typed as prices are. The rounding
 * adds less than a basis point of the price, so that paying it is no overpayment where any tolerance is granted; where
 * none is, what is missing is asked for to the atom.
 * @param due the whole price, as it is asked for
 * @param coinDecimals digits between the coin and its atom
 */
export function askedAtoms(
  coverage: Coverage,
  { due, coinDecimals, toleranceBps }: { due: bigint; coinDecimals: number; toleranceBps: number },
): bigint {
  const missing = missingAtoms(coverage, due);
  return toleranceBps === 0 ? missing : askedAmount(missing, coinDecimals);
}

/** Confirmations of a credit counted from the block that holds it now; 0 while unconfirmed. */
function confirmationsOf(credit: PaymentCredit, tip: number | undefined): number {
  if (credit.state !== 'confirmed' || credit.height === null || tip === undefined) return 0;
  return Math.max(0, tip - credit.height + 1);
}

/** True when the credit has every confirmation that its coin's policy and the protocol require. */
export function isSettled(payment: PaymentState, credit: PaymentCredit): boolean {
  const option = payment.options[credit.coin];
  if (option === undefined) return false;
  const held = confirmationsOf(credit, payment.tips[credit.coin]);
  if (held < Math.max(1, credit.maturity)) return false;
  if (option.finality === null) return held >= option.requiredConfirmations;
  const final = finalHeight(payment.final[credit.coin], option.finality);
  return final !== null && credit.height !== null && credit.height <= final;
}

/**
 * Confirmations for display: they reach the required number when, and only when, the money is
 * settled, also where finality settles it sooner or later than usual.
 */
export function shownConfirmations(payment: PaymentState, credit: PaymentCredit): number {
  const held = confirmationsOf(credit, payment.tips[credit.coin]);
  const option = payment.options[credit.coin];
  if (option === undefined || option.finality === null || held === 0) return held;
  const { requiredConfirmations: usual } = option;
  return isSettled(payment, credit) ? Math.max(held, usual) : Math.min(held, usual - 1);
}

/**
 * Confirmations that money in a coin currently needs: more than the payment's own policy while an
 * output waits for its maturity (a coinbase, a peg-out).
 */
export function neededConfirmations(payment: PaymentState, coin: Coin): number {
  const usual = payment.options[coin]?.requiredConfirmations ?? 1;
  return payment.credits.reduce((needed, credit) => {
    const isWaiting = credit.coin === coin && credit.state !== 'gone' && !isSettled(payment, credit);
    return isWaiting && credit.maturity > needed ? credit.maturity : needed;
  }, usual);
}
