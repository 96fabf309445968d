import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteMeta, readSqliteMeta } from '../store/sqlite/files.ts';

const KEY = 'epoch_marker';

/** A database of one row whose replica shows that an epoch has begun. */
export interface EpochMarker {
  readonly path: string;
  /** Name of its generation in the replica; null before Litestream has begun one. */
  generation(): string | null;
}

/**
 * Lends a marker, which Litestream publishes at once, whereas the first snapshot of the real database may
 * take minutes.
 */
export async function withEpochMarker<T>(
  epoch: number,
  work: (marker: EpochMarker) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tilld-epoch-'));
  try {
    const path = join(folder, 'marker.sqlite');
    createSqliteMeta(path, KEY, String(epoch));
    return await work({ path, generation: () => readGeneration(folder) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Litestream 0.3 stores the name in a folder next to the database. */
function readGeneration(folder: string): string | null {
  try {
    return readFileSync(join(folder, '.marker.sqlite-litestream', 'generation'), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Whether a restored file is only the marker of an epoch. */
export function isEpochMarker(path: string): boolean {
  return readSqliteMeta(path, KEY) !== null;
}
