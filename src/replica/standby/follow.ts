import { rmSync } from 'node:fs';
import { isEpochMarker } from '../epoch-marker.ts';
import { restoreGeneration, type GenerationName, type ReplicaTarget } from '../litestream.ts';
import { ReplicaError } from '../litestream-process.ts';
import { newestGenerations } from '../restore-newest.ts';
import { unpackFrame } from './lz4-frame.ts';
import type { ReplicaFiles } from './replica-files.ts';
import { BrokenLogError, type StandbyCopy } from './standby-copy.ts';
import {
  isBefore,
  parseSegmentName,
  parseSnapshotName,
  logName,
  segmentName,
  snapshotFolder,
  walFolder,
  type WalPosition,
} from './wal.ts';

/**
 * Restores the newest database of the replica as the beginning of a copy.
 * @throws {ReplicaError} when the place holds no database or cannot be read
 */
export async function beginCopy(
  target: ReplicaTarget,
  files: ReplicaFiles,
  copy: StandbyCopy,
): Promise<GenerationName> {
  for await (const generation of newestGenerations(target)) {
    // Litestream restores what is there when it begins: some of the logs from here on are in the file already, and
    // written once more. Only when all of them were, the file is one state again.
    const from = await newestIndex(files, generation);
    const path = copy.preparePath();
    await restoreGeneration(target, generation, path);
    if (isEpochMarker(path)) {
      rmSync(path);
      continue;
    }
    copy.begin(generation, { index: from, offset: 0 }, await lastSegment(files, generation));
    return generation;
  }
  throw new ReplicaError('the replica holds no snapshot of a database');
}

async function newestIndex(files: ReplicaFiles, generation: GenerationName): Promise<number> {
  const last = await lastSegment(files, generation);
  if (last !== null) return last.index;
  const snapshots = (await files.list(snapshotFolder(generation))).map((name) => parseSnapshotName(name));
  const found = snapshots.filter((index) => index !== undefined);
  if (found.length === 0) throw new ReplicaError('the snapshot of the replica is gone');
  return Math.max(...found);
}

async function lastSegment(files: ReplicaFiles, generation: GenerationName): Promise<WalPosition | null> {
  const names = await files.list(walFolder(generation));
  return names.map((name) => parseSegmentName(name)).findLast((at) => at !== undefined) ?? null;
}

/**
 * Takes all that the replica has more than the copy.
 * @returns how many pieces of the log that were
 * @throws {ReplicaError} when the replica cannot be read, or what it holds is damaged
 */
export async function catchUp(files: ReplicaFiles, copy: StandbyCopy): Promise<number> {
  let taken = 0;
  for (;;) {
    taken += await takeLog(files, copy);
    if ((await readSegment(files, copy, { index: copy.next.index + 1, offset: 0 })) === null) break;
    // The rest of this log may have come between the two reads; pieces come in order, so that nothing follows after it.
    taken += await takeLog(files, copy);
    await assertComplete(files, copy);
    copy.advance();
  }
  if (taken > 0) copy.save();
  return taken;
}

/** Makes sure that no later piece of this log is there. @throws {ReplicaError} */
async function assertComplete(files: ReplicaFiles, copy: StandbyCopy): Promise<void> {
  const { generation, next } = copy;
  if (generation === null) throw new Error('there is no standby copy yet');
  const names = await files.list(walFolder(generation), logName(next.index));
  const log = names.map((name) => parseSegmentName(name)).filter((at) => at?.index === next.index);
  const missed = log.find((at) => at !== undefined && !isBefore(at, next));
  if (missed !== undefined) throw missing(next, missed);
}

/** What it says of a copy that is at `next`, when the replica holds a piece that it could not take. */
function missing(next: WalPosition, held: WalPosition): ReplicaError {
  // An SFTP server shows a piece while it is written.
  return isBefore(next, held)
    ? new BrokenLogError(`the replica holds ${segmentName(held)}, but not ${segmentName(next)}`)
    : new ReplicaError(`${segmentName(held)} of the replica is damaged or not complete`);
}

/** Takes what there is of the log that the copy is at. */
async function takeLog(files: ReplicaFiles, copy: StandbyCopy): Promise<number> {
  for (let taken = 0; ; taken += 1) {
    const packed = await readSegment(files, copy, copy.next);
    const bytes = packed === null ? null : await unpackFrame(packed);
    if (bytes === null || bytes.length === 0) return taken;
    copy.append(bytes);
  }
}

async function readSegment(files: ReplicaFiles, copy: StandbyCopy, at: WalPosition): Promise<Buffer | null> {
  const { generation } = copy;
  return generation === null ? null : files.read(`${walFolder(generation)}/${segmentName(at)}`);
}

/**
 * Makes sure that the copy has all that the replica holds: a piece that is not there may be late, or missing.
 * @throws {ReplicaError} {BrokenLogError}
 */
export async function assertWhole(files: ReplicaFiles, copy: StandbyCopy): Promise<void> {
  const { generation, needs } = copy;
  if (generation === null) throw new Error('there is no standby copy yet');
  const names = await files.list(walFolder(generation), logName((needs ?? copy.next).index));
  // What came since the last look is no gap.
  await catchUp(files, copy);
  const found = names.map((name) => parseSegmentName(name)).filter((at) => at !== undefined);
  const missed = found.find((at) => !isBefore(at, copy.next));
  if (missed !== undefined) throw missing(copy.next, missed);
  if (needs !== null && !found.some((at) => at.index === needs.index && at.offset === needs.offset))
    throw new BrokenLogError(`the replica does not hold ${segmentName(needs)}, which was there`);
}
