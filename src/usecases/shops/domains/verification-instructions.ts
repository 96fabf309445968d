import type { VerificationMethod } from '../../../domain/domain-verification.ts';
import { assertNever } from '../../../domain/errors.ts';

/** Instructions for the owner of a domain about what to publish for a method. */
export function verificationInstructions(method: VerificationMethod, domain: string, token: string): string {
  switch (method) {
    case 'dns':
      return `Add a TXT record named _tilld-challenge.${domain} with the value token=${token}`;
    case 'file':
      return `Serve https://${domain}/.well-known/tilld-verification.txt with token=${token} as its only content`;
    case 'meta':
      return `Add <meta name="tilld-verification" content="${token}"> to the head of https://${domain}/`;
    default:
      return assertNever(method);
  }
}
