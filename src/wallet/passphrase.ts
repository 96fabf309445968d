import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { KeyringError } from './keyring-file.ts';
import { createPrivateFile, readPrivateFile } from './private-file.ts';

const PASSPHRASE_FILE = 'keyring-passphrase';

export interface Passphrase {
  readonly passphrase: string;
  /** `configured` by the operator, `stored` in the data directory, or just now `generated` into it. */
  readonly origin: 'configured' | 'stored' | 'generated';
}

/**
 * The passphrase of the keyring: the configured one, otherwise that of DATA_DIR/keyring-passphrase, which is
 * created with 256 random bits if neither it nor a keyring exists.
 * @throws {KeyringError} if a keyring exists but its passphrase is missing.
 */
export async function loadOrCreatePassphrase(options: {
  readonly dataDir: string;
  readonly configured: string | null;
}): Promise<Passphrase> {
  if (options.configured !== null) return { passphrase: options.configured, origin: 'configured' };
  const path = join(options.dataDir, PASSPHRASE_FILE);
  const stored = (await readPrivateFile(path))?.trim();
  if (stored === '')
    throw new KeyringError(
      `${path} is empty: restore it from your own copy, because backups do not contain it`,
    );
  if (stored !== undefined) return { passphrase: stored, origin: 'stored' };
  if ((await readPrivateFile(join(options.dataDir, 'keyring.json'))) !== null) {
    throw new KeyringError(
      `keyring.json needs its passphrase: set TILLD_KEYRING_PASSPHRASE_FILE, or restore ${path} from your own copy, because backups do not contain it`,
    );
  }
  const passphrase = randomBytes(32).toString('base64url');
  if (!(await createPrivateFile(path, `${passphrase}\n`))) return loadOrCreatePassphrase(options);
  return { passphrase, origin: 'generated' };
}
