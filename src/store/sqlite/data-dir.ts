import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { holdExclusiveLock } from './files.ts';

/** The data directory is in use by another daemon, or unusable. The message is for the operator. */
export class DataDirError extends Error {
  override name = 'DataDirError';
}

export interface DataDirLock {
  /** Releases the lock; the operating system does so when the process dies. */
  release(): void;
}

/**
 * Creates the data directory (mode 0700) and locks it for this process: two daemons on one database would sign and
 * credit twice.
 * @throws {DataDirError} naming the process that holds the lock.
 */
export function lockDataDir(dataDir: string): DataDirLock {
  try {
    makeDirectory(resolve(dataDir));
    if (!statSync(dataDir).isDirectory()) throw new Error('not a directory');
    chmodSync(dataDir, 0o700);
  } catch (cause) {
    throw new DataDirError(`cannot use the data directory ${dataDir}: ${errorMessage(cause)}`, { cause });
  }
  const pidFile = join(dataDir, 'lock.pid');
  const lock = takeLock(dataDir);
  if (lock === null) {
    throw new DataDirError(
      `the data directory ${dataDir} is in use by another tilld (process ${holder(pidFile)}): stop it first, or set TILLD_DATA_DIR`,
    );
  }
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  return {
    release: () => {
      rmSync(pidFile, { force: true });
      lock.release();
    },
  };
}

function takeLock(dataDir: string): ReturnType<typeof holdExclusiveLock> {
  try {
    return holdExclusiveLock(join(dataDir, 'lock'));
  } catch (cause) {
    const why = `${errorMessage(cause)}; it must be writable, and have free space`;
    throw new DataDirError(`cannot use the data directory ${dataDir}: ${why}`, { cause });
  }
}

/** Creates one level at a time: Node's recursive mkdir never returns where nothing can be created (/proc). */
function makeDirectory(path: string): void {
  const missing: string[] = [];
  for (let at = path; !existsSync(at); at = dirname(at)) missing.push(at);
  for (const directory of missing.toReversed()) mkdirSync(directory, { mode: 0o700 });
}

function holder(pidFile: string): string {
  try {
    return readFileSync(pidFile, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
