import type { Coin } from '../coins.ts';
import type { Worth } from '../price.ts';
import { coverageOf, isSettled } from './coverage.ts';
import type { PaymentCredit, PaymentState, RefundSums } from './types.ts';

/** True when refunds reach the whole sum of these credits, coin by coin. */
export function isGivenBack(credits: readonly PaymentCredit[], refunds: RefundSums): boolean {
  const coins = new Set(credits.map((credit) => credit.coin));
  if (coins.size === 0) return false;
  return [...coins].every(
    (coin) => sumOf(credits.filter((credit) => credit.coin === coin)) <= (refunds[coin] ?? 0n),
  );
}

/**
 * Atoms of a coin that a payment holds for good and that may be refunded: alive and with every
 * required confirmation. Money that the merchant recorded as refunded elsewhere does not count, nor what replaced it
 * under another id.
 */
export function refundableMoney(payment: PaymentState, coin: Coin): bigint {
  const atoms = sumOf(refundableCredits(payment, coin)) - replacedSince(payment, coin);
  return atoms > 0n ? atoms : 0n;
}

/** Atoms that were recorded as refunded elsewhere and are gone since: as much of what came later only replaces them. */
function replacedSince({ refundedBy, refundedAt, returned, credits }: PaymentState, coin: Coin): bigint {
  if (refundedBy !== 'merchant' || refundedAt === null) return 0n;
  const kept = credits.filter(
    (credit) => credit.coin === coin && credit.state !== 'gone' && credit.firstSeenAt <= refundedAt,
  );
  const gone = (returned[coin] ?? 0n) - sumOf(kept);
  return gone > 0n ? gone : 0n;
}

/**
 * Worth of the refundable money of a coin on arrival: at the locked rate, late money at the rate of its arrival.
 * A price is a whole number of minor units, so that the price itself is exactly what the payer was asked for.
 * Null while there is no such money, or its rate is not known yet.
 * @param price of the payment, in minor units
 */
export function receivedWorth(payment: PaymentState, coin: Coin, price: bigint): Worth | null {
  const priced = refundableCredits(payment, coin).filter(({ due }) => due !== null);
  if (priced.length === 0) return null;
  const { numerator, denominator } = coverageOf(priced);
  return { atoms: sumOf(priced) * denominator, minorUnits: price * numerator };
}

/** Money of a coin that is still there, and what that coin is worth. */
export interface HeldMoney {
  readonly coin: Coin;
  readonly atoms: bigint;
  readonly worth: Worth;
}

/** Whole atoms of a coin for what all the money is worth beyond the price, at most what is there of that coin. */
export function excessAtoms(held: readonly HeldMoney[], coin: Coin, price: bigint): bigint {
  let excess = { numerator: -price, denominator: 1n };
  for (const { atoms, worth } of held) {
    excess = {
      numerator: excess.numerator * worth.atoms + atoms * worth.minorUnits * excess.denominator,
      denominator: excess.denominator * worth.atoms,
    };
  }
  const own = held.find((money) => money.coin === coin);
  if (own === undefined || excess.numerator <= 0n) return 0n;
  const atoms = (excess.numerator * own.worth.atoms) / (excess.denominator * own.worth.minorUnits);
  return atoms < own.atoms ? atoms : own.atoms;
}

function refundableCredits(payment: PaymentState, coin: Coin): PaymentCredit[] {
  const since = payment.refundedBy === 'merchant' ? (payment.refundedAt ?? 0) : -1;
  return payment.credits.filter(
    (credit) =>
      credit.coin === coin &&
      credit.state === 'confirmed' &&
      credit.firstSeenAt > since &&
      isSettled(payment, credit),
  );
}

/** What is left of these credits after refunds, taken from those that came last. */
export function lessRefunds(credits: readonly PaymentCredit[], refunds: RefundSums): PaymentCredit[] {
  const owed = new Map(Object.entries(refunds));
  const left: PaymentCredit[] = [];
  for (const credit of credits.toSorted((a, b) => b.firstSeenAt - a.firstSeenAt)) {
    const back = owed.get(credit.coin) ?? 0n;
    const taken = back < credit.amount ? back : credit.amount;
    owed.set(credit.coin, back - taken);
    if (taken < credit.amount) left.push({ ...credit, amount: credit.amount - taken });
  }
  return left;
}

function sumOf(credits: readonly PaymentCredit[]): bigint {
  return credits.reduce((sum, credit) => sum + credit.amount, 0n);
}
