import type { Scope } from './contract.ts';
import { base64url, randomText } from './request.ts';

/**
 * Values that a shop stores while the owner decides: the verifier stays secret, the state is returned with
 * the redirect.
 */
export interface ConnectSecrets {
  readonly codeVerifier: string;
  readonly codeChallenge: string;
  readonly state: string;
}

/** A new verifier and challenge for one connect request (RFC 7636, S256), and its state. */
export async function connectSecrets(): Promise<ConnectSecrets> {
  const codeVerifier = randomText();
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier));
  return { codeVerifier, codeChallenge: base64url(new Uint8Array(digest)), state: randomText() };
}

export interface ConnectRequest {
  readonly baseUrl: string;
  /** Name of the requesting shop; becomes the name of the key. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Redirect target of the owner, with `code` and `state`, or with `error`. */
  readonly redirectUrl: string;
  readonly state: string;
  readonly codeChallenge: string;
}

/** The page on which the owner of a shop agrees to a key for it. */
export function connectUrl({ baseUrl, scopes, ...rest }: ConnectRequest): string {
  const { name, redirectUrl, state, codeChallenge } = rest;
  const query = new URLSearchParams({ name, scopes: scopes.join(' '), redirectUrl, state, codeChallenge });
  return `${baseUrl.replace(/\/+$/, '')}/connect?${query}`;
}
