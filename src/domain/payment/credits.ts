import { COINS, type Coin } from '../coins.ts';
import type { CoinSums, PaymentCredit, PaymentState } from './types.ts';

/** Credits that count: every observed one that is not gone. */
export function liveCredits(payment: Pick<PaymentState, 'credits'>): readonly PaymentCredit[] {
  return payment.credits.filter((credit) => credit.state !== 'gone');
}

/**
 * Whether money was seen that a reorganisation, a double spend or the network took away: in some coin more
 * of it is gone than there is. Money that a fee bump of the payer (RBF) replaced is no loss.
 */
export function hasReversedMoney(payment: Pick<PaymentState, 'credits'>): boolean {
  return COINS.some((coin) => {
    const ofCoin = payment.credits.filter((credit) => credit.coin === coin);
    const gone = sumAtoms(ofCoin.filter(({ state }) => state === 'gone'));
    return gone > sumAtoms(ofCoin.filter(({ state }) => state !== 'gone'));
  });
}

/** Atoms per coin of these credits or refunds. */
export function sumByCoin(entries: readonly Pick<PaymentCredit, 'coin' | 'amount'>[]): CoinSums {
  const sums: Partial<Record<Coin, bigint>> = {};
  for (const { coin, amount } of entries) sums[coin] = (sums[coin] ?? 0n) + amount;
  return sums;
}

/** Atoms of credits of one coin. */
export function sumAtoms(credits: readonly Pick<PaymentCredit, 'amount'>[]): bigint {
  return credits.reduce((sum, { amount }) => sum + amount, 0n);
}

/** True when these sums reach those in every coin. */
export function coversAmounts(sums: CoinSums, needed: CoinSums): boolean {
  return COINS.every((coin) => (sums[coin] ?? 0n) >= (needed[coin] ?? 0n));
}

/** Position of the next item of a payment, after all its credits, decisions and refunds. */
export function nextPosition({
  credits,
  refunds,
  acceptedPosition,
  refundedPosition,
}: Pick<PaymentState, 'credits' | 'refunds' | 'acceptedPosition' | 'refundedPosition'>): number {
  let last = Math.max(acceptedPosition ?? 0, refundedPosition ?? 0);
  for (const { position } of credits) last = Math.max(last, position);
  for (const { position } of refunds) last = Math.max(last, position ?? 0);
  return last + 1;
}
