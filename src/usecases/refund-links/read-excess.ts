import { COINS, type Coin } from '../../domain/coins.ts';
import { currencyDigits } from '../../domain/currencies.ts';
import { formatCoinAmount, formatDecimal } from '../../domain/money.ts';
import { valueOf } from '../../domain/price.ts';
import type { StoredPayment } from '../../store/payments/payments.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { leftToRefund, loadRefundable, worthOnArrival } from '../refunds/refundable.ts';
import { excessLeft } from './left-for-link.ts';

/** What a payer sent beyond the price and has not got back. */
export interface Excess {
  /** Decimal string. */
  readonly amount: string;
  /** The coin of the amount; null when money is there in several, and the amount is in the payment's currency. */
  readonly coin: Coin | null;
}

/** What is still there beyond the price of a completed payment; null when that is less than the smallest fiat amount. */
export async function readExcess(db: Db, row: StoredPayment): Promise<Excess | null> {
  const isOver = row.exception === 'overpaid' || row.exception === 'multiple';
  if (row.status !== 'completed' || !isOver) return null;
  const payment = await loadRefundable(db, row);
  const held = COINS.filter((coin) => leftToRefund(payment, coin) > 0n);
  // Of several coins the one of which most is over: each excess is that of the whole payment, up to what is there of it.
  const over = held.map((coin) => {
    const atoms = excessLeft(payment, coin);
    return { coin, atoms, value: valueOf(atoms, worthOnArrival(payment, coin)) };
  });
  const most = over.toSorted((a, b) => (a.value < b.value ? 1 : -1))[0];
  if (most === undefined || most.value === 0n) return null;
  if (held.length === 1) return { coin: most.coin, amount: formatCoinAmount(most.atoms, most.coin) };
  return { coin: null, amount: formatDecimal(most.value, currencyDigits(row.currency) ?? 0) };
}
