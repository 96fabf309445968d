import { emailKey } from '../../../domain/email.ts';
import { AppError } from '../../../domain/errors.ts';
import { insertAudit } from '../../../store/audit-log.ts';
import { findAccountToken, useAccountToken } from '../../../store/accounts/account-tokens.ts';
import { deletePasskeys } from '../../../store/accounts/passkeys.ts';
import { changePasswordHash, findUser, markVerified } from '../../../store/accounts/users.ts';
import { listMerchants } from '../../../store/merchants/merchants.ts';
import type { UserRow } from '../../../store/schema/accounts.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { endShopKeys } from '../../access/index.ts';
import type { AccountDeps } from '../account-deps.ts';
import { invalidToken, tokenHash } from '../account-link.ts';
import { assertUncommon } from './common-passwords.ts';
import { sealClient, type Client } from '../sessions/dashboard-session.ts';
import { revokeCredentials } from '../revocation/revoke-credentials.ts';
import { endedLines, revokeUnprovenAccess, type EndedAccess } from '../revocation/revoke-unproven-access.ts';
import { mailNotice } from '../mail-notice.ts';
import { trustNetwork } from '../sessions/network.ts';
import { isFactorOn } from './review-reset.ts';

export interface ResetInput {
  readonly token: string;
  readonly password: string;
  /** Also deletes the passkeys of the account, and revokes all keys of its shops. */
  readonly endPasskeys: boolean;
  readonly endKeys: boolean;
  readonly network: string;
  readonly client: Client;
}

const NOTHING: EndedAccess = {
  passkeys: 0,
  secondFactor: false,
  memberships: 0,
  people: 0,
  keys: 0,
  webhooks: 0,
  shops: [],
};

/**
 * Sets a new password with a mailed token, once, and revokes earlier credentials. The arrival of the mail
 * verifies the address: if it was not verified before, everything that gives access is revoked, because a
 * stranger may have registered it. On a confirmed account a second factor stays, and passkeys and keys are
 * revoked on request.
 * @returns what was revoked besides sessions and tokens
 * @throws {AppError} VALIDATION_INVALID for an invalid token, or one of the most common passwords;
 * INVALID_STATE for passkeys and keys of an account with a second factor, which the mail alone does not
 * revoke.
 */
export async function resetPassword(deps: AccountDeps, input: ResetInput): Promise<EndedAccess> {
  const { db, clock, guard } = deps;
  const hash = tokenHash(input.token);
  const find = { purpose: 'reset-password', hash } as const;
  // Cheap check first: a password hash costs memory and time. The transaction below decides.
  const seen = await findAccountToken(db, { ...find, now: clock.now() });
  if (seen === undefined || seen.usedAt !== null) throw invalidToken();
  await assertUncommon(input.password, 'password');
  const next = await deps.passwords.hash(input.password);
  const { user, ended } = await db.transaction(async (tx) => {
    const now = clock.now();
    const stored = await findAccountToken(tx, { ...find, now });
    const before = stored === undefined ? undefined : await findUser(tx, stored.userId);
    if (before === undefined || !(await useAccountToken(tx, hash, now))) throw invalidToken();
    const access = await endAccess(tx, deps, before, input);
    await markVerified(tx, before.id, now);
    await changePasswordHash(tx, { id: before.id, next, now });
    await noteReset(tx, deps, before, input.client);
    const kind = before.isVerified ? 'password-changed' : 'address-proven';
    await mailNotice(tx, deps, before, kind, (texts) => endedLines(access, texts));
    return {
      user: (await revokeCredentials(tx, { userId: before.id, keep: null, now })).user,
      ended: access,
    };
  });
  guard.forgive({ account: emailKey(user.email), userId: user.id, network: input.network });
  await trustNetwork(deps, user.id, input.network);
  return ended;
}

async function endAccess(
  tx: Tx,
  deps: AccountDeps,
  user: UserRow,
  { endPasskeys, endKeys }: ResetInput,
): Promise<EndedAccess> {
  if (!user.isVerified) return revokeUnprovenAccess(tx, deps, user.id);
  if (!endPasskeys && !endKeys) return NOTHING;
  if (await isFactorOn(tx, user.id)) {
    const message = 'Two-factor sign-in is on: sign in with a code, then remove passkeys and keys there';
    throw new AppError('INVALID_STATE', message);
  }
  const passkeys = endPasskeys ? await deletePasskeys(tx, user.id) : 0;
  let keys = 0;
  for (const { id } of endKeys ? await listMerchants(tx, user.id) : [])
    keys += await endShopKeys(tx, id, deps.clock.now());
  return { ...NOTHING, passkeys, keys };
}

/** No user is signed in yet, so the request itself adds no line to the audit log. */
async function noteReset(tx: Tx, deps: AccountDeps, user: UserRow, client: Client): Promise<void> {
  await insertAudit(tx, {
    at: deps.clock.now(),
    merchantId: null,
    actorKind: 'user',
    actorId: user.id,
    actorName: user.email,
    action: 'POST /auth/reset-password',
    objectId: null,
    clientSealed: sealClient(deps.secretBox, client),
    result: 'OK',
  });
}
