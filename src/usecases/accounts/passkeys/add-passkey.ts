import type {
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { AppError } from '../../../domain/errors.ts';
import { unauthorised } from '../../../domain/unauthorised.ts';
import { insertPasskey, findUserPasskeys } from '../../../store/accounts/passkeys.ts';
import { findUser } from '../../../store/accounts/users.ts';
import type { PasskeyRow, UserRow } from '../../../store/schema/accounts.ts';
import { newId } from '../../events/index.ts';
import type { AccountDeps } from '../account-deps.ts';
import { assertConfirmed } from '../assert-confirmed.ts';
import { toDescriptor } from './passkey-options.ts';
import { revokeCredentials } from '../revocation/revoke-credentials.ts';
import { mailNotice } from '../mail-notice.ts';
import {
  decodeBase64url,
  CHALLENGE_MS,
  newChallenge,
  verifyChallenge,
  spendChallenge,
  type OpenChallenge,
} from './passkey-challenge.ts';
import { toPasskey, type Passkey } from './list-passkeys.ts';
import { passkeyRefused, requirePasskeySite, type RelyingParty } from './relying-party.ts';
import type { CurrentSession, RenewedSession } from '../sessions/renew-session.ts';

/** Maximum number of passkeys per user. */
const MOST = 20;

/** EdDSA, ES256 and RS256: the algorithms of authenticators in use. */
const ALGORITHMS = [-8, -7, -257];

/** A new credential as returned by the browser, reduced to the fields that are read. */
export interface Attestation {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly response: {
    readonly clientDataJSON: string;
    readonly attestationObject: string;
    readonly transports?: readonly string[] | undefined;
  };
}

/**
 * Options with which a browser creates a passkey for a signed-in user.
 * @throws {AppError} INVALID_STATE where passkeys are unavailable or the user has too many;
 * EMAIL_UNCONFIRMED.
 */
export async function registrationOptions(
  deps: AccountDeps,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { id } = requirePasskeySite(deps.baseUrl);
  const user = await requireUser(deps, userId);
  assertConfirmed(deps, user);
  const existing = await findUserPasskeys(deps.db, userId);
  if (existing.length >= MOST) throw tooMany();
  const challenge = newChallenge(deps, { purpose: 'add', sessionId });
  return {
    challenge: Buffer.from(challenge).toString('base64url'),
    rp: { id, name: id },
    // The user handle is not the email address: authenticators display the name, and return the handle to any
    // page that asks.
    user: { id: Buffer.from(user.id).toString('base64url'), name: user.email, displayName: user.email },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_MS,
    attestation: 'none',
    excludeCredentials: existing.filter(({ rpId }) => rpId === id).map(toDescriptor),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
  };
}

/**
 * Stores a passkey that the browser created (Web Authentication level 3, section 7.1), and notifies its user
 * by email. Revokes earlier credentials, because a passkey often replaces a password that others may know.
 * @throws {AppError} INVALID_CREDENTIALS when it does not answer the challenge of this session; INVALID_STATE
 * where passkeys are unavailable, the user has too many, or this one is already stored.
 */
export async function addPasskey(
  deps: AccountDeps,
  input: { userId: string; session: CurrentSession; name: string; attestation: Attestation },
): Promise<{ passkey: Passkey; renewed: RenewedSession | null }> {
  const { userId, session, name, attestation } = input;
  const site = requirePasskeySite(deps.baseUrl);
  const user = await requireUser(deps, userId);
  assertConfirmed(deps, user);
  const { challenge, ...credential } = await readAttestation(deps, site, session.id, attestation);
  const row: PasskeyRow = {
    id: newId('psk_'),
    userId,
    ...credential,
    rpId: site.id,
    name,
    createdAt: deps.clock.now(),
    lastUsedAt: null,
  };
  return deps.db.transaction(async (tx) => {
    if (!(await spendChallenge(tx, challenge))) throw passkeyRefused();
    if ((await findUserPasskeys(tx, userId)).length >= MOST) throw tooMany();
    if (!(await insertPasskey(tx, row))) {
      throw new AppError('INVALID_STATE', 'This passkey is already stored');
    }
    await mailNotice(tx, deps, user, 'passkey-added');
    const { renewed } = await revokeCredentials(tx, { userId, keep: session, now: row.createdAt });
    return { passkey: toPasskey(row, site), renewed };
  });
}

type Credential = Pick<
  PasskeyRow,
  'credentialId' | 'publicKey' | 'counter' | 'transportsJson' | 'backedUp'
> & { readonly challenge: OpenChallenge };

async function readAttestation(
  deps: AccountDeps,
  { id, origin }: RelyingParty,
  sessionId: string,
  attestation: Attestation,
): Promise<Credential> {
  // Loaded on first use: it takes a quarter of a second and some 25 MB.
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  if (!(await isWithoutCertificates(attestation))) throw passkeyRefused();
  let challenge: OpenChallenge | null = null;
  const verified = await verifyRegistrationResponse({
    response: asJson(attestation),
    expectedChallenge: (given) =>
      (challenge = verifyChallenge(deps, { purpose: 'add', sessionId }, given)) !== null,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch((error: unknown) => {
    deps.logger.debug({ err: error }, 'registration of a passkey rejected');
    return null;
  });
  if (verified?.verified !== true || challenge === null) throw passkeyRefused();
  const { credential, credentialBackedUp } = verified.registrationInfo;
  if (credential.id !== attestation.id) throw passkeyRefused();
  return {
    challenge,
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transportsJson: JSON.stringify(attestation.response.transports ?? []),
    backedUp: credentialBackedUp,
  };
}

/**
 * Certificates are not requested, and browsers then send none. Certificates sent anyway are not read, because
 * a lookup would make the server contact addresses named in them.
 */
async function isWithoutCertificates({ response }: Attestation): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  try {
    const decoded = decodeAttestationObject(decodeBase64url(response.attestationObject));
    const format = decoded.get('fmt');
    return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined);
  } catch {
    return false;
  }
}

function asJson({ id, rawId, type, response }: Attestation): RegistrationResponseJSON {
  const { clientDataJSON, attestationObject, transports = [] } = response;
  return {
    id,
    rawId,
    type,
    clientExtensionResults: {},
    response: {
      clientDataJSON,
      attestationObject,
      transports: [...transports] as AuthenticatorTransport[],
    },
  };
}

async function requireUser(deps: Pick<AccountDeps, 'db'>, userId: string): Promise<UserRow> {
  const user = await findUser(deps.db, userId);
  if (user === undefined) throw unauthorised('expired');
  return user;
}

function tooMany(): AppError {
  return new AppError('INVALID_STATE', `You have ${MOST} passkeys already: remove one first`);
}
