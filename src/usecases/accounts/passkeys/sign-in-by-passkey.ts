import { createHash } from 'node:crypto';
import { AppError } from '../../../domain/errors.ts';
import { findPasskey } from '../../../store/accounts/passkeys.ts';
import type { UserRow } from '../../../store/schema/accounts.ts';
import type { AccountDeps } from '../account-deps.ts';
import { isKnownNetwork, recordSignIn } from '../sessions/network.ts';
import { requirePasskeySite } from './relying-party.ts';
import { verifyPasskey, type Assertion } from './verify-passkey.ts';

/**
 * The user who signs in with a passkey alone. The authenticator has verified its user, so it counts as both
 * factors. Attempts are rate limited per passkey, so that password guessing does not lock out the owner of a
 * passkey.
 * @throws {AppError} INVALID_CREDENTIALS, also for an unknown passkey; RATE_LIMITED after many failures;
 * INVALID_STATE where passkeys are unavailable.
 */
export async function signInByPasskey(
  deps: AccountDeps,
  { assertion, network }: { readonly assertion: Assertion; readonly network: string },
): Promise<UserRow> {
  requirePasskeySite(deps.baseUrl);
  const attempt = await deps.guard.beginSignIn({
    // Hashed, because anonymous clients may send long ids of passkeys that do not exist.
    account: `passkey ${createHash('sha256').update(assertion.id).digest('base64url')}`,
    network,
    isKnown: async () => {
      const passkey = await findPasskey(deps.db, assertion.id);
      return passkey !== undefined && isKnownNetwork(deps, passkey.userId, network);
    },
  });
  const by = { use: { purpose: 'sign-in' }, userId: null } as const;
  const user = await verifyPasskey(deps, assertion, by).catch((error: unknown) => {
    if (!(error instanceof AppError)) attempt.cancel();
    throw error;
  });
  attempt.succeed();
  await recordSignIn(deps, user, network);
  return user;
}
