import type { AuthenticatorTransport, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { findUserPasskeys } from '../../../store/accounts/passkeys.ts';
import type { PasskeyRow } from '../../../store/schema/accounts.ts';
import type { AccountDeps } from '../account-deps.ts';
import { CHALLENGE_MS, newChallenge } from './passkey-challenge.ts';
import { passkeySite, type RelyingParty } from './relying-party.ts';

/** Options for the browser; null where the user has no passkey to ask for. */
export interface PasskeyOptions {
  readonly options: PublicKeyCredentialRequestOptionsJSON | null;
  /** The origin where passkeys work; null, with the reason, where they work nowhere. */
  readonly origin: string | null;
  readonly reason: string | null;
}

type AskDeps = Pick<AccountDeps, 'db' | 'clock' | 'secretBox' | 'baseUrl'>;

const transports = z.array(z.string());

/** A passkey in the form of a browser's options. */
export function toDescriptor({ credentialId, transportsJson }: PasskeyRow) {
  return {
    id: credentialId,
    type: 'public-key' as const,
    // Browsers ignore unknown values.
    transports: transports.parse(JSON.parse(transportsJson)) as AuthenticatorTransport[],
  };
}

/**
 * Options for signing in with a passkey. They reveal nothing about any account: the browser offers the
 * passkeys it has.
 */
export function signInOptions(deps: AskDeps): PasskeyOptions {
  const { site, reason } = passkeySite(deps.baseUrl);
  if (site === null) return { options: null, origin: null, reason };
  const options = requestOptions(site, newChallenge(deps, { purpose: 'sign-in' }), []);
  return { options, origin: site.origin, reason: null };
}

/**
 * Options for a signed-in user to prove possession of one of their passkeys that work here; there may be
 * none.
 */
export async function stepUpOptions(
  deps: AskDeps,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
): Promise<PasskeyOptions> {
  const { site, reason } = passkeySite(deps.baseUrl);
  if (site === null) return { options: null, origin: null, reason };
  const passkeys = (await findUserPasskeys(deps.db, userId)).filter(({ rpId }) => rpId === site.id);
  if (passkeys.length === 0) return { options: null, origin: site.origin, reason: null };
  const challenge = newChallenge(deps, { purpose: 'step-up', sessionId });
  return { options: requestOptions(site, challenge, passkeys), origin: site.origin, reason: null };
}

function requestOptions(
  { id }: RelyingParty,
  challenge: Uint8Array,
  allowed: readonly PasskeyRow[],
): PublicKeyCredentialRequestOptionsJSON {
  return {
    challenge: Buffer.from(challenge).toString('base64url'),
    rpId: id,
    timeout: CHALLENGE_MS,
    userVerification: 'required',
    allowCredentials: allowed.map(toDescriptor),
  };
}
