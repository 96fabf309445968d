import { invalidField } from '../../../domain/errors.ts';
import type { Scope } from '../../../domain/scopes.ts';
import { redirectWith, type RedirectRule } from './redirect-url.ts';

/** A shop's request for the owner's approval. */
export interface ConnectRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly redirectUrl: string;
  readonly state: string;
  /** Base64url of the SHA-256 of the code verifier (RFC 7636, S256). */
  readonly codeChallenge: string;
}

/** @throws {AppError} VALIDATION_INVALID for a redirect URL that the rule rejects. */
export function assertRedirectUrl(rule: RedirectRule, redirectUrl: string): void {
  const problem = rule(redirectUrl);
  if (problem !== null) throw invalidField('redirectUrl', problem);
}

/** The redirect of an owner who declines. @throws {AppError} like assertRedirectUrl. */
export function deniedUrl(
  { redirectRule }: { readonly redirectRule: RedirectRule },
  { redirectUrl, state }: ConnectRequest,
): string {
  assertRedirectUrl(redirectRule, redirectUrl);
  return redirectWith(redirectUrl, { error: 'access_denied', state });
}
