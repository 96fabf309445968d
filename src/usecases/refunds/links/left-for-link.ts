import { COINS, type Coin } from '../../../domain/coins.ts';
import { currencyDigits } from '../../../domain/currencies.ts';
import { parseDecimal } from '../../../domain/money.ts';
import {
  excessAtoms,
  remainingRefundable,
  type RefundableTerms,
} from '../../../domain/payment/remaining-refundable.ts';
import { isLimitedToExcess } from '../../../domain/payment/link-terms.ts';
import { convertToMinor } from '../../../domain/price.ts';
import type { StoredRefundLink } from '../../../store/payments/refund-links.ts';
import type { LoadedPayment } from '../../payments/index.ts';
import { receivedRate } from '../refundable.ts';

/** Atoms of a coin that may be claimed by a link now: what is claimed waits for its confirmations. */
export function leftToClaim(link: StoredRefundLink, payment: LoadedPayment, coin: Coin): bigint {
  const { preset, opened_complete: opened } = link;
  const isExcess = isLimitedToExcess(payment.state, { preset, openedComplete: opened === 1 });
  return leftOf(link, payment, coin, { terms: { mayWait: true }, isExcess });
}

/**
 * Atoms of a coin that are left for the claim that waits to be sent: of money that is deep enough, unless what is not
 * yet counts as well.
 */
export function leftForClaim(
  link: StoredRefundLink,
  payment: LoadedPayment,
  coin: Coin,
  { mayWait = false }: { readonly mayWait?: boolean } = {},
): bigint {
  return leftOf(link, payment, coin, {
    terms: { ownLink: link.id, mayWait },
    isExcess: link.preset === 'excess',
  });
}

/** All that is left, or only what is left beyond the price. */
function leftOf(
  link: StoredRefundLink,
  payment: LoadedPayment,
  coin: Coin,
  { terms, isExcess }: { readonly terms: RefundableTerms; readonly isExcess: boolean },
): bigint {
  const left = remainingRefundable(payment.state, coin, terms);
  if (!isExcess || left.atoms <= 0n) return left.atoms;
  const excess = excessLeft(payment, coin, terms);
  if (link.rate === 'received') return excess;
  // Its worth was promised, which may take more coins now, or fewer.
  const promised = parseDecimal(link.amount, currencyDigits(link.currency) ?? 0);
  const isEnough = left.worth !== null && convertToMinor(excess, receivedRate(payment, left)) >= promised;
  return excess > 0n && isEnough ? left.atoms : 0n;
}

/**
 * Atoms of a coin that are left beyond the price. Once the payment is refunded its price asks for nothing any more: all
 * that is left came beyond it. Money of unknown value counts for nothing: what is beyond the price without it stays so.
 */
export function excessLeft(payment: LoadedPayment, coin: Coin, terms: RefundableTerms = {}): bigint {
  if (payment.state.refundedAt !== null) return remainingRefundable(payment.state, coin, terms).atoms;
  const held = COINS.map((each) => remainingRefundable(payment.state, each, terms)).filter(
    ({ atoms }) => atoms > 0n,
  );
  return excessAtoms(held, coin);
}
