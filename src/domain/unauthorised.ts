import { AppError } from './errors.ts';

/**
 * Why a credential is not accepted. A caller learns more than `unknown` only about a credential that it holds in
 * full: keys are compared by the hash of the whole key, and the signature of a user token is checked first.
 */
export const CREDENTIAL_PROBLEMS = ['missing', 'malformed', 'unknown', 'expired', 'wrong_kind'] as const;
export type CredentialProblem = (typeof CREDENTIAL_PROBLEMS)[number];

const TEXTS: Readonly<Record<CredentialProblem, readonly [message: string, detail: string]>> = {
  missing: ['No credential: send the header Authorization: Bearer <credential>', 'is missing'],
  malformed: [
    'The credential is malformed: the header must be Authorization: Bearer <credential>, with a whole key or user token',
    'is malformed',
  ],
  unknown: [
    'The credential is unknown on this server: it never existed, or was replaced or deleted',
    'is unknown',
  ],
  expired: ['The credential has expired or was revoked', 'has expired or was revoked'],
  wrong_kind: ['This kind of credential is not accepted here', 'is of the wrong kind'],
};

/** A 401 that says in its details what is wrong with the credential. */
export function unauthorised(problem: CredentialProblem, message = TEXTS[problem][0]): AppError {
  const details = [{ field: 'authorization', code: problem, message: TEXTS[problem][1] }];
  return new AppError('UNAUTHORISED', message, { details });
}
