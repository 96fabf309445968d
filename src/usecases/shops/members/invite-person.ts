import { emailKey } from '../../../domain/email.ts';
import { AppError, invalidField } from '../../../domain/errors.ts';
import type { MemberRole } from '../../../domain/roles.ts';
import {
  countInvitationsSince,
  endInvitation,
  insertInvitation,
} from '../../../store/merchants/invitations.ts';
import { noticeLanguage } from '../../../store/notices/notice-choices.ts';
import { listMembers } from '../../../store/merchants/members.ts';
import { findUser } from '../../../store/accounts/users.ts';
import type { UserRow } from '../../../store/schema/accounts.ts';
import type { InvitationRow } from '../../../store/schema/people.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { type AccountDeps, assertConfirmed, tokenHash } from '../../accounts/index.ts';
import { newId, randomBase62 } from '../../events/index.ts';
import { storeNoResult, type StoreResult } from '../../idempotent-result.ts';
import { invitationMail, queueMail } from '../../mail/index.ts';
import { findOwnMerchant } from '../../access/index.ts';

const DAY_MS = 86_400_000;
const LIFETIME_MS = 7 * DAY_MS;
/** 43 base62 characters carry the 256 bits of 32 random bytes. */
const TOKEN_LENGTH = 43;
/** Prevents flooding of strangers' mailboxes through a shop. */
const INVITATIONS_PER_DAY = 20;
const MEMBERS_MAX = 100;

export type PeopleDeps = Pick<AccountDeps, 'db' | 'clock' | 'secretBox' | 'baseUrl' | 'hasMailServer'>;

/** An invitation, and the link that accepts it: mailed, or forwarded by the owner where no mail arrives. */
export interface MadeInvitation {
  readonly row: InvitationRow;
  readonly link: string;
}

/**
 * Invites an email address to a shop; replaces an open invitation of the same address. Does not reveal
 * whether the address has an account.
 * @throws {AppError} MERCHANT_NOT_FOUND; FORBIDDEN for users other than the owner; VALIDATION_INVALID for a
 * person who is already a member; RATE_LIMITED after many in a day by the shop, by the account or to the
 * address; INVALID_STATE when the shop has too many people; EMAIL_UNCONFIRMED.
 */
export async function invitePerson(
  deps: PeopleDeps,
  input: {
    readonly userId: string;
    readonly merchantId: string;
    readonly email: string;
    readonly role: MemberRole;
  },
  storeResult: StoreResult<MadeInvitation> = storeNoResult,
): Promise<MadeInvitation> {
  const now = deps.clock.now();
  const token = randomBase62(TOKEN_LENGTH);
  const link = `${deps.baseUrl}/dashboard/join?token=${token}`;
  const row: InvitationRow = {
    id: newId('inv_'),
    merchantId: input.merchantId,
    email: input.email,
    emailKey: emailKey(input.email),
    role: input.role,
    tokenHash: tokenHash(token),
    createdAt: now,
    expiresAt: now + LIFETIME_MS,
    endedAt: null,
  };
  await deps.db.transaction(async (tx) => {
    const merchant = await findOwnMerchant(tx, input.userId, input.merchantId);
    const owner = await findUser(tx, input.userId);
    if (owner !== undefined) assertConfirmed(deps, owner);
    await assertNew(tx, { owner, merchantId: merchant.id, key: row.emailKey });
    await assertFew(tx, merchant.id, now);
    await endInvitation(tx, { merchantId: merchant.id, emailKey: row.emailKey, now });
    await insertInvitation(tx, row);
    const waitMs = await queueMail(tx, deps, {
      userId: input.userId,
      to: input.email,
      kind: 'notice',
      text: invitationMail({
        language: (await noticeLanguage(tx, input.userId)) ?? 'en',
        baseUrl: deps.baseUrl,
        link,
        shop: merchant.name,
        role: input.role,
      }),
      expiresAt: row.expiresAt,
    });
    if (waitMs > 0) throw tooManyMails(waitMs);
    await storeResult(tx, { row, link });
  });
  return { row, link };
}

function tooManyMails(waitMs: number): AppError {
  const message = 'Too many invitations were mailed to this address, or by this account: try again later';
  return new AppError('RATE_LIMITED', message, { retryAfterMs: waitMs });
}

async function assertNew(
  tx: Tx,
  {
    owner,
    merchantId,
    key,
  }: { readonly owner: UserRow | undefined; readonly merchantId: string; readonly key: string },
): Promise<void> {
  if (owner?.emailKey === key) throw invalidField('email', 'is your own: the shop is yours');
  const members = await listMembers(tx, merchantId);
  if (members.some(({ email }) => emailKey(email) === key)) {
    throw invalidField('email', 'belongs to a member of this shop: change the role instead');
  }
  if (members.length >= MEMBERS_MAX) {
    throw new AppError('INVALID_STATE', `A shop has at most ${MEMBERS_MAX} people`);
  }
}

async function assertFew(tx: Tx, merchantId: string, now: number): Promise<void> {
  const made = await countInvitationsSince(tx, merchantId, now - DAY_MS);
  if (made < INVITATIONS_PER_DAY) return;
  const message = `At most ${INVITATIONS_PER_DAY} invitations a day: try again tomorrow`;
  throw new AppError('RATE_LIMITED', message, { retryAfterMs: DAY_MS });
}
