import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../store/sqlite/database.ts';
import { readEpoch, writeEpoch, type Epoch } from './epoch.ts';
import { withEpochMarker, type EpochMarker } from './epoch-marker.ts';
import { readGenerations, whileReplicating, type ReplicaTarget } from './litestream.ts';
import { ReplicaError } from './litestream-process.ts';
import { highestEpoch } from './assert-not-fenced.ts';
import { CHECK_INTERVAL_MS } from './watch.ts';

const PUBLISH_LIMIT_MS = 120_000;
const POLL_MS = 100;
/**
 * A check begins every ten seconds unless one is running, and its answers may take fifteen; the remaining ten
 * are a margin.
 */
const FENCED_AFTER_MS = CHECK_INTERVAL_MS + 35_000;

/**
 * Begins a new fencing epoch: a marker in the replica shows it, so that a machine of an earlier epoch stops.
 * That epoch's replica contains no data until tillctl replicate has made its first snapshot. The caller holds
 * the lock of the data directory, waits, and only then writes the epoch to the database: until then its
 * daemon refuses to start.
 * @returns the epoch, and how long a machine of an earlier one may need to see it
 * @throws {ReplicaError} if the replica cannot be read or written, or another machine takes over at the same
 * time
 */
export async function takeOver(
  db: Db,
  target: ReplicaTarget,
): Promise<{ readonly epoch: Epoch; readonly waitMs: number }> {
  const known = await readEpoch(db);
  const highest = await highestEpoch(target);
  // Exactly the next number, because the other machine checks for that one.
  const number = (highest === 0 ? (known?.number ?? 0) : highest) + 1;
  const marker = await withEpochMarker(number, async (file) =>
    whileReplicating(target, { epoch: number, databasePath: file.path }, async () =>
      untilShown(target, number, file),
    ),
  );
  // Its own marker exists: of two machines that take over at the same time, at least the later one sees both.
  const { count } = await readGenerations(target, number);
  if (count > 1)
    throw new ReplicaError(
      `another machine is taking over at the same time (epoch ${number}): wait for it, then try again`,
    );
  return { epoch: { number, state: 'shown', marker }, waitMs: FENCED_AFTER_MS };
}

/** Waits until the replica shows the marker of this machine. @returns its generation */
async function untilShown(target: ReplicaTarget, epoch: number, marker: EpochMarker): Promise<string> {
  const until = performance.now() + PUBLISH_LIMIT_MS;
  for (;;) {
    const own = marker.generation();
    const { found } = await readGenerations(target, epoch);
    if (own !== null && found.some(({ name }) => name === own)) return own;
    if (performance.now() > until) throw new ReplicaError('the new epoch did not appear in the replica');
    await pause(POLL_MS);
  }
}

/** Begins a new epoch without a replica, only on the operator's confirmation. */
export async function beginEpoch(db: Db): Promise<void> {
  const known = await readEpoch(db);
  if (known !== null) await writeEpoch(db, { number: known.number + 1, state: 'new', marker: null });
}
