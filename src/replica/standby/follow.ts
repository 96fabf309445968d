import { isEpochMarker } from '../epoch-marker.ts';
import { restoreGeneration, type GenerationName, type ReplicaTarget } from '../litestream.ts';
import { ReplicaError } from '../litestream-process.ts';
import { newestGenerations } from '../restore-newest.ts';
import { unpackFrame, type NotWhole } from './lz4-frame.ts';
import type { ReplicaFiles } from './replica-files.ts';
import { BrokenWalError, seenSegment, type SeenSegment, type StandbyCopy } from './standby-copy.ts';
import {
  isBefore,
  isSame,
  walName,
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
  /** Whether the copy had everything a moment ago, so that each segment was seen to come. */
  readonly isLive: boolean;
  /** Ends it between two WAL segments. */
  readonly signal?: AbortSignal | undefined;
}

/** Restoring everything is faster than so many segments, one after the other from a distant server. */
const MOST_AHEAD = 5_000;

/**
 * Restores the newest database of the replica as the beginning of a copy, unless the copy is of its generation.
 * @throws {ReplicaError} when the place holds no database or cannot be read
 */
export async function beginCopy(
  target: ReplicaTarget,
  { files, copy, signal }: Omit<Following, 'isLive'>,
): Promise<void> {
  for await (const generation of newestGenerations(target, signal)) {
    const { generation: own } = copy;
    if (own?.epoch === generation.epoch && own.generation === generation.generation) return;
    // Litestream restores what is there when it begins: some of the WALs from here on are in the file already, and
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
    copy.begin(generation, { path, index, needs: await lastSegment(files, generation) });
    return;
  }
  throw new ReplicaError('the replica holds no snapshot of a database');
}

async function newestIndex(files: ReplicaFiles, generation: GenerationName): Promise<number> {
  const last = parseSegments(await files.list(walFolder(generation))).at(-1);
  const snapshots = await snapshotsOf(files, generation);
  if (snapshots.length === 0) throw new ReplicaError('the snapshot of the replica is gone');
  const newest = Math.max(...snapshots);
  if (last === undefined) return newest;
  if (newest > last.index)
    throw new ReplicaError('the WAL after the newest snapshot is not in the replica yet');
  return last.index;
}

/** The last segment that is whole and holds anything: no other can be in a database that was restored. */
async function lastSegment(files: ReplicaFiles, generation: GenerationName): Promise<SeenSegment | null> {
  for (const at of parseSegments(await files.list(walFolder(generation))).toReversed()) {
    const segment = await readSegment(files, generation, at);
    if (segment instanceof Buffer && !isEmpty(segment)) return seenSegment(at, segment);
  }
  return null;
}

/** Makes sure that a segment is still what it was. @throws {BrokenWalError} */
async function assertUnchanged({ files, copy }: Following, seen: SeenSegment): Promise<void> {
  const segment = await readSegment(files, ofGeneration(copy), seen);
  if (!(segment instanceof Buffer) || seenSegment(seen, segment).sha256 !== seen.sha256)
    throw new BrokenWalError(`${segmentName(seen)} of the replica is not what it was`);
}

function parseSegments(names: readonly string[]): WalPosition[] {
  return names.map((name) => parseSegmentName(name)).filter((at) => at !== undefined);
}

async function snapshotsOf(files: ReplicaFiles, generation: GenerationName): Promise<number[]> {
  const names = await files.list(snapshotFolder(generation));
  return names.map((name) => parseSnapshotName(name)).filter((index) => index !== undefined);
}

/**
 * Takes all that the replica has more than the copy.
 * @returns how many WAL segments that were
 * @throws {ReplicaError} when the replica cannot be read, or what it holds is damaged
 */
export async function catchUp(following: Following): Promise<number> {
  const { files, copy } = following;
  let taken = await takeWal(following);
  while ((await readSegment(files, ofGeneration(copy), { index: copy.next.index + 1, offset: 0 })) !== null) {
    // The rest of this WAL may have come between the two reads; segments come in order, so that nothing follows after it.
    taken += await takeWal(following);
    await assertComplete(following);
    copy.advance();
    taken += await takeWal(following);
  }
  if (taken > 0) copy.save();
  return taken;
}

/**
 * Makes sure that the copy has all of its WAL, of which neither a segment was missed nor the end deleted before it came.
 * @throws {ReplicaError} {BrokenWalError}
 */
async function assertComplete(following: Following): Promise<void> {
  const { files, copy } = following;
  const { next, last } = copy;
  const names = await files.list(walFolder(ofGeneration(copy)), { prefix: `${walName(next.index)}_` });
  const segments = parseSegments(names);
  if ((await lackOf(following, segments)) !== null) throw new ReplicaError(notWhole(next));
  if (last === null || !segments.some((at) => isSame(at, last)))
    throw new BrokenWalError(`WAL ${next.index} is no longer in the replica`);
  await assertUnchanged(following, last);
  await assertFollowable(following);
}

