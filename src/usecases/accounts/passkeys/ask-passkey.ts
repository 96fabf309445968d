import type { AuthenticatorTransport, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { findUserPasskeys } from '../../../store/accounts/passkeys.ts';
import type { PasskeyRow } from '../../../store/schema/accounts.ts';
import type { AccountDeps } from '../account-deps.ts';
import { CHALLENGE_MS, newChallenge } from './passkey-challenge.ts';
import { passkeySite, type RelyingParty } from './relying-party.ts';

/** What a page hands to the browser; null where there is nothing to ask for. */
export interface PasskeyQuestion {
  readonly options: PublicKeyCredentialRequestOptionsJSON | null;
  /** Where passkeys work; null with the reason why nowhere. */
  readonly origin: string | null;
  readonly reason: string | null;
}

type AskDeps = Pick<AccountDeps, 'db' | 'clock' | 'secretBox' | 'baseUrl'>;

const transports = z.array(z.string());

/** A passkey as the options of a browser name it. */
export function toDescriptor({ credential_id, transports_json }: PasskeyRow) {
  return {
    id: credential_id,
    type: 'public-key' as const,
    // Browsers pass over those they do not know.
    transports: transports.parse(JSON.parse(transports_json)) as AuthenticatorTransport[],
  };
}

/** Asks whoever is there to sign in by a passkey. It tells nothing of any account: the browser offers what it has. */
export function askToSignIn(deps: AskDeps): PasskeyQuestion {
  const { site, reason } = passkeySite(deps.baseUrl);
  if (site === null) return { options: null, origin: null, reason };
  const options = requestOptions(site, newChallenge(deps, { purpose: 'sign-in' }), []);
  return { options, origin: site.origin, reason: null };
}

/** Asks a user who is signed in for one of their passkeys that work here; there may be none. */
export async function askToStepUp(
  deps: AskDeps,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
): Promise<PasskeyQuestion> {
  const { site, reason } = passkeySite(deps.baseUrl);
  if (site === null) return { options: null, origin: null, reason };
  const own = (await findUserPasskeys(deps.db, userId)).filter(({ rp_id }) => rp_id === site.id);
  if (own.length === 0) return { options: null, origin: site.origin, reason: null };
  const challenge = newChallenge(deps, { purpose: 'step-up', sessionId });
  return { options: requestOptions(site, challenge, own), origin: site.origin, reason: null };
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
