import { COINS, type Coin } from '../../../domain/coins.ts';
import { parseFiat } from '../../../domain/fiat.ts';
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

/** Atoms of a coin that a link may claim now: a claim waits for the confirmations of its money. */
export function remainingToClaim(link: StoredRefundLink, payment: LoadedPayment, coin: Coin): bigint {
  const { preset, openedComplete: opened } = link;
  const isExcess = isLimitedToExcess(payment.state, { preset, openedComplete: opened });
  return remainder(link, payment, coin, { terms: { mayWait: true }, isExcess });
}

/**
 * Atoms of a coin that remain for a claim waiting to be sent: of money that is deep enough, unless shallower
 * money counts as well.
 */
export function remainingForClaim(
  link: StoredRefundLink,
  payment: LoadedPayment,
  coin: Coin,
  { mayWait = false }: { readonly mayWait?: boolean } = {},
): bigint {
  return remainder(link, payment, coin, {
    terms: { ownLink: link.id, mayWait },
    isExcess: link.preset === 'excess',
  });
}

/** The whole remainder, or only the excess. */
function remainder(
  link: StoredRefundLink,
  payment: LoadedPayment,
  coin: Coin,
  { terms, isExcess }: { readonly terms: RefundableTerms; readonly isExcess: boolean },
): bigint {
  const left = remainingRefundable(payment.state, coin, terms);
  if (!isExcess || left.atoms <= 0n) return left.atoms;
  const excess = remainingExcess(payment, coin, terms);
  if (link.rate === 'received') return excess;
  // The link promised its value, which may now take more or fewer coins.
  const promised = parseFiat(link.amount, link.currency).minor;
  const isEnough = left.worth !== null && convertToMinor(excess, receivedRate(payment, left)) >= promised;
  return excess > 0n && isEnough ? left.atoms : 0n;
}

/**
 * The unrefunded excess in atoms of a coin. A refunded payment's price is settled, so that its whole
 * remainder is excess. Money of unknown value is ignored: an excess without it remains one.
 */
export function remainingExcess(payment: LoadedPayment, coin: Coin, terms: RefundableTerms = {}): bigint {
  // It was given to the payer as credit already.
  if (payment.isExcessCredited) return 0n;
  if (payment.state.refundedAt !== null) return remainingRefundable(payment.state, coin, terms).atoms;
  const balances = COINS.map((each) => remainingRefundable(payment.state, each, terms)).filter(
    ({ atoms }) => atoms > 0n,
  );
  return excessAtoms(balances, coin);
}
