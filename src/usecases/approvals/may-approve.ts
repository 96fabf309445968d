import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import {
  type MissingForApproval,
  missingForApproval,
  secondFactorCountsFrom,
} from '../../domain/send/approval.ts';
import { isoTime } from '../../domain/iso-time.ts';
import { isUnconfirmed, limitsAt } from '../../domain/send/limit-change.ts';
import type { SendPolicy } from '../../domain/send/policy.ts';
import type { StoredApproval } from '../../store/sends/send-approvals.ts';
import { findLimits } from '../../store/sends/wallet-limits.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { authorizeMerchant } from '../access/index.ts';
import { findSecondFactorSetUpAt } from '../accounts/index.ts';

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

export interface MayApproveDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly policy: Pick<SendPolicy, 'limitDelayMs'>;
}

/** What a person lacks to approve a send; null: nothing. @throws {AppError} MERCHANT_NOT_FOUND */
export async function findMissing(
  { db, clock, policy }: MayApproveDeps,
  { userId, sessionId }: Person,
  { merchantId, askerId }: Pick<StoredApproval, 'merchantId' | 'askerId'>,
): Promise<MissingForApproval> {
  const { merchant } = await authorizeMerchant(db, userId, merchantId);
  const now = clock.now();
  const stored = limitsAt(await findLimits(db, merchantId), now);
  // Its approvers may have been removed since.
  if (isUnconfirmed(stored, now)) return 'limits_unconfirmed';
  const { limits } = stored;
  const secondFactorSetUpAt = sessionId === null ? null : await findSecondFactorSetUpAt(db, userId, now);
  const person = { userId, ownerId: merchant.userId, secondFactorSetUpAt };
  return missingForApproval(limits.approvers, askerId, person, { policy, now });
}

const MESSAGES: Readonly<Record<Exclude<MissingForApproval, null>, string>> = {
  permission: 'You are not among the approvers of this shop',
  other_person: 'You ordered this send, or created the key that did: another approver has to decide',
  second_factor:
    'A send is approved in the dashboard, with a code of the authenticator app or a passkey: set up the app first',
  limits_unconfirmed:
    'The limits are those of an older copy of the database: the owner has to confirm them before sends are approved',
  new_second_factor: 'Your authenticator app, or the passkey that you used, was set up too short a time ago',
};

/** @throws {AppError} FORBIDDEN, MERCHANT_NOT_FOUND */
export async function requireMayApprove(
  deps: MayApproveDeps,
  person: Person,
  approval: StoredApproval,
): Promise<void> {
  const missing = await findMissing(deps, person, approval);
  if (missing === null) return;
  const message = `${MESSAGES[missing]}${missing === 'new_second_factor' ? await countsFrom(deps, person) : ''}`;
  throw new AppError('FORBIDDEN', message, { details: [{ field: 'approver', code: missing, message }] });
}

async function countsFrom({ db, clock, policy }: MayApproveDeps, { userId }: Person): Promise<string> {
  const setUpAt = await findSecondFactorSetUpAt(db, userId, clock.now());
  return setUpAt === null ? '' : `: it counts from ${isoTime(secondFactorCountsFrom(setUpAt, policy))}`;
}
