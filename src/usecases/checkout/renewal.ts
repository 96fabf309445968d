import { findUserPrice } from '../../store/catalog/prices.ts';
import { findUserProduct } from '../../store/catalog/products.ts';
import { firstExpiry, isLastOfOrder } from '../../store/payments/payment-groups.ts';
import type { StoredPayment } from '../../store/payments/payments.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { findPaymentInvoice } from '../../store/subscriptions/invoices.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { parseFiat } from '../../domain/fiat.ts';
import { merchantMode } from '../access/index.ts';
import type { LoadedPayment } from '../payments/index.ts';
import { amountProblem, readOpenLink } from '../links/index.ts';

/**
 * How long after its expiry a payment created by a shop can be renewed, its renewals included: otherwise each
 * would start another week. Links can be renewed as long as they are open.
 */
const SHOP_RENEWAL_MS = 7 * 86_400_000;

/**
 * Maximum payments per group: wherever the balance of the group is needed, each is read with its addresses. A
 * payer with a hundred expired rates may open the link again.
 */
export const MOST_IN_GROUP = 100;

/**
 * The successor of an ended payment: its renewal, or the payment that superseded it; null: it can be renewed
 * now.
 */
export interface Renewal {
  readonly paymentId: string | null;
}

/**
 * Whether an expired payment can be renewed, or was; null where it cannot. Renewal requires that no money was
 * ever seen for it, because money on its address belongs to it, and another payment of the order would be
 * paid twice. Late money ends a payment before every chain was read past its deadline: even if that money is
 * gone, money received in time may still be unseen.
 */
export async function findRenewal(
  db: Db,
  { row, state, members }: LoadedPayment,
  about: { readonly merchant: MerchantRow; readonly now: number },
): Promise<Renewal | null> {
  if (row.supersededBy !== null) return { paymentId: row.supersededBy };
  if (row.status !== 'expired' || state.credits.length > 0) return null;
  const renewedBy = members.find((member) => member.row.renews === row.id);
  if (renewedBy !== undefined) return { paymentId: renewedBy.row.id };
  if (members.length + 1 >= MOST_IN_GROUP) return null;
  const { merchant } = about;
  if (merchantMode(merchant) !== row.mode) return null;
  const invoice = await findPaymentInvoice(db, row.id);
  if (invoice !== undefined) {
    const isOpen = invoice.status === 'open' && (await isLastOfOrder(db, row));
    return isOpen ? { paymentId: null } : null;
  }
  const isOffered =
    row.linkId === null ? await isOfferedByShop(db, row, about) : await isAskedByLink(db, merchant, row);
  if (!isOffered || !(await isSoldAsThen(db, merchant, row))) return null;
  return (await isLastOfOrder(db, row)) ? { paymentId: null } : null;
}

/** The shop may have cancelled the order at payment.expired, so it decides whether payers may renew. */
async function isOfferedByShop(
  db: Db,
  row: StoredPayment,
  { merchant, now }: { merchant: MerchantRow; now: number },
): Promise<boolean> {
  return merchant.renewExpired && now < (await firstExpiry(db, row)) + SHOP_RENEWAL_MS;
}

/** Whether the payment's link is open and still has the same price. */
async function isAskedByLink(db: Db, merchant: MerchantRow, row: StoredPayment): Promise<boolean> {
  const link = row.linkId === null ? null : await readOpenLink(db, merchant, row.linkId);
  if (link === null || link.currency !== row.currency) return false;
  const { fixed } = link;
  if (fixed === null) return row.priceId === null && amountProblem(link, row.amount) === null;
  const priceId = fixed.choice.kind === 'catalog' ? fixed.choice.priceId : null;
  return priceId === row.priceId && isSame(row, fixed.amount);
}

/** Whether the catalog still sells the same product at the same price. */
async function isSoldAsThen(db: Db, merchant: MerchantRow, row: StoredPayment): Promise<boolean> {
  if (row.priceId === null) return true;
  const price = await findUserPrice(db, merchant.userId, row.priceId);
  const product =
    price === undefined ? undefined : await findUserProduct(db, merchant.userId, price.productId);
  if (price?.active !== true || product?.active !== true) return false;
  return price.currency === row.currency && isSame(row, price.amount);
}

function isSame({ amount, currency }: StoredPayment, price: string): boolean {
  return parseFiat(amount, currency).minor === parseFiat(price, currency).minor;
}
