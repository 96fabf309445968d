import { invalidField } from '../../../domain/errors.ts';

/** Compared without case: guessers try `Password1` as soon as `password1`. */
async function load(): Promise<ReadonlySet<string>> {
  // Some 50,000 leaked passwords, read when a user sets one and not at every start.
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].map(String));
}

let loading: Promise<ReadonlySet<string>> | null = null;

/**
 * Rejects a new password that guessers try first. Existing ones remain valid.
 * @param field its name in the request
 * @throws {AppError} VALIDATION_INVALID
 */
export async function assertUncommon(password: string, field: 'password' | 'newPassword'): Promise<void> {
  loading ??= load();
  const common = await loading;
  if (!common.has(password.normalize('NFKC').toLowerCase())) return;
  const message = 'is one of the most common passwords: choose another';
  throw invalidField(field, message, 'too_common');
}
