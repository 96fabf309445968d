import type { Db, Tx } from '../sqlite/database.ts';
import type { PaymentLinkRow } from '../schema/payment-links.ts';

export async function insertPaymentLink(tx: Tx, row: PaymentLinkRow): Promise<void> {
  await tx.insertInto('payment_links').values(row).execute();
}

/** A link by its id, of any merchant; deleted ones are not found. */
export async function findPaymentLink(db: Db, id: string): Promise<PaymentLinkRow | undefined> {
  return db
    .selectFrom('payment_links')
    .selectAll()
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
}

/** The link at an address, even if it was deleted. */
export async function findLinkBySlug(db: Db, slug: string): Promise<PaymentLinkRow | undefined> {
  return db.selectFrom('payment_links').selectAll().where('slug', '=', slug).executeTakeFirst();
}

export async function updatePaymentLink(
  tx: Tx,
  id: string,
  changes: Partial<Omit<PaymentLinkRow, 'id' | 'merchantId' | 'slug' | 'kind'>> & { updatedAt: number },
): Promise<PaymentLinkRow> {
  return tx
    .updateTable('payment_links')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Clears the redirects for payers of a merchant's links. */
export async function clearSuccessUrls(tx: Tx, merchantId: string, now: number): Promise<void> {
  await tx
    .updateTable('payment_links')
    .set({ successUrl: null, updatedAt: now })
    .where('merchantId', '=', merchantId)
    .where('successUrl', 'is not', null)
    .execute();
}

export interface PaymentLinkFilter {
  readonly merchantId: string;
  readonly priceId?: string | undefined;
  readonly active?: boolean | undefined;
}

/** One page of a merchant's links, newest first, with the exact total. */
export async function listPaymentLinks(
  db: Db,
  { merchantId, priceId, active }: PaymentLinkFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ rows: PaymentLinkRow[]; total: number }> {
  let links = db
    .selectFrom('payment_links')
    .where('merchantId', '=', merchantId)
    .where('deletedAt', 'is', null);
  if (priceId !== undefined) links = links.where('priceId', '=', priceId);
  if (active !== undefined) links = links.where('active', '=', active);
  const rows = await links
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  const counted = await links.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { rows, total: counted.total };
}
