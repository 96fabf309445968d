import { isEpochMarker } from '../epoch-marker.ts';
import { restoreGeneration, type GenerationName, type ReplicaTarget } from '../litestream.ts';
import { ReplicaError } from '../litestream-process.ts';
import { newestGenerations } from '../restore-newest.ts';
import { unpackFrame, type NotWhole } from './lz4-frame.ts';
import type { ReplicaFiles } from './replica-files.ts';
import { BrokenLogError, type StandbyCopy } from './standby-copy.ts';
import {
  isBefore,
  isSame,
  logName,
  parseSegmentName,
  parseSnapshotName,
  segmentName,
  snapshotFolder,
  walFolder,
  type WalPosition,
} from './wal.ts';

/** A copy, and where it is followed up from. */
export interface Following {
  readonly files: ReplicaFiles;
  readonly copy: StandbyCopy;
  /** Whether the copy had everything a moment ago, so that each piece was seen to come. */
  readonly isLive: boolean;
  /** Ends it between two pieces of the log. */
  readonly signal?: AbortSignal | undefined;
}

/** Restoring everything is faster than so many pieces, one after the other from a distant server. */
const MOST_AHEAD = 5_000;

/**
 * Restores the newest database of the replica as the beginning of a copy, unless the copy is of its generation.
 * @throws {ReplicaError} when the place holds no database or cannot be read
 */
export async function beginCopy(
  target: ReplicaTarget,
  { files, copy, signal }: Omit<Following, 'isLive'>,
): Promise<void> {
  for await (const generation of newestGenerations(target)) {
    const { generation: own } = copy;
    if (own?.epoch === generation.epoch && own.generation === generation.generation) return;
    // Litestream restores what is there when it begins: some of the logs from here on are in the file already, and
    // written once more. Only when all of them were, the file is one state again.
    const index = await newestIndex(files, generation);
    const path = copy.preparePath();
    try {
      await restoreGeneration(target, generation, path, signal);
    } catch (error) {
      copy.preparePath();
      // There is room for one only, and the copy of an earlier generation is of no use.
      if (/no space left/i.test(String(error))) copy.discard();
      throw error;
    }
    if (isEpochMarker(path)) continue;
    copy.begin(generation, { path, index, needs: await lastPiece(files, generation) });
    return;
  }
  throw new ReplicaError('the replica holds no snapshot of a database');
}

async function newestIndex(files: ReplicaFiles, generation: GenerationName): Promise<number> {
  const last = await lastPiece(files, generation);
  if (last !== null) return last.index;
  const snapshots = await snapshotsOf(files, generation);
  if (snapshots.length === 0) throw new ReplicaError('the snapshot of the replica is gone');
  return Math.max(...snapshots);
}

/** The last piece that holds anything. */
async function lastPiece(files: ReplicaFiles, generation: GenerationName): Promise<WalPosition | null> {
  const pieces = parsePieces(await files.list(walFolder(generation)));
  for (const piece of pieces.toReversed())
    if (!isEmpty(await readPiece(files, generation, piece))) return piece;
  return null;
}

function parsePieces(names: readonly string[]): WalPosition[] {
  return names.map((name) => parseSegmentName(name)).filter((at) => at !== undefined);
}

async function snapshotsOf(files: ReplicaFiles, generation: GenerationName): Promise<number[]> {
  const names = await files.list(snapshotFolder(generation));
  return names.map((name) => parseSnapshotName(name)).filter((index) => index !== undefined);
}

/**
 * Takes all that the replica has more than the copy.
 * @returns how many pieces of the log that were
 * @throws {ReplicaError} when the replica cannot be read, or what it holds is damaged
 */
export async function catchUp(following: Following): Promise<number> {
  const { files, copy } = following;
  let taken = await takeLog(following);
  while ((await readPiece(files, ofGeneration(copy), { index: copy.next.index + 1, offset: 0 })) !== null) {
    // The rest of this log may have come between the two reads; pieces come in order, so that nothing follows after it.
    taken += await takeLog(following);
    await assertComplete(following);
    copy.advance();
    taken += await takeLog(following);
  }
  if (taken > 0) copy.save();
  return taken;
}

/**
 * Makes sure that the copy has all of its log, of which neither a piece was missed nor the end deleted before it came.
 * @throws {ReplicaError} {BrokenLogError}
 */
