import type { Coin, Payment } from '../../contract/types.ts';
import { add } from '../../format/decimal.ts';
import type { Price } from '../../ui/money-lines.tsx';

/** The received amount of a coin minus its refunds, and the part above the price if one coin was overpaid. */
export function whatIsLeft(payment: Payment, coin: Coin): { left: string; excess: string | null } {
  const { received, amount } = payment.options[coin] ?? { received: '0', amount: '0' };
  const back = payment.refunds
    .filter((refund) => refund.coin === coin && refund.status !== 'failed')
    .map(({ refunded }) => `-${refunded}`);
  const isOver = isOverpaid(payment) && listCoins(payment).length === 1;
  const excess = add([received, `-${amount}`, ...back]);
  const left = add([received, ...back]);
  return { left: isSome(left) ? left : '0', excess: isOver && isSome(excess) ? excess : null };
}

/** Whether more than the price arrived, so that a refund begins with the excess. */
export function isOverpaid({ exception }: Payment): boolean {
  return exception === 'overpaid' || exception === 'multiple';
}

function isSome(sum: string): boolean {
  return Number(sum) > 0;
}

/** The coins whose money arrived and stayed. */
export function listCoins({ transactions }: Payment): Coin[] {
  return [...new Set(transactions.filter((one) => one.status !== 'reversed').map((one) => one.coin))];
}

/** The price of one coin when the payment was created. */
export function findPrice({ options, currency }: Payment, coin: Coin): Price | undefined {
  const rate = options[coin]?.rate;
  return rate === undefined ? undefined : { rate, currency };
}
