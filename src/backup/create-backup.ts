import { createHash, randomBytes } from 'node:crypto';
import { copyFile, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Argon2Cost } from '../domain/argon2-cost.ts';
import { copySqlite, holdExclusiveLock, readSqliteMeta, sqliteProblems } from '../store/sqlite/files.ts';
import { openKeyring } from '../wallet/keyring.ts';
import { BackupError } from './backup-error.ts';
import { freshDirectory, isFile, publish, removeStale, sha256 } from './files.ts';
import { ARCHIVED, decryptArchive, encryptArchive } from './encrypted-archive.ts';

/** Its modification time is that of the last successful backup. */
const LAST_BACKUP_FILE = 'last-backup';

export interface CreateBackupOptions {
  readonly dataDir: string;
  /** Target file, or a folder for a file named after the time. */
  readonly target: string;
  /** The keyring's passphrase: the only secret needed to restore. */
  readonly passphrase: string;
  readonly cost: Argon2Cost;
  readonly now: Date;
}

/**
 * Backs up database and keyring of a data directory, whether its daemon runs or not. The file gets its name
 * only after it was written, synced, read back, decrypted and verified; leftovers of a killed run are removed
 * by the next one.
 * @throws {BackupError} {KeyringError}
 */
export async function createBackup(options: CreateBackupOptions): Promise<{ path: string; bytes: number }> {
  const { dataDir } = options;
  for (const name of ARCHIVED) {
    if (!(await isFile(join(dataDir, name)))) {
      throw new BackupError(`${dataDir} has no ${name}: nothing to back up (set TILLD_DATA_DIR)`);
    }
  }
  const lock = holdExclusiveLock(join(dataDir, 'backup.lock'));
  if (lock === null) throw new BackupError(`another backup of ${dataDir} is running`);
  const work = join(dataDir, 'backup.tmp');
  try {
    const path = await targetFile(options);
    await freshDirectory(work);
    await snapshot(options, work);
    const bytes = await writeVerified(options, work, path);
    await writeFile(join(dataDir, LAST_BACKUP_FILE), `${options.now.toISOString()}\n`, { mode: 0o600 });
    return { path, bytes };
  } finally {
    await rm(work, { recursive: true, force: true });
    lock.release();
  }
}

async function targetFile({ target, now }: CreateBackupOptions): Promise<string> {
  const path = resolve(target);
  const isDirectory = await stat(path).then(
    (found) => found.isDirectory(),
    () => target.endsWith('/'),
  );
  if (!isDirectory) {
    if (await isFile(path)) throw new BackupError(`${path} already exists: a backup never replaces another`);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return path;
  }
  await mkdir(path, { recursive: true, mode: 0o700 });
  return join(path, `tilld-${now.toISOString().replace(/[:.]/g, '')}.backup`);
}

/** A consistent snapshot of the database, and its keyring. */
async function snapshot(options: CreateBackupOptions, work: string): Promise<void> {
  const { dataDir, passphrase, cost } = options;
  const { keyring } = await openKeyring({ dataDir, passphrase, argon2: cost, mayCreate: false });
  const { fingerprint } = keyring;
  keyring.wipe();
  await copyFile(join(dataDir, 'keyring.json'), join(work, 'keyring.json'));
  const copy = join(work, 'tilld.sqlite');
  copySqlite(join(dataDir, 'tilld.sqlite'), copy);
  assertSound(copy, 'the database');
  if (readSqliteMeta(copy, 'keyring_fingerprint') !== fingerprint) {
    throw new BackupError(`${dataDir}: keyring.json has another seed than the database`);
  }
}

async function writeVerified(options: CreateBackupOptions, work: string, path: string): Promise<number> {
  const { dataDir, passphrase, cost, now } = options;
  const folder = dirname(path);
  // Named after the data directory, because several may share a backup folder.
  const tag = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 12);
  const prefix = `.tilld-backup-${tag}-`;
  await removeStale(folder, prefix);
  const temporary = join(folder, `${prefix}${randomBytes(6).toString('hex')}.tmp`);
  try {
    await encryptArchive({ dir: work, target: temporary, passphrase, cost, createdAt: now });
    const readBack = join(work, 'verify');
    await freshDirectory(readBack);
    await decryptArchive({ source: temporary, dir: readBack, passphrase });
    assertSound(join(readBack, 'tilld.sqlite'), 'the backup');
    for (const name of ARCHIVED) {
      if ((await sha256(join(work, name))) !== (await sha256(join(readBack, name)))) {
        throw new BackupError(`${name} in the backup differs from the original: check the disk`);
      }
    }
    const { size } = await stat(temporary);
    await publish(temporary, path);
    return size;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** @throws {BackupError} when SQLite finds the file damaged. */
function assertSound(path: string, what: string): void {
  const problems = sqliteProblems(path);
  if (problems.length > 0) throw new BackupError(`${what} is damaged: ${problems.join('; ')}`);
}
