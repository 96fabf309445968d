import { COINS, type Coin } from '../../domain/coins.ts';
import { currencyDigits } from '../../domain/currencies.ts';
import { parseDecimal } from '../../domain/money.ts';
import { excessAtoms, type HeldMoney } from '../../domain/payment/refunds.ts';
import { valueOf } from '../../domain/price.ts';
import type { StoredRefundLink } from '../../store/payments/refund-links.ts';
import { leftToRefund, worthOnArrival, type RefundablePayment } from '../refunds/refundable.ts';

/**
 * Atoms of a coin that a link may give back as things stand: all that is left, or only what is left beyond the price.
 * @param ownClaim whether the link's own claim is not counted: it is the one that is to be paid
 * @throws {AppError} RATE_UNAVAILABLE
 */
export function leftForLink(
  link: StoredRefundLink,
  payment: RefundablePayment,
  coin: Coin,
  { ownClaim = false }: { readonly ownClaim?: boolean } = {},
): bigint {
  const ownLink = ownClaim ? link.id : null;
  const left = leftToRefund(payment, coin, ownLink);
  if (link.preset !== 'excess' || left <= 0n) return left;
  const excess = excessLeft(payment, coin, ownLink);
  if (link.rate === 'received') return excess;
  // Its worth was promised, which may take more coins now, or fewer.
  const promised = parseDecimal(link.amount, currencyDigits(link.currency) ?? 0);
  return excess > 0n && valueOf(excess, worthOnArrival(payment, coin)) >= promised ? left : 0n;
}

/**
 * Atoms of a coin that are left beyond the price. Once the payment is refunded its price asks for nothing any more: all
 * that is left came beyond it.
 * @param ownLink whose claim is not counted
 * @throws {AppError} RATE_UNAVAILABLE
 */
export function excessLeft(payment: RefundablePayment, coin: Coin, ownLink: string | null = null): bigint {
  if (payment.state.refundedAt !== null) return leftToRefund(payment, coin, ownLink);
  const held = COINS.flatMap((each): HeldMoney[] => {
    const atoms = leftToRefund(payment, each, ownLink);
    return atoms <= 0n ? [] : [{ coin: each, atoms, worth: worthOnArrival(payment, each) }];
  });
  const { amount, currency } = payment.row;
  return excessAtoms(held, coin, parseDecimal(amount, currencyDigits(currency) ?? 0));
}
