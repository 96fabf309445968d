import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DataDirInUseError, lockDataDir, type DataDirLock } from '../../store/sqlite/data-dir.ts';
import { readSqliteMeta } from '../../store/sqlite/files.ts';
import type { ReplicaTarget } from '../litestream.ts';
import { ReplicaError } from '../litestream-process.ts';
import type { Standby } from '../restore-newest.ts';
import { catchUpWhole, lookAtNext, type Following } from './follow.ts';
import { openReplicaFiles } from './open-files.ts';
import { StandbyCopy } from './standby-copy.ts';

/** Where scripts/standby keeps its copy, in the data directory: on the same volume as the database that it becomes. */
export const STANDBY_FOLDER = 'standby';
/** A segment that did not grow for so long is not being written any more. */
const GROWS_WITHIN_MS = 15_000;
const MOST_LOOKS = 40;

/**
 * The copy that scripts/standby keeps in a data directory; null for none.
 * @param warn tells why a copy cannot be used
 * @throws {DataDirInUseError} while scripts/standby runs
 */
export function standbyIn(
  dataDir: string,
  target: ReplicaTarget,
  warn: (line: string) => void,
  growsWithinMs = GROWS_WITHIN_MS,
): Standby | null {
  const dir = join(dataDir, STANDBY_FOLDER);
  if (!existsSync(dir)) return null;
  const lock = lockUnlessBroken(dir);
  const copy = StandbyCopy.open(dir);
  return {
    take: async ({ epoch, generation }, path) => {
      const { generation: own } = copy;
      if (own?.epoch !== epoch || own.generation !== generation) return false;
      let hasAll = true;
      try {
        const files = await openReplicaFiles(target);
        try {
          hasAll = await takeAll({ files, copy, isLive: false }, growsWithinMs);
        } finally {
          files.close();
        }
        copy.finish(path);
        if (!hasAll)
          warn(`The last WAL segment in the replica is cut off, and Litestream cannot restore this replica at all.
The copy lacks what the first machine did after its last sign of life at ${lastHeartbeat(path)}.
If scripts/replicate still runs there, stop here, let it finish, and restore again.`);
        return true;
      } catch (error) {
        if (error instanceof GrowingError) throw error;
        // It stays useless, and the whole database needs its room.
        copy.discard();
        rmSync(path, { force: true });
        const why = error instanceof Error ? error.message : String(error);
        warn(`The copy of scripts/standby cannot be used: ${why}. The whole database is restored.`);
        return false;
      }
    },
    end: () => {
      copy.discard();
      lock?.release();
    },
  };
}

/**
 * Takes everything, and waits for a last segment that is still being written.
 * @returns false when it is cut off for good
 * @throws {GrowingError} when it is written for very long {ReplicaError} {BrokenWalError}
 */
async function takeAll(following: Following, growsWithinMs: number): Promise<boolean> {
  let before = '';
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    if (await catchUpWhole(following)) return true;
    const found = await lookAtNext(following);
    if (found === before) return false;
    before = found;
    await pause(growsWithinMs);
  }
  throw new GrowingError();
}

/** Neither a restore by Litestream would have it all: the copy stays for a later attempt. */
class GrowingError extends ReplicaError {
  override name = 'GrowingError';

  constructor() {
    super('the last WAL segment of the replica is still being written: restore again when that is over');
  }
}

/** When the daemon last wrote that it lives, every ten seconds. */
function lastHeartbeat(path: string): string {
  const at = Number(readSqliteMeta(path, 'replica_heartbeat') ?? Number.NaN);
  return Number.isNaN(at) ? 'a time that is not known' : new Date(at).toISOString();
}

/** Null where it cannot be locked, as when the disk is full. @throws {DataDirInUseError} */
function lockUnlessBroken(dir: string): DataDirLock | null {
  try {
    return lockDataDir(dir);
  } catch (error) {
    if (error instanceof DataDirInUseError) throw error;
    return null;
  }
}
