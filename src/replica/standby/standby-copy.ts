import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { applyWal } from '../../store/sqlite/files.ts';
import { ReplicaError } from '../litestream-process.ts';
import type { GenerationName } from '../litestream.ts';
import { countFrames, isBefore, WAL_HEADER_BYTES, type WalPosition } from './wal.ts';

const positionSchema = z.object({ index: z.int().nonnegative(), offset: z.int().nonnegative() });
/** A segment as it was read: Litestream may write one anew by the same name, and longer, when the place has lost it. */
const seenSchema = positionSchema.extend({
  length: z.int().positive(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type SeenSegment = z.infer<typeof seenSchema>;

const stateSchema = z.object({
  epoch: z.int().positive(),
  generation: z.string().regex(/^[0-9a-f]{16}$/),
  /** The next byte of the WAL that is wanted. All WALs before it are in the file of the database. */
  next: positionSchema,
  /** The segment before it; null at the beginning of a WAL. */
  last: seenSchema.nullable(),
  /** Only with this WAL segment the file is one state: pages of it may be there already. */
  needs: seenSchema.nullable(),
});
type State = z.infer<typeof stateSchema>;

/** A restored database, and where the WAL goes on. */
export interface Begun {
  readonly path: string;
  /** The first WAL that may not be in it. */
  readonly index: number;
  /** The last segment that may be in it. */
  readonly needs: SeenSegment | null;
}

/** The replica cannot be followed from where the copy is: WAL segments are missing or damaged. */
export class BrokenWalError extends ReplicaError {
  override name = 'BrokenWalError';
}

/**
 * A copy of the database that is kept up to date from a replica: the file as of the end of a WAL, and beside it what is
 * there of the next WAL. It is the database only after `finish`.
 * Whatever ends the process in between, the WAL is written into the file once more from its beginning, and writing
 * pages twice changes nothing.
 */
export class StandbyCopy {
  readonly #dir: string;
  #state: State | null;

  private constructor(dir: string, state: State | null) {
    this.#dir = dir;
    this.#state = state;
  }

  /** Opens what is there of it; the caller holds the lock of the folder. */
  static open(dir: string): StandbyCopy {
    const copy = new StandbyCopy(dir, readState(join(dir, STATE)));
    if (!existsSync(copy.#database)) copy.#state = null;
    for (const suffix of ['-wal', '-shm']) rmSync(`${copy.#database}${suffix}`, { force: true });
    const state = copy.#state;
    if (state !== null && copy.#pendingSize() < state.next.offset)
      copy.#state = { ...state, next: { index: state.next.index, offset: 0 }, last: null };
    const offset = copy.#state?.next.offset ?? 0;
    if (offset === 0) rmSync(copy.#pending, { force: true });
    // What is behind the offset was never stored as taken.
    else truncateSync(copy.#pending, offset);
    return copy;
  }

  get generation(): GenerationName | null {
    return this.#state;
  }

  get next(): WalPosition {
    return this.#known().next;
  }

  get last(): SeenSegment | null {
    return this.#known().last;
  }

  get needs(): SeenSegment | null {
    return this.#known().needs;
  }

  /**
   * A path for a database that is to be followed up, before `begin`. What an earlier attempt left is removed. It has
   * another name each time: a Litestream whose parent was killed may still write to the last one.
   */
  preparePath(): string {
    this.#removeAll((name) => name.startsWith(BEGUN));
    return join(this.#dir, `${BEGUN}${randomBytes(8).toString('hex')}.sqlite`);
  }

  /** Takes the database at a path of `preparePath` as the new beginning, at the beginning of a WAL. */
  begin({ epoch, generation }: GenerationName, begun: Begun): void {
    this.#forget();
    rmSync(this.#pending, { force: true });
    syncFile(begun.path);
    renameSync(begun.path, this.#database);
    const next = { index: begun.index, offset: 0 };
    this.#state = { epoch, generation, next, last: null, needs: begun.needs };
    this.save();
    this.preparePath();
  }

  /** Removes everything: it cannot be followed up, or is of no use any more. */
  discard(): void {
    if (!existsSync(this.#dir)) return;
    this.#forget();
    this.#removeAll(
      (name) => name.startsWith(BEGUN) || name.startsWith('copy.sqlite') || name === 'pending.wal',
    );
  }

  /** Appends the next WAL segment. */
  append(bytes: Buffer): void {
    const state = this.#known();
    const { index, offset } = state.next;
    // Only appended bytes count: what is behind the offset was never stored as taken.
    const file = openSync(this.#pending, offset === 0 ? 'w' : 'r+', 0o600);
    try {
      ftruncateSync(file, offset);
      for (let done = 0; done < bytes.length;)
        done += writeSync(file, bytes, done, bytes.length - done, offset + done);
    } finally {
      closeSync(file);
    }
    const last = seenSegment(state.next, bytes);
    const needs = state.needs !== null && isBefore(state.next, state.needs) ? state.needs : last;
    this.#state = { ...state, next: { index, offset: offset + bytes.length }, last, needs };
  }

  /** Stores what was appended, down to the disk. */
  save(): void {
    if (existsSync(this.#pending)) syncFile(this.#pending);
    const path = join(this.#dir, STATE);
    writeFileSync(`${path}.tmp`, JSON.stringify(this.#known()), { mode: 0o600, flush: true });
    renameSync(`${path}.tmp`, path);
    syncFile(this.#dir);
  }

  /** Writes the WAL, which is complete, into the file of the database. @throws {ReplicaError} when it is damaged */
  advance(): void {
    // From now on the file needs this WAL.
    this.save();
    this.#apply();
    const state = this.#known();
    this.#state = { ...state, next: { index: state.next.index + 1, offset: 0 }, last: null };
    this.save();
  }

  /**
   * Writes what is there of the last WAL into the file, and moves that to a path on the same volume. The copy is no more.
   * @throws {ReplicaError} when the copy is not one state, or the WAL is damaged
   */
  finish(path: string): void {
    const { next, needs } = this.#known();
    if (needs !== null && !isBefore(needs, next))
      throw new BrokenWalError('the replica shows less than the standby copy has seen of it');
    this.save();
    if (next.offset > 0) this.#apply();
    renameSync(this.#database, path);
    this.#forget();
  }

  #apply(): void {
    const { index, offset } = this.#known().next;
    const frames = offset === 0 ? null : framesOf(this.#pending);
    if (frames === null) throw new BrokenWalError(`WAL ${index} of the replica is damaged`);
    renameSync(this.#pending, `${this.#database}-wal`);
    const applied = applyWal(this.#database);
    if (applied !== frames)
      throw new BrokenWalError(
        `WAL ${index} of the replica is damaged: ${applied} of its ${frames} pages are sound`,
      );
  }

  #known(): State {
    if (this.#state === null) throw new Error('there is no standby copy yet');
    return this.#state;
  }

  #forget(): void {
    this.#state = null;
    rmSync(join(this.#dir, STATE), { force: true });
    syncFile(this.#dir);
  }

  get #database(): string {
    return join(this.#dir, 'copy.sqlite');
  }

  get #pending(): string {
    return join(this.#dir, 'pending.wal');
  }

  #removeAll(isUseless: (name: string) => boolean): void {
    for (const name of readdirSync(this.#dir).filter((each) => isUseless(each)))
      rmSync(join(this.#dir, name), { recursive: true, force: true });
  }

  #pendingSize(): number {
    return statSync(this.#pending, { throwIfNoEntry: false })?.size ?? 0;
  }
}

export function seenSegment({ index, offset }: WalPosition, bytes: Buffer): SeenSegment {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { index, offset, length: bytes.length, sha256 };
}

const STATE = 'position.json';
const BEGUN = 'begun-';

/** Null for a copy that is not there, or that this version cannot follow up. */
function readState(path: string): State | null {
  if (!existsSync(path)) return null;
  try {
    return stateSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}

function framesOf(path: string): number | null {
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(WAL_HEADER_BYTES);
    readSync(file, header, 0, WAL_HEADER_BYTES, 0);
    return countFrames(header, statSync(path).size);
  } finally {
    closeSync(file);
  }
}

function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
