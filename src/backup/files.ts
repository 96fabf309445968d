import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BackupError } from './backup-error.ts';

/** Creates an empty folder of mode 0700, removing leftovers of an interrupted run. */
export async function freshDirectory(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { mode: 0o700 });
}

export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

export async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Syncs a file's contents, or a folder's entries, to the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Renames a finished file atomically and durably.
 * @throws {BackupError} if the name exists: an existing file is never replaced.
 */
export async function publish(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
    await rm(temporary);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') throw new BackupError(`${path} already exists: a backup never replaces another`);
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS') throw error;
    // Volumes without hard links.
    if (await isFile(path)) throw new BackupError(`${path} already exists: a backup never replaces another`);
    await rename(temporary, path);
  }
  await sync(dirname(path));
}

/** Removes leftovers of killed runs from a folder. */
export async function removeStale(dir: string, prefix: string): Promise<void> {
  for (const name of await readdir(dir)) {
    if (name.startsWith(prefix) && name.endsWith('.tmp')) await rm(`${dir}/${name}`, { force: true });
  }
}
