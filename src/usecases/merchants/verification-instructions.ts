import { assertNever } from '../../domain/errors.ts';

export const VERIFICATION_METHODS = ['dns', 'file', 'meta'] as const;
export type VerificationMethod = (typeof VERIFICATION_METHODS)[number];

/** What the owner of a domain must publish for a method, in words. */
export function verificationInstructions(method: VerificationMethod, domain: string, token: string): string {
  switch (method) {
    case 'dns':
      return `Add a TXT record named _tilld-challenge.${domain} with the value token=${token}`;
    case 'file':
      return `Serve https://${domain}/.well-known/tilld-verification.txt with ${token} as its content`;
    case 'meta':
      return `Add <meta name="tilld-verification" content="${token}"> to the head of https://${domain}/`;
    default:
      return assertNever(method);
  }
}
