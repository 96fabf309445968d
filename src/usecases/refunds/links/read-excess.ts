import { COINS, type Coin } from '../../../domain/coins.ts';
import { formatFiat } from '../../../domain/fiat.ts';
import { formatCoinAmount } from '../../../domain/money.ts';
import { convertToMinor } from '../../../domain/price.ts';
import { remainingRefundable } from '../../../domain/payment/remaining-refundable.ts';
import type { LoadedPayment } from '../../payments/index.ts';
import { receivedRate } from '../refundable.ts';
import { remainingExcess } from './remaining-claim.ts';

/** The unrefunded excess of a payer. */
export interface Excess {
  /** Decimal string. */
  readonly amount: string;
  /**
   * The coin of the amount; null when money is present in several, and the amount is in the payment's
   * currency.
   */
  readonly coin: Coin | null;
}

/**
 * The unrefunded excess of a completed payment, without money of unknown value; null when that is less than
 * the smallest fiat amount.
 */
export function readExcess(payment: LoadedPayment): Excess | null {
  const { row, state } = payment;
  const isOver = row.exception === 'overpaid' || row.exception === 'multiple';
  if (row.status !== 'completed' || !isOver) return null;
  const balances = COINS.map((coin) => remainingRefundable(state, coin)).filter(
    ({ atoms, worth }) => atoms > 0n && worth !== null,
  );
  // Of several coins the one with the largest excess: each excess is that of the whole payment, capped by the
  // money present in that coin.
  const over = balances.map((left) => {
    const atoms = remainingExcess(payment, left.coin);
    return { coin: left.coin, atoms, value: convertToMinor(atoms, receivedRate(payment, left)) };
  });
  const most = over.toSorted((a, b) => (a.value < b.value ? 1 : -1))[0];
  if (most === undefined || most.value === 0n) return null;
  if (balances.length === 1) return { coin: most.coin, amount: formatCoinAmount(most.atoms, most.coin) };
  return { coin: null, amount: formatFiat({ minor: most.value, currency: row.currency }) };
}

/** The unrefunded and unclaimed money that arrived after a full refund; null where its value is unknown. */
export function readMoneyAfterRefund(payment: LoadedPayment): Excess | null {
  const { row, state } = payment;
  if (!row.hasMoneyAfterRefund) return null;
  const balances = COINS.map((coin) => remainingRefundable(state, coin, { mayWait: true })).filter(
    ({ atoms }) => atoms > 0n,
  );
  const [only] = balances;
  if (only === undefined) return null;
  if (balances.length === 1) return { coin: only.coin, amount: formatCoinAmount(only.atoms, only.coin) };
  if (balances.some(({ worth }) => worth === null)) return null;
  const minor = balances.reduce(
    (sum, left) => sum + convertToMinor(left.atoms, receivedRate(payment, left)),
    0n,
  );
  return { coin: null, amount: formatFiat({ minor, currency: row.currency }) };
}
