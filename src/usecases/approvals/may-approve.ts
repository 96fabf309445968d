import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { type MissingForApproval, missingForApproval } from '../../domain/send/approval.ts';
import { limitsAt } from '../../domain/send/limit-change.ts';
import type { StoredApproval } from '../../store/sends/send-approvals.ts';
import { findLimits } from '../../store/sends/wallet-limits.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { authorizeMerchant } from '../access/index.ts';
import { findProof } from '../accounts/index.ts';

/** A signed-in user. */
export interface Person {
  readonly userId: string;
  /** The dashboard session, which has just proven itself; null for a user token, which has not. */
  readonly sessionId: string | null;
}

/** The shop, for its owner and its approvers. @throws {AppError} MERCHANT_NOT_FOUND, FORBIDDEN */
export async function requireDecider(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { userId, merchantId }: { readonly userId: string; readonly merchantId: string },
): Promise<MerchantRow> {
  const { merchant, role } = await authorizeMerchant(db, userId, merchantId);
  const { limits } = limitsAt(await findLimits(db, merchantId), clock.now());
  if (role !== 'owner' && !limits.approvers.includes(userId))
    throw new AppError('FORBIDDEN', MESSAGES.permission);
  return merchant;
}

/** What a person lacks to approve a send; null: nothing. @throws {AppError} MERCHANT_NOT_FOUND */
export async function findMissing(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { userId, sessionId }: Person,
  { merchantId, askerId }: Pick<StoredApproval, 'merchantId' | 'askerId'>,
): Promise<MissingForApproval> {
  const { role } = await authorizeMerchant(db, userId, merchantId);
  const { limits } = limitsAt(await findLimits(db, merchantId), clock.now());
  const hasSecondFactor = sessionId !== null && (await findProof(db, userId)) === 'code';
  return missingForApproval(limits.approvers, askerId, {
    userId,
    isOwner: role === 'owner',
    hasSecondFactor,
  });
}

const MESSAGES: Readonly<Record<Exclude<MissingForApproval, null>, string>> = {
  permission: 'You are not among the approvers of this shop',
  other_person: 'You ordered this send, or created the key that did: another approver has to decide',
  second_factor:
    'Without another approver, the owner approves in the dashboard with a code of the authenticator app: set it up first',
};

/** @throws {AppError} FORBIDDEN, MERCHANT_NOT_FOUND */
export async function requireMayApprove(
  deps: { readonly db: Db; readonly clock: Clock },
  person: Person,
  approval: StoredApproval,
): Promise<void> {
  const missing = await findMissing(deps, person, approval);
  if (missing === null) return;
  const details = [{ field: 'approver', code: missing, message: MESSAGES[missing] }];
  throw new AppError('FORBIDDEN', MESSAGES[missing], { details });
}
