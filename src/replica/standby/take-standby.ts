import { join } from 'node:path';
import { lockDataDir } from '../../store/sqlite/data-dir.ts';
import type { GenerationName, ReplicaTarget } from '../litestream.ts';
import type { Standby } from '../restore-newest.ts';
import { assertWhole } from './follow.ts';
import { openReplicaFiles } from './open-files.ts';
import { StandbyCopy } from './standby-copy.ts';

/** Where scripts/standby keeps its copy, in the data directory: on the same volume as the database that it becomes. */
export const STANDBY_FOLDER = 'standby';

/**
 * The copy that scripts/standby keeps in a data directory; undefined for none.
 * @param warn tells why a copy cannot be used
 */
export function standbyIn(
  dataDir: string,
  target: ReplicaTarget,
  warn: (line: string) => void,
): Standby | undefined {
  const dir = join(dataDir, STANDBY_FOLDER);
  if (!StandbyCopy.isIn(dir)) return undefined;
  return {
    take: async (generation, path) => {
      const lock = lockDataDir(dir);
      try {
        await take(target, dir, { generation, path });
        return true;
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        warn(`The copy of scripts/standby cannot be used: ${why}. The whole database is restored.`);
        return false;
      } finally {
        lock.release();
      }
    },
  };
}

async function take(
  target: ReplicaTarget,
  dir: string,
  { generation, path }: { readonly generation: GenerationName; readonly path: string },
): Promise<void> {
  const copy = StandbyCopy.open(dir);
  const { generation: own } = copy;
  if (own?.epoch !== generation.epoch || own.generation !== generation.generation)
    throw new Error(
      `it is of generation ${own?.generation ?? 'none'}, and the newest is ${generation.generation}`,
    );
  const files = await openReplicaFiles(target);
  try {
    await assertWhole(files, copy);
  } finally {
    files.close();
  }
  copy.finish(path);
}
