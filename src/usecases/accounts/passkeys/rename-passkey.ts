import { AppError } from '../../../domain/errors.ts';
import { renamePasskeyRow } from '../../../store/accounts/passkeys.ts';
import type { AccountDeps } from '../account-deps.ts';
import { toPasskey, type Passkey } from './list-passkeys.ts';
import { passkeySite } from './relying-party.ts';

/** Renames a passkey. @throws {AppError} PASSKEY_NOT_FOUND. */
export async function renamePasskey(
  { db, baseUrl }: Pick<AccountDeps, 'db' | 'baseUrl'>,
  passkey: { userId: string; id: string; name: string },
): Promise<Passkey> {
  const row = await renamePasskeyRow(db, passkey);
  if (row === undefined) throw new AppError('PASSKEY_NOT_FOUND', 'No such passkey');
  return toPasskey(row, passkeySite(baseUrl).site);
}
