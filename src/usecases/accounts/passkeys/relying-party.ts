import { isIP } from 'node:net';
import { AppError } from '../../../domain/errors.ts';

/** The site that passkeys are bound to: its domain, and the only origin whose pages may use them. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/** Whether this installation supports passkeys, and otherwise the reason. */
type Availability =
  { readonly site: RelyingParty; readonly reason: null } | { readonly site: null; readonly reason: string };

/** The WebAuthn relying party that follows from a public address. */
export function passkeySite(baseUrl: string): Availability {
  const { protocol, hostname, origin } = new URL(baseUrl);
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) {
    return refused('Passkeys need a domain name: TILLD_BASE_URL contains an IP address.');
  }
  if (protocol !== 'https:' && !isLocal) return refused('Passkeys need an https address (TILLD_BASE_URL).');
  return { site: { id: hostname, origin }, reason: null };
}

/** @throws {AppError} INVALID_STATE with the reason where passkeys are unavailable. */
export function requirePasskeySite(baseUrl: string): RelyingParty {
  const { site, reason } = passkeySite(baseUrl);
  if (site === null) throw new AppError('INVALID_STATE', reason);
  return site;
}

/** The same error for every fault in an authenticator's answer. */
export function passkeyRefused(): AppError {
  return new AppError('INVALID_CREDENTIALS', 'This passkey was not accepted');
}

function refused(reason: string): Availability {
  return { site: null, reason };
}
