import { setTimeout as pause } from 'node:timers/promises';
import type { ReplicaTarget } from '../litestream.ts';
import { beginCopy, catchUp, catchUpWhole, type Following } from './follow.ts';
import { openReplicaFiles } from './open-files.ts';
import type { ReplicaFiles } from './replica-files.ts';
import { BrokenWalError, StandbyCopy } from './standby-copy.ts';

const POLL_MS = 2_000;
/** Between looks for another generation, and for WAL segments that are missing. */
const LOOK_EVERY_MS = 30_000;
const LONGEST_PAUSE_MS = 60_000;
/** As long as every WAL segment that comes is seen within this time. */
const LIVE_MS = 60_000;

export interface StandByOptions {
  readonly target: ReplicaTarget;
  /** Where the copy is; the caller holds its lock. */
  readonly dir: string;
  readonly signal: AbortSignal;
  /** Tells the operator what changes. */
  readonly tell: (line: string) => void;
}

/** Keeps a copy of the newest database of the replica until it is stopped, whatever becomes of the replica meanwhile. */
export async function standBy(options: StandByOptions): Promise<void> {
  const { signal } = options;
  let told = '';
  const tell = (line: string): void => {
    if (line !== told) options.tell(line);
    told = line;
  };
  const follower = new Follower({ ...options, tell });
  let failures = 0;
  while (!signal.aborted) {
    try {
      tell(await follower.step());
      failures = 0;
    } catch (error) {
      if (signal.aborted) break;
      failures += 1;
      tell(`does not follow the replica: ${error instanceof Error ? error.message : String(error)}`);
    }
    const ms = failures === 0 ? POLL_MS : Math.min(LONGEST_PAUSE_MS, POLL_MS * 2 ** failures);
    await pause(ms, undefined, { signal }).catch(() => undefined);
  }
  follower.close();
}

class Follower {
  readonly #options: StandByOptions;
  #copy: StandbyCopy;
  #files: ReplicaFiles | null = null;
  #lookedAt = 0;
  /** When the copy was last shown to have everything, since it was begun. */
  #wholeAt = 0;
  #cutOffLooks = 0;

  constructor(options: StandByOptions) {
    this.#options = options;
    this.#copy = StandbyCopy.open(options.dir);
  }

  /** Takes what is new. @returns what it does */
  async step(): Promise<string> {
    try {
      this.#files ??= await openReplicaFiles(this.#options.target);
      return await this.#follow(this.#files);
    } catch (error) {
      // From where it is there is no way on: it begins anew.
      if (error instanceof BrokenWalError) this.#copy.discard();
      this.close();
      // What an attempt left is not known: what was stored is.
      this.#copy = StandbyCopy.open(this.#options.dir);
      this.#lookedAt = 0;
      this.#wholeAt = 0;
      throw error;
    }
  }

  async #follow(files: ReplicaFiles): Promise<string> {
    // By the clock on the wall: the other one stands still while a machine is suspended.
    if (Math.abs(Date.now() - this.#lookedAt) < LOOK_EVERY_MS) await catchUp(this.#following(files));
    else await this.#look(files);
    const { generation } = this.#copy;
    if (generation === null) throw new Error('there is no standby copy');
    const what = `follows generation ${generation.generation} of epoch ${generation.epoch}`;
    return this.#cutOffLooks < 2
      ? what
      : `${what}, whose last WAL segment is cut off: does scripts/replicate go on?`;
  }

  async #look(files: ReplicaFiles): Promise<void> {
    const before = this.#copy.generation;
    if (before === null) this.#options.tell('restores the newest database of the replica');
    await beginCopy(this.#options.target, this.#following(files));
    // Of what came while it was restored nothing was seen to come.
    if (this.#copy.generation?.generation !== before?.generation) this.#wholeAt = 0;
    const hasAll = await catchUpWhole(this.#following(files));
    this.#cutOffLooks = hasAll ? 0 : this.#cutOffLooks + 1;
    this.#lookedAt = Date.now();
    if (hasAll) this.#wholeAt = Date.now();
  }

  #following(files: ReplicaFiles): Following {
    const isLive = Math.abs(Date.now() - this.#wholeAt) < LIVE_MS;
    return { files, copy: this.#copy, isLive, signal: this.#options.signal };
  }

  close(): void {
    this.#files?.close();
    this.#files = null;
  }
}
