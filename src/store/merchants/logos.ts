import type { Db } from '../sqlite/database.ts';
import type { MerchantLogoRow } from '../schema/merchants.ts';

/** A logo by the hash of its bytes; several shops may share it. */
export async function findLogo(
  db: Db,
  hash: string,
): Promise<Pick<MerchantLogoRow, 'type' | 'bytes'> | undefined> {
  return db
    .selectFrom('merchant_logos')
    .select(['type', 'bytes'])
    .where('hash', '=', hash)
    .limit(1)
    .executeTakeFirst();
}

/** Replaces the logo of a merchant. */
export async function upsertLogo(db: Db, row: MerchantLogoRow): Promise<void> {
  const { merchantId: _, ...changes } = row;
  await db
    .insertInto('merchant_logos')
    .values(row)
    .onConflict((conflict) => conflict.column('merchantId').doUpdateSet(changes))
    .execute();
}

export async function deleteLogo(db: Db, merchantId: string): Promise<void> {
  await db.deleteFrom('merchant_logos').where('merchantId', '=', merchantId).execute();
}
