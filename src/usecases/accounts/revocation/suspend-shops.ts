import { endAllSessions } from '../../../store/accounts/sessions.ts';
import { incrementAllTokenVersions } from '../../../store/accounts/users.ts';
import { suspendAllMerchants, updateMerchant } from '../../../store/merchants/merchants.ts';
import type { Db, Tx } from '../../../store/sqlite/database.ts';
import type { Clock } from '../../../domain/ports.ts';
import { findOwnMerchant } from '../../access/index.ts';

/**
 * For a database whose later revocations are unknown: secret keys, keys with wallet:send and members are
 * valid again once the owner of the shop has confirmed them, and every user signs in again.
 */
export async function suspendShops(tx: Tx, now: number): Promise<void> {
  await suspendAllMerchants(tx, now);
  await incrementAllTokenVersions(tx, now);
  await endAllSessions(tx);
}

/**
 * Lifts the suspension of a shop. @throws {AppError} MERCHANT_NOT_FOUND; FORBIDDEN for users other than the
 * owner.
 */
export async function confirmKeys(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { userId, merchantId }: { readonly userId: string; readonly merchantId: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const { id } = await findOwnMerchant(tx, userId, merchantId);
    await updateMerchant(tx, id, { suspendedAt: null, updatedAt: clock.now() });
  });
}
