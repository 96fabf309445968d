import type { Config } from './config/config.ts';
import type { Logger } from './domain/ports.ts';
import type { Db } from './store/database.ts';
import { readMeta, writeMeta } from './store/meta.ts';
import { KeyringError, openKeyring, type Keyring } from './wallet/keyring.ts';
import { loadOrCreatePassphrase } from './wallet/passphrase.ts';

const FINGERPRINT = 'keyring_fingerprint';

/**
 * Opens the keyring and makes sure that it is the one the database was written with: addresses of
 * another seed would take money nobody can spend.
 * @throws {KeyringError} on a wrong passphrase, a missing, corrupt or foreign keyring.
 */
export async function unlockWallet(deps: { db: Db; config: Config; logger: Logger }): Promise<Keyring> {
  const { db, config, logger } = deps;
  const known = await readMeta(db, FINGERPRINT);
  const { passphrase, origin } = await loadOrCreatePassphrase({
    dataDir: config.dataDir,
    configured: config.keyring.passphrase?.reveal() ?? null,
  });
  if (origin !== 'configured' && config.network !== null) {
    logger.warn(
      {},
      'the keyring passphrase lies in the data directory beside the keyring: set TILLD_KEYRING_PASSPHRASE_FILE to keep it elsewhere',
    );
  }
  const { keyring, created } = await openKeyring({
    dataDir: config.dataDir,
    passphrase,
    argon2: config.keyring.argon2,
    mayCreate: known === null,
  });
  if (known !== null && known !== keyring.fingerprint) {
    keyring.wipe();
    throw new KeyringError(
      'keyring.json holds another seed than the one this database was written with: put the matching one back',
    );
  }
  if (known === null) await writeMeta(db, FINGERPRINT, keyring.fingerprint);
  if (created) logger.info({}, 'a new wallet seed was made: back up the data directory');
  return keyring;
}
