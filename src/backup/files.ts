import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BackupError } from './backup-error.ts';

/** An empty folder of mode 0700 in place of whatever an interrupted run left there. */
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

/** Waits until a file's contents, or a folder's entries, are on the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Gives a finished file its name in one step that also survives a power cut.
 * @throws {BackupError} when something has that name already: it is never replaced.
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

/** Removes what earlier runs that were killed left in a folder. */
export async function removeStale(dir: string, prefix: string): Promise<void> {
  for (const name of await readdir(dir)) {
    if (name.startsWith(prefix) && name.endsWith('.tmp')) await rm(`${dir}/${name}`, { force: true });
  }
}
