import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Logger } from '../domain/ports.ts';
import type { Db } from '../store/sqlite/database.ts';
import { readMeta, writeMeta } from '../store/meta.ts';
import { KEYRING_FILE, KeyringError, openKeyring, type Keyring } from '../wallet/keyring.ts';
import { loadOrCreatePassphrase } from '../wallet/passphrase.ts';
import { createPrivateFile } from '../wallet/private-file.ts';

export const DATABASE_FILE = 'tilld.sqlite';
const FINGERPRINT = 'keyring_fingerprint';
/**
 * Created before the keyring, removed once the database records its fingerprint; left over if a first start
 * crashed.
 */
const NEW_KEYRING_FILE = 'keyring.new';

/**
 * Rejects a keyring without its database before a new, empty database is created, which would issue the
 * addresses of earlier customers again.
 * @throws {KeyringError} with the remedy.
 */
export async function refuseLostDatabase(dataDir: string): Promise<void> {
  if ((await bytesIn(join(dataDir, KEYRING_FILE))) === null) return;
  if ((await bytesIn(join(dataDir, NEW_KEYRING_FILE))) !== null) return;
  const path = join(dataDir, DATABASE_FILE);
  const bytes = await bytesIn(path);
  if (bytes === null || (bytes === 0 && !(await bytesIn(`${path}-wal`)))) throw lostDatabase(dataDir);
}

/**
 * Opens the keyring and checks that it belongs to the database, because money paid to addresses of another
 * seed could not be spent.
 * @throws {KeyringError} on a wrong passphrase, a missing, corrupt or foreign keyring, and on a database that
 * has no keyring recorded although one exists.
 */
export async function unlockWallet(deps: { db: Db; config: Config; logger: Logger }): Promise<Keyring> {
  const { db, config, logger } = deps;
  const { dataDir } = config;
  const known = await readMeta(db, FINGERPRINT);
  const { passphrase, origin } = await loadOrCreatePassphrase({
    dataDir,
    configured: config.keyring.passphrase?.reveal() ?? null,
  });
  if (origin !== 'configured' && config.network !== null) {
    logger.warn(
      {},
      'keyring passphrase stored next to the keyring, in the data directory: set TILLD_KEYRING_PASSPHRASE_FILE to keep it elsewhere',
    );
  }
  if (known === null) await noteFirstStart(dataDir);
  const { keyring, created } = await openKeyring({
    dataDir,
    passphrase,
    argon2: config.keyring.argon2,
    mayCreate: known === null,
  });
  if (known !== null && known !== keyring.fingerprint) {
    keyring.wipe();
    throw new KeyringError('keyring.json has another seed than this database: restore the matching file');
  }
  if (known === null) await writeMeta(db, FINGERPRINT, keyring.fingerprint);
  await rm(join(dataDir, NEW_KEYRING_FILE), { force: true });
  if (created) logger.info({}, 'new wallet seed created: back up the data directory');
  return keyring;
}

/** @throws {KeyringError} if this cannot be the first start. */
async function noteFirstStart(dataDir: string): Promise<void> {
  const note = join(dataDir, NEW_KEYRING_FILE);
  if ((await bytesIn(note)) !== null) return;
  if ((await bytesIn(join(dataDir, KEYRING_FILE))) !== null) throw lostDatabase(dataDir);
  await createPrivateFile(note, '');
}

function lostDatabase(dataDir: string): KeyringError {
  const path = join(dataDir, DATABASE_FILE);
  return new KeyringError(
    `${path} is missing or empty, but ${join(dataDir, KEYRING_FILE)} is there: a new database would assign addresses of earlier customers again. ` +
      'Put the latest tilld.sqlite back; or restore a backup into a new data directory (tillctl restore FILE --data-dir NEW); or, without any backup, ' +
      'restore the money from the words that tillctl seed show prints (tillctl seed restore --data-dir NEW)',
  );
}

async function bytesIn(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
