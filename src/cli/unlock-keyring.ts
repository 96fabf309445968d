import { excludeMemoryFromCoreDumps } from '../app/core-dumps.ts';
import { isFile } from '../backup/files.ts';
import type { Config } from '../config/config.ts';
import { openKeyring, type Keyring } from '../wallet/keyring.ts';
import { loadOrCreatePassphrase } from '../wallet/passphrase.ts';
import { UsageError } from './command.ts';

/** Opens the keyring of a data directory by the configured passphrase. @throws {UsageError} {KeyringError} */
export async function unlockKeyring(config: Config): Promise<Keyring> {
  excludeMemoryFromCoreDumps();
  const { dataDir } = config;
  if (!(await isFile(`${dataDir}/keyring.json`))) {
    throw new UsageError(`${dataDir} has no keyring.json (set TILLD_DATA_DIR or --data-dir)`);
  }
  const configured = config.keyring.passphrase?.reveal() ?? null;
  const { passphrase } = await loadOrCreatePassphrase({ dataDir, configured });
  const { keyring } = await openKeyring({
    dataDir,
    passphrase,
    argon2: config.keyring.argon2,
    mayCreate: false,
  });
  return keyring;
}
