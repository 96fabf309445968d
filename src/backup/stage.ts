import { existsSync, readdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDataDir } from '../store/sqlite/data-dir.ts';
import { BackupError } from './backup-error.ts';
import { freshDirectory, isFile, sync } from './files.ts';

const STAGE = 'restore.tmp';
/** Files that an otherwise empty data directory may contain. */
const HARMLESS = new Set(['lock', 'lock-journal', 'lock.pid', 'lost+found', STAGE]);
/** The keyring comes last: without it no daemon starts, so a half-filled directory is never used. */
const PUBLISHED = ['tilld.sqlite', 'keyring-passphrase', 'keyring.json'];

/**
 * Fills an empty data directory, all or nothing: files are staged in a subfolder that no daemon reads, and
 * moved into place when complete and synced. Locks the directory meanwhile.
 * @throws {BackupError} if the directory is not empty.
 */
export async function fillDataDir<T>(dataDir: string, work: (stage: string) => Promise<T>): Promise<T> {
  assertEmpty(dataDir);
  const lock = lockDataDir(dataDir);
  const stage = join(dataDir, STAGE);
  try {
    assertEmpty(dataDir);
    await freshDirectory(stage);
    const result = await work(stage);
    const files: string[] = [];
    const lists = readdirSync(stage).filter((name) => name.startsWith('revocations.'));
    for (const name of [...lists, ...PUBLISHED]) if (await isFile(join(stage, name))) files.push(name);
    for (const name of files) await sync(join(stage, name));
    for (const name of files) await rename(join(stage, name), join(dataDir, name));
    await sync(dataDir);
    return result;
  } finally {
    await rm(stage, { recursive: true, force: true });
    lock.release();
  }
}

function assertEmpty(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  const existing = readdirSync(dataDir).filter((name) => !HARMLESS.has(name));
  if (existing.length === 0) return;
  throw new BackupError(
    `${dataDir} is not empty (it contains ${existing.slice(0, 3).join(', ')}): restore into a new directory, existing files are not overwritten`,
  );
}
