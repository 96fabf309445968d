import { AppError } from '../../../domain/errors.ts';
import type { Role } from '../../../domain/roles.ts';
import { endInvitation, findOpenInvitation } from '../../../store/merchants/invitations.ts';
import { upsertMember } from '../../../store/merchants/members.ts';
import { findMerchant } from '../../../store/merchants/merchants.ts';
import { findUser } from '../../../store/accounts/users.ts';
import type { InvitationRow } from '../../../store/schema/people.ts';
import type { MerchantRow } from '../../../store/schema/merchants.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import {
  type CurrentSession,
  revokeCredentials,
  invalidToken,
  type RenewedSession,
  tokenHash,
} from '../../accounts/index.ts';
import type { PeopleDeps } from './invite-person.ts';

export interface Invited {
  readonly merchant: MerchantRow;
  readonly role: Role;
  /** The invited address: only its account can accept. */
  readonly email: string;
}

/**
 * The content of an invitation, for the holder of its link. @throws {AppError} VALIDATION_INVALID for one
 * that is no longer valid.
 */
export async function readInvitation(deps: PeopleDeps, token: string): Promise<Invited> {
  const { merchant, row } = await openInvitation(deps.db, token, deps.clock.now());
  return { merchant, role: row.role, email: row.email };
}

/**
 * Makes a user a member of the shop that invited their address. This consumes the invitation and revokes the
 * user's earlier credentials, except the caller's session.
 * @throws {AppError} VALIDATION_INVALID for an invitation that is no longer valid; FORBIDDEN for another
 * address.
 */
export async function acceptInvitation(
  deps: PeopleDeps,
  {
    userId,
    token,
    session,
  }: { readonly userId: string; readonly token: string; readonly session: CurrentSession },
): Promise<Invited & { readonly renewed: RenewedSession | null }> {
  const now = deps.clock.now();
  return deps.db.transaction(async (tx) => {
    const { merchant, row } = await openInvitation(tx, token, now);
    const user = await findUser(tx, userId);
    if (user?.emailKey !== row.emailKey) {
      throw new AppError('FORBIDDEN', `This invitation is for ${row.email}: sign in with that address`);
    }
    await endInvitation(tx, { merchantId: merchant.id, id: row.id, now });
    await upsertMember(tx, { merchantId: merchant.id, userId, role: row.role, createdAt: now });
    const { renewed } = await revokeCredentials(tx, { userId, keep: session, now });
    return { merchant, role: row.role, email: row.email, renewed };
  });
}

async function openInvitation(
  db: Db,
  token: string,
  now: number,
): Promise<{ readonly merchant: MerchantRow; readonly row: InvitationRow }> {
  const row = await findOpenInvitation(db, tokenHash(token), now);
  const merchant = row === undefined ? undefined : await findMerchant(db, row.merchantId);
  if (row === undefined || merchant === undefined) throw invalidToken();
  return { merchant, row };
}
