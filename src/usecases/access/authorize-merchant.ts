import { AppError } from '../../domain/errors.ts';
import type { Role } from '../../domain/roles.ts';
import { memberRole } from '../../store/merchants/members.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Db } from '../../store/sqlite/database.ts';

export interface Reached {
  readonly merchant: MerchantRow;
  /** The user's role in the shop. */
  readonly role: Role;
}

/** A shop that the user owns or is a member of; null for any other. */
export async function findReachable(db: Db, userId: string, merchantId: string): Promise<Reached | null> {
  const merchant = await findMerchant(db, merchantId);
  if (merchant === undefined) return null;
  if (merchant.userId === userId) return { merchant, role: 'owner' };
  const role = await memberRole(db, merchantId, userId);
  return role === null ? null : { merchant, role };
}

/**
 * @throws {AppError} MERCHANT_NOT_FOUND for a shop that the user neither owns nor is a member of; FORBIDDEN
 * for a member while the shop is suspended.
 */
export async function authorizeMerchant(db: Db, userId: string, merchantId: string): Promise<Reached> {
  const reached = await findReachable(db, userId, merchantId);
  if (reached === null) throw new AppError('MERCHANT_NOT_FOUND', 'Merchant not found');
  if (reached.role !== 'owner' && reached.merchant.suspendedAt !== null)
    throw new AppError(
      'FORBIDDEN',
      'This shop waits for its owner to confirm keys and members after a restore',
    );
  return reached;
}