async function assertComplete(following: Following): Promise<void> {
  const { files, copy } = following;
  const { next, last } = copy;
  const names = await files.list(walFolder(ofGeneration(copy)), { prefix: `${logName(next.index)}_` });
  const pieces = parsePieces(names);
  if (!(await hasAllOf(following, pieces))) throw new ReplicaError(notWhole(next));
  if (last === null || !pieces.some((at) => isSame(at, last)))
    throw new BrokenLogError(`log ${next.index} is no longer in the replica`);
  await assertFollowable(following);
}

/**
 * Makes sure that nothing was deleted that the copy lacks. Litestream deletes old snapshots first, and then the logs
 * before the oldest one that is left: while there is a snapshot from before the copy, all later logs are there.
 * From a snapshot that is newer than the copy Litestream would restore, and not by the logs before it, of which the end
 * may be lost: a copy follows up to one only when it saw these logs come.
 * @throws {BrokenLogError}
 */
async function assertFollowable({ files, copy, isLive }: Following): Promise<void> {
  const { index } = copy.next;
  const snapshots = await snapshotsOf(files, ofGeneration(copy));
  if (!snapshots.some((each) => each <= index))
    throw new BrokenLogError('the replica no longer holds a snapshot from before the copy');
  if (!isLive && snapshots.some((each) => each > index))
    throw new BrokenLogError('the replica holds a snapshot that is newer than the copy');
}

/**
 * Whether the copy has all of these pieces.
 * @returns false when the last one is cut off: an SFTP server shows it while it is written, and ever after when the
 * machine that wrote it died
 * @throws {ReplicaError} {BrokenLogError} when another one was missed
 */
async function hasAllOf({ files, copy }: Following, pieces: readonly WalPosition[]): Promise<boolean> {
  const { next } = copy;
  const [missed, later] = pieces.filter((at) => !isBefore(at, next));
  if (missed === undefined) return true;
  if (!isSame(missed, next))
    throw new BrokenLogError(`the replica holds ${segmentName(missed)}, but not ${segmentName(next)}`);
  const piece = await readPiece(files, ofGeneration(copy), next);
  if (later !== undefined) throw new BrokenLogError(notWhole(next));
  if (piece === 'damaged') throw new ReplicaError(notWhole(next));
  return isEmpty(piece);
}

function notWhole(at: WalPosition): string {
  return `${segmentName(at)} of the replica is damaged or not complete`;
}

/** Takes what there is of the log that the copy is at. */
async function takeLog({ files, copy, signal }: Following): Promise<number> {
  for (let taken = 0; ; taken += 1) {
    signal?.throwIfAborted();
    const piece = await readPiece(files, ofGeneration(copy), copy.next);
    if (!(piece instanceof Buffer) || isEmpty(piece)) return taken;
    copy.append(piece);
  }
}

/** Null for a piece that is not there. */
async function readPiece(
  files: ReplicaFiles,
  generation: GenerationName,
  at: WalPosition,
): Promise<Buffer | NotWhole | null> {
  const packed = await files.read(`${walFolder(generation)}/${segmentName(at)}`);
  return packed === null ? null : unpackFrame(packed);
}

/** Litestream writes an empty piece at times when it is ended, and the same one again with its bytes. */
function isEmpty(piece: Buffer | NotWhole | null): boolean {
  return piece instanceof Buffer && piece.length === 0;
}

function ofGeneration({ generation }: StandbyCopy): GenerationName {
  if (generation === null) throw new Error('there is no standby copy yet');
  return generation;
}

/**
 * Takes all that the replica has more than the copy, and makes sure that this is all it holds: a piece that is not there
 * may be late, missing or deleted.
 * @returns false when the last piece is cut off, so that the copy lacks what the first machine did while it wrote that
 * @throws {ReplicaError} {BrokenLogError}
 */
export async function catchUpWhole(following: Following): Promise<boolean> {
  const { files, copy } = following;
  const { needs, next } = copy;
  const after = logName(Math.min(next.index, needs?.index ?? next.index));
  const pieces = parsePieces(await files.list(walFolder(ofGeneration(copy)), { after }));
  // Before anything is taken: with it, what the copy needs becomes another piece.
  if (needs !== null && !pieces.some((at) => isSame(at, needs)))
    throw new BrokenLogError(`the replica does not hold ${segmentName(needs)}, which was there`);
  const ahead = pieces.filter((at) => !isBefore(at, next)).length;
  if (ahead > MOST_AHEAD) throw new BrokenLogError(`the copy is ${ahead} pieces of the log behind`);
  await catchUp(following);
  const hasAll = await hasAllOf(following, pieces);
  await assertFollowable(following);
  return hasAll;
}