/**
 * Makes sure that nothing was deleted that the copy lacks. Litestream deletes old snapshots first, and then the WALs
 * before the oldest one that is left: while there is a snapshot from before the copy, all later WALs are there.
 * From a snapshot that is newer than the copy Litestream would restore, and not by the WALs before it, of which the end
 * may be lost: a copy follows up to one only when it saw these WALs come.
 * @throws {BrokenWalError}
 */
async function assertFollowable({ files, copy, isLive }: Following): Promise<void> {
  const { index } = copy.next;
  const snapshots = await snapshotsOf(files, ofGeneration(copy));
  if (!snapshots.some((each) => each <= index))
    throw new BrokenWalError('the replica no longer holds a snapshot from before the copy');
  if (!isLive && snapshots.some((each) => each > index))
    throw new BrokenWalError('the replica holds a snapshot that is newer than the copy');
}

/**
 * What the copy lacks of these segments.
 * @returns `cut off` when that is the last one, which an SFTP server shows while it is written, and ever after when the
 * machine that wrote it died; `more` when one became whole meanwhile; null when the copy has all of them
 * @throws {ReplicaError} {BrokenWalError} when one was missed
 */
async function lackOf(
  { files, copy }: Following,
  segments: readonly WalPosition[],
): Promise<'cut off' | 'more' | null> {
  const { next } = copy;
  const [missed, later] = segments.filter((at) => !isBefore(at, next));
  if (missed === undefined) return null;
  if (!isSame(missed, next))
    throw new BrokenWalError(`the replica holds ${segmentName(missed)}, but not ${segmentName(next)}`);
  const segment = await readSegment(files, ofGeneration(copy), next);
  if (segment === null) throw new ReplicaError(`the replica lists ${segmentName(next)} and does not give it`);
  if (segment instanceof Buffer && !isEmpty(segment)) return 'more';
  if (later !== undefined) throw new BrokenWalError(notWhole(next));
  if (segment === 'damaged') throw new ReplicaError(notWhole(next));
  return segment === 'cut off' ? segment : null;
}

function notWhole(at: WalPosition): string {
  return `${segmentName(at)} of the replica is damaged or not complete`;
}

/** Takes what there is of the WAL that the copy is at. */
async function takeWal({ files, copy, signal }: Following): Promise<number> {
  for (let taken = 0; ; taken += 1) {
    signal?.throwIfAborted();
    const segment = await readSegment(files, ofGeneration(copy), copy.next);
    if (!(segment instanceof Buffer) || isEmpty(segment)) return taken;
    copy.append(segment);
  }
}

/** Which segment is to come next, and how much of it the place holds: another text each time while it is written. */
export async function lookAtNext({ files, copy }: Following): Promise<string> {
  const name = segmentName(copy.next);
  const packed = await files.read(`${walFolder(ofGeneration(copy))}/${name}`);
  return `${name} ${packed?.length ?? 'absent'}`;
}

/** Null for a segment that is not there. */
async function readSegment(
  files: ReplicaFiles,
  generation: GenerationName,
  at: WalPosition,
): Promise<Buffer | NotWhole | null> {
  const packed = await files.read(`${walFolder(generation)}/${segmentName(at)}`);
  return packed === null ? null : unpackFrame(packed);
}

/** Litestream writes an empty segment at times when it is ended, and the same one again with its bytes. */
function isEmpty(segment: Buffer | NotWhole | null): boolean {
  return segment instanceof Buffer && segment.length === 0;
}

function ofGeneration({ generation }: StandbyCopy): GenerationName {
  if (generation === null) throw new Error('there is no standby copy yet');
  return generation;
}

/**
 * Takes all that the replica has more than the copy, and makes sure that this is all it holds: a segment that is not there
 * may be late, missing or deleted.
 * @returns false when the last segment is cut off, so that the copy lacks what the first machine did while it wrote that
 * @throws {ReplicaError} {BrokenWalError}
 */
export async function catchUpWhole(following: Following): Promise<boolean> {
  const { files, copy } = following;
  const { needs, next } = copy;
  const after = walName(Math.min(next.index, needs?.index ?? next.index));
  const segments = parseSegments(await files.list(walFolder(ofGeneration(copy)), { after }));
  // Before anything is taken: with it, what the copy needs becomes another segment.
  if (needs !== null && !segments.some((at) => isSame(at, needs)))
    throw new BrokenWalError(`the replica does not hold ${segmentName(needs)}, which was there`);
  if (needs !== null) await assertUnchanged(following, needs);
  const ahead = segments.filter((at) => !isBefore(at, next)).length;
  if (ahead > MOST_AHEAD) throw new BrokenWalError(`the copy is ${ahead} WAL segments behind`);
  await catchUp(following);
  let lack = await lackOf(following, segments);
  for (let rest = ahead; lack === 'more' && rest > 0; rest -= 1) {
    await catchUp(following);
    lack = await lackOf(following, segments);
  }
  if (lack === 'more') throw new ReplicaError(`${segmentName(copy.next)} of the replica is being written`);
  await assertFollowable(following);
  if (copy.needs !== null) await assertUnchanged(following, copy.needs);
  return lack === null;
}
