import type { RecurringInterval } from '../../domain/catalog.ts';
import { AppError } from '../../domain/errors.ts';
import type { LinkKind } from '../../domain/payment-link.ts';
import { findLinkBySlug, findPaymentLink } from '../../store/catalog/payment-links.ts';
import { findUserPrice } from '../../store/catalog/prices.ts';
import { findUserProduct } from '../../store/catalog/products.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { AskedField, OpenAmount, PaymentLinkRow } from '../../store/schema/payment-links.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { allowedEmbedOrigins } from '../shops/index.ts';
import type { PriceChoice } from '../payments/index.ts';

/** The content of a link's page, and the basis of its payments. */
export interface LinkView {
  readonly id: string;
  readonly slug: string;
  readonly kind: LinkKind;
  readonly name: string;
  readonly description: string | null;
  readonly merchant: MerchantRow;
  readonly embedOrigins: readonly string[];
  readonly fields: readonly AskedField[];
  readonly successUrl: string | null;
  readonly currency: string;
  /** Null where the payer chooses the amount. */
  readonly fixed: { readonly amount: string; readonly choice: PriceChoice } | null;
  /** A subscription to this price is started; null: it is paid once. */
  readonly recurring: { readonly priceId: string; readonly interval: RecurringInterval } | null;
  /** Null where the amount is fixed. */
  readonly open: OpenAmount | null;
}

/** A closed link shows only its shop. */
interface ClosedLink {
  readonly closed: true;
  readonly merchant: MerchantRow;
}

/**
 * The link at an address; closed when it is inactive, deleted, or its price is no longer available.
 * @throws {AppError} PAYMENT_LINK_NOT_FOUND when it never existed
 */
export async function readLink(
  db: Db,
  at: { readonly slug: string; readonly kind: LinkKind },
): Promise<LinkView | ClosedLink> {
  const row = await findLinkBySlug(db, at.slug);
  const merchant = row?.kind === at.kind ? await findMerchant(db, row.merchantId) : undefined;
  if (row === undefined || merchant === undefined) {
    throw new AppError('PAYMENT_LINK_NOT_FOUND', 'No such payment link');
  }
  const terms = row.active && row.deletedAt === null ? await readTerms(db, merchant.userId, row) : null;
  if (terms === null) return { closed: true, merchant };
  return toView(row, merchant, terms);
}

/** The link by its id while it can be paid; null for one of another merchant. */
export async function readOpenLink(db: Db, merchant: MerchantRow, id: string): Promise<LinkView | null> {
  const row = await findPaymentLink(db, id);
  if (row?.merchantId !== merchant.id || !row.active) return null;
  const terms = await readTerms(db, merchant.userId, row);
  return terms === null ? null : toView(row, merchant, terms);
}

type Terms = Pick<LinkView, 'currency' | 'fixed' | 'recurring' | 'open'>;

function toView(row: PaymentLinkRow, merchant: MerchantRow, terms: Terms): LinkView {
  return {
    id: row.id,
    slug: row.slug,
    kind: row.kind,
    name: row.name,
    description: row.description,
    merchant,
    embedOrigins: allowedEmbedOrigins(merchant),
    fields: listFields(JSON.parse(row.fieldsJson) as AskedField[], terms),
    successUrl: row.successUrl,
    ...terms,
  };
}

/** A subscription needs an address. */
function listFields(fields: readonly AskedField[], { recurring }: Terms): readonly AskedField[] {
  if (recurring === null) return fields;
  return [{ name: 'email', required: true }, ...fields.filter(({ name }) => name !== 'email')];
}

/** Null when it cannot be paid. */
async function readTerms(db: Db, userId: string, row: PaymentLinkRow): Promise<Terms | null> {
  const { amount, currency, priceId, openAmountJson: open } = row;
  if (priceId !== null) {
    const price = await findUserPrice(db, userId, priceId);
    const product = price === undefined ? undefined : await findUserProduct(db, userId, price.productId);
    if (price?.active !== true || product?.active !== true) return null;
    const choice: PriceChoice = { kind: 'catalog', productId: product.id, priceId: price.id };
    const { recurringInterval: interval } = product;
    const recurring = interval === null ? null : { priceId: price.id, interval };
    return { currency: price.currency, fixed: { amount: price.amount, choice }, recurring, open: null };
  }
  if (currency === null) throw new Error(`payment link ${row.id} has no currency`);
  if (amount !== null) {
    const fixed = { amount, choice: { kind: 'amount', amount, currency } as const };
    return { currency, fixed, recurring: null, open: null };
  }
  return { currency, fixed: null, recurring: null, open: JSON.parse(open ?? '{}') as OpenAmount };
}
