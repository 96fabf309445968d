import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { AppError } from '../../../domain/errors.ts';
import { findPasskey, recordPasskeyUse } from '../../../store/accounts/passkeys.ts';
import { findUser } from '../../../store/accounts/users.ts';
import type { PasskeyRow, UserRow } from '../../../store/schema/accounts.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import type { AccountDeps } from '../account-deps.ts';
import { mailNotice } from '../mail-notice.ts';
import {
  decodeBase64url,
  verifyChallenge,
  spendChallenge,
  type ChallengeUse,
  type OpenChallenge,
} from './passkey-challenge.ts';
import { passkeyRefused, requirePasskeySite } from './relying-party.ts';

/** The browser's answer for an authenticator, reduced to the fields that are read. */
export interface Assertion {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle?: string | null | undefined;
  };
}

/** The data that an authenticator signed. */
interface Signed {
  readonly challenge: OpenChallenge;
  readonly counter: number;
  readonly backedUp: boolean;
}

/**
 * The user whose passkey made an assertion (Web Authentication level 3, section 7.2). The authenticator must
 * have verified its user; a challenge is valid once.
 * @param userId required owner of the passkey; null for any owner
 * @throws {AppError} INVALID_CREDENTIALS, the same for every fault except a signature counter that went back;
 * INVALID_STATE where passkeys are unavailable.
 */
export async function verifyPasskey(
  deps: AccountDeps,
  assertion: Assertion,
  { use, userId }: { readonly use: ChallengeUse; readonly userId: string | null },
): Promise<UserRow> {
  const passkey = await findPasskey(deps.db, assertion.id);
  if (passkey === undefined || !belongsTo(passkey, assertion, userId)) throw passkeyRefused();
  const signed = await readAssertion(deps, assertion, { passkey, use });
  const outcome = await deps.db.transaction((tx) =>
    consumeAssertion(tx, deps, passkey.id, assertion.id, signed),
  );
  if (outcome === 'copied') {
    deps.logger.warn(
      { userId: passkey.userId, passkeyId: passkey.id, counter: signed.counter },
      'passkey rejected: its signature counter went back; its authenticator may have been cloned',
    );
    throw new AppError(
      'INVALID_CREDENTIALS',
      'This passkey was rejected: its counter went back, as if it had been copied. Sign in with the password and remove it',
    );
  }
  if (outcome === null) throw passkeyRefused();
  return outcome;
}

/** Without a user id in the request, the authenticator must name the passkey's user. */
function belongsTo(passkey: PasskeyRow, { response }: Assertion, userId: string | null): boolean {
  const { userHandle } = response;
  const handle = Buffer.from(passkey.userId).toString('base64url');
  if (userId !== null && passkey.userId !== userId) return false;
  return userHandle === null || userHandle === undefined ? userId !== null : userHandle === handle;
}

/** @throws {AppError} INVALID_CREDENTIALS for anything the standard does not accept. */
async function readAssertion(
  deps: AccountDeps,
  assertion: Assertion,
  { passkey, use }: { readonly passkey: PasskeyRow; readonly use: ChallengeUse },
): Promise<Signed> {
  const { id, origin } = requirePasskeySite(deps.baseUrl);
  // Loaded on first use: it takes a quarter of a second and some 25 MB.
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  let challenge: OpenChallenge | null = null;
  const outcome = await verifyAuthenticationResponse({
    response: asJson(assertion),
    expectedChallenge: (given) => (challenge = verifyChallenge(deps, use, given)) !== null,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    // The counter is compared once the signature is verified, in the transaction that records it.
    credential: { id: passkey.credentialId, publicKey: decodeBase64url(passkey.publicKey), counter: 0 },
  }).catch((error: unknown) => {
    deps.logger.debug({ passkeyId: passkey.id, err: error }, 'sign-in or step-up with a passkey rejected');
    return null;
  });
  if (outcome?.verified !== true || challenge === null) throw passkeyRefused();
  const { newCounter, credentialBackedUp } = outcome.authenticationInfo;
  return { challenge, counter: newCounter, backedUp: credentialBackedUp };
}

/**
 * Consumes the challenge and stores the counter. @returns the user; null when the challenge was answered
 * before, or the passkey was deleted.
 */
async function consumeAssertion(
  tx: Tx,
  deps: AccountDeps,
  passkeyId: string,
  credentialId: string,
  { challenge, counter, backedUp }: Signed,
): Promise<UserRow | 'copied' | null> {
  const passkey = await findPasskey(tx, credentialId);
  if (passkey?.id !== passkeyId || !(await spendChallenge(tx, challenge))) return null;
  const user = await findUser(tx, passkey.userId);
  if (user === undefined) return null;
  // Step 22: authenticators without a counter always report 0, as do those that sync their passkeys.
  const counts = counter > 0 || passkey.counter > 0;
  if (counts && counter <= passkey.counter) {
    await mailNotice(tx, deps, user, 'passkey-copied');
    return 'copied';
  }
  await recordPasskeyUse(tx, { id: passkey.id, counter, backedUp, now: deps.clock.now() });
  return user;
}

function asJson({ id, rawId, type, response }: Assertion): AuthenticationResponseJSON {
  const { clientDataJSON, authenticatorData, signature } = response;
  return {
    id,
    rawId,
    type,
    clientExtensionResults: {},
    response: { clientDataJSON, authenticatorData, signature },
  };
}
