import { rmSync } from 'node:fs';
import { isEpochMarker } from './epoch-marker.ts';
import {
  LONG_LOOK_TIMEOUT_MS,
  readGenerations,
  restoreGeneration,
  type GenerationName,
  type ReplicaTarget,
} from './litestream.ts';
import { ReplicaError } from './litestream-process.ts';
import { highestEpoch } from './vet-start.ts';

/** Which epoch's database was restored, and the newest epoch that had begun. */
export interface RestoredEpoch {
  readonly epoch: number;
  readonly highest: number;
  /** Whether the copy of a standby was used. */
  readonly isFromStandby: boolean;
}

/** A copy of the replica that is nearly up to date. */
export interface Standby {
  /**
   * Puts the newest state of a generation at a path.
   * @returns false for another generation, or a copy that cannot be used, which the operator is told
   */
  take(generation: GenerationName, path: string): Promise<boolean>;
  /** Removes what is left of it. */
  end(): void;
}

export interface RestoreNewestOptions {
  /** Generations that are not to be restored. */
  readonly skipped: readonly string[];
  readonly standby?: Standby | null;
}

/**
 * The generations that may hold the newest database: those of the highest epoch first, and of these the one with the
 * newest data. A machine that took over and died before its first snapshot left only a marker of its epoch.
 * @throws {ReplicaError} when the place holds no replica or cannot be read
 */
export async function* newestGenerations(
  target: ReplicaTarget,
  signal?: AbortSignal,
): AsyncGenerator<GenerationName & { readonly highest: number }> {
  const highest = await highestEpoch(target, signal);
  if (highest === 0) throw new ReplicaError('the place holds no replica');
  for (let epoch = highest; epoch > 0; epoch -= 1) {
    const { found } = await readGenerations(target, epoch, { timeoutMs: LONG_LOOK_TIMEOUT_MS, signal });
    for (const { name } of found) yield { epoch, generation: name, highest };
  }
}

/**
 * Restores the newest database of the replica into a new file: that of the highest epoch which has one.
 * A generation that cannot be restored is an error and no reason to take an older state: that is the operator's choice.
 * @throws {ReplicaError} when the place holds no database or cannot be read
 */
export async function restoreNewest(
  target: ReplicaTarget,
  path: string,
  { skipped, standby }: RestoreNewestOptions,
): Promise<RestoredEpoch> {
  for await (const { highest, ...name } of newestGenerations(target)) {
    const { epoch, generation } = name;
    if (skipped.includes(generation)) continue;
    if ((await standby?.take(name, path)) === true) return { epoch, highest, isFromStandby: true };
    await restoreGeneration(target, name, path).catch((cause: unknown) => {
      if (!(cause instanceof ReplicaError)) throw cause;
      throw new ReplicaError(
        `generation ${generation} of epoch ${epoch} cannot be restored: ${cause.message}. For the newest state before it: --skip ${generation}`,
        { cause },
      );
    });
    if (!isEpochMarker(path)) return { epoch, highest, isFromStandby: false };
    rmSync(path);
  }
  throw new ReplicaError('the replica holds no snapshot of a database');
}
