import { roundUpForPayer } from '../price.ts';
import { WHOLE_PRICE } from './share.ts';
import type { PaymentCredit, Share } from './types.ts';

/**
 * The share of the price that credits cover, as an exact fraction. Money in several coins adds up because
 * each credit counts as amount / due in its own coin.
 */
export interface Coverage extends Share {
  /** The whole price in atoms of the received coin with the most valuable atom. */
  readonly coarsest: bigint;
}

const NOTHING: Coverage = { numerator: 0n, denominator: 1n, coarsest: 1n };
const BPS = 10_000n;

/** Adds up the share of the price that each credit covers. Credits without a known price count nothing. */
export function sumCoverage(credits: readonly PaymentCredit[]): Coverage {
  const perDue = new Map<bigint, bigint>();
  let coarsest: bigint | null = null;
  for (const { amount, due: quoted, dueShare = WHOLE_PRICE } of credits) {
    if (quoted === null) continue;
    // Exact where the payer was quoted another price: that many atoms cover only a share of this one, or
    // more.
    const due = quoted * dueShare.denominator;
    perDue.set(due, (perDue.get(due) ?? 0n) + amount * dueShare.numerator);
    const price = (due + dueShare.numerator - 1n) / dueShare.numerator;
    if (coarsest === null || price < coarsest) coarsest = price;
  }
  let total = NOTHING;
  for (const [due, amount] of perDue) {
    total = {
      numerator: total.numerator * due + amount * total.denominator,
      denominator: total.denominator * due,
      coarsest: coarsest ?? 1n,
    };
  }
  return total;
}

/** True when the coverage reaches the price less the tolerated underpayment. */
export function isPaid(coverage: Share, toleranceBps: number): boolean {
  return coverage.numerator * BPS >= coverage.denominator * (BPS - BigInt(toleranceBps));
}

/**
 * True when the coverage exceeds the price by more than the tolerance and by at least one atom: the remainder
 * due after money in another coin is rounded up, and paying it is not an overpayment.
 */
export function isOverpaid({ numerator, denominator, coarsest }: Coverage, toleranceBps: number): boolean {
  const isAnAtom = (numerator - denominator) * coarsest >= denominator;
  return isAnAtom && numerator * BPS > denominator * (BPS + BigInt(toleranceBps));
}

/** True when the price was paid at least twice. */
export function isPaidTwice(coverage: Share, toleranceBps: number): boolean {
  return coverage.numerator * BPS >= coverage.denominator * (2n * (BPS - BigInt(toleranceBps)));
}

/** A share of the price in atoms of the coin whose whole price is `due`, rounded up. */
export function atomsUp({ numerator, denominator }: Share, due: bigint): bigint {
  return (due * numerator + denominator - 1n) / denominator;
}

/**
 * The amount to request from a payer to complete the price: the missing part, rounded up to as few decimals
 * as typed prices have. Rounding adds less than a basis point of the price, so that paying it is not an
 * overpayment under any tolerance; without a tolerance, the exact missing atoms are requested.
 * @param missing not negative
 * @param due the whole price as requested
 * @param coinDecimals digits between the coin and its atom
 */
export function atomsToRequest(
  missing: Share,
  { due, coinDecimals, toleranceBps }: { due: bigint; coinDecimals: number; toleranceBps: number },
): bigint {
  const atoms = atomsUp(missing, due);
  return toleranceBps === 0 ? atoms : roundUpForPayer(atoms, coinDecimals);
}
