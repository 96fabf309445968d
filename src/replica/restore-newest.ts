import { rmSync } from 'node:fs';
import { isEpochMarker } from './epoch-marker.ts';
import {
  LONG_READ_TIMEOUT_MS,
  readGenerations,
  restoreGeneration,
  type GenerationName,
  type ReplicaTarget,
} from './litestream.ts';
import { ReplicaError } from './litestream-process.ts';
import { highestEpoch } from './assert-not-fenced.ts';

/** Which epoch's database was restored, and the newest epoch that had begun. */
export interface RestoredEpoch {
  readonly epoch: number;
  readonly highest: number;
}

/**
 * Restores the newest database of the replica into a new file: that of the highest epoch with a database, and
 * of its generations the one with the newest data. A machine that took over and failed before its first
 * snapshot left only a marker of its epoch. A generation that cannot be restored is an error and not a reason
 * to restore an older state, because that is the operator's decision.
 * @param skipped generations that are not to be restored
 * @throws {ReplicaError} if the storage contains no database or cannot be read
 */
export async function restoreNewest(
  target: ReplicaTarget,
  path: string,
  skipped: readonly string[],
): Promise<RestoredEpoch> {
  const highest = await highestEpoch(target);
  if (highest === 0) throw new ReplicaError('the location has no replica');
  for (let epoch = highest; epoch > 0; epoch -= 1) {
    const { found } = await readGenerations(target, epoch, LONG_READ_TIMEOUT_MS);
    for (const { name: generation } of found) {
      if (skipped.includes(generation)) continue;
      await restoreNamed(target, { epoch, generation }, path);
      if (!isEpochMarker(path)) return { epoch, highest };
      rmSync(path);
    }
  }
  throw new ReplicaError('the replica has no snapshot of a database');
}

/** @throws {ReplicaError} with the generation and the option to skip it */
async function restoreNamed(target: ReplicaTarget, name: GenerationName, path: string): Promise<void> {
  const { epoch, generation } = name;
  await restoreGeneration(target, name, path).catch((cause: unknown) => {
    if (!(cause instanceof ReplicaError)) throw cause;
    throw new ReplicaError(
      `generation ${generation} of epoch ${epoch} cannot be restored: ${cause.message}. For the newest state before it: --skip ${generation}`,
      { cause },
    );
  });
}
