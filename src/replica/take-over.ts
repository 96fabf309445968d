import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../store/sqlite/database.ts';
import { readEpoch, writeEpoch } from './epoch.ts';
import { readGenerations, whileReplicating, type ReplicaTarget } from './litestream.ts';
import { ReplicaError } from './litestream-process.ts';
import { highestEpoch } from './vet-start.ts';
import { LOOK_EVERY_MS } from './watch.ts';

const PUBLISH_LIMIT_MS = 120_000;
const POLL_MS = 100;
/** A look begins every ten seconds, unless one is under way, and its answers may take fifteen; with ten to spare. */
const FENCED_AFTER_MS = LOOK_EVERY_MS + 35_000;

/**
 * Begins a new epoch: writes it to the database and shows it beside the replica, so that a machine of an earlier epoch
 * stops. The caller holds the lock of the data directory.
 * @returns the epoch, and how long a machine of an earlier one may need to see it
 * @throws {ReplicaError} when the replica cannot be read or written, or another machine takes over at the same time
 */
export async function takeOver(
  db: Db,
  target: ReplicaTarget,
  databasePath: string,
): Promise<{ readonly epoch: number; readonly waitMs: number }> {
  const known = await readEpoch(db);
  const highest = await highestEpoch(target);
  // The next number, and no later one: that is what the other machine looks for.
  const epoch = (highest === 0 ? (known?.number ?? 0) : highest) + 1;
  await writeEpoch(db, { number: epoch, state: 'new' });
  try {
    await whileReplicating(target, { epoch, databasePath }, async () => untilShown(target, epoch));
    const { count } = await readGenerations(target, epoch);
    if (count > 1)
      throw new ReplicaError(
        `another machine takes over at the same time (epoch ${epoch}): let one win, then try again`,
      );
    await writeEpoch(db, { number: epoch, state: 'shown' });
  } catch (error) {
    // Not this machine's: a daemon must not start on it.
    await writeEpoch(db, { number: epoch, state: 'restored' });
    throw error;
  }
  return { epoch, waitMs: FENCED_AFTER_MS };
}

async function untilShown(target: ReplicaTarget, epoch: number): Promise<void> {
  const until = performance.now() + PUBLISH_LIMIT_MS;
  while ((await readGenerations(target, epoch)).count === 0) {
    if (performance.now() > until) throw new ReplicaError('the new epoch did not appear in the replica');
    await pause(POLL_MS);
  }
}

/** Begins a new epoch without a replica, by the operator's word alone. */
export async function beginEpoch(db: Db): Promise<void> {
  const known = await readEpoch(db);
  if (known !== null) await writeEpoch(db, { number: known.number + 1, state: 'new' });
}
