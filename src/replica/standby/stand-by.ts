import { setTimeout as pause } from 'node:timers/promises';
import type { GenerationName, ReplicaTarget } from '../litestream.ts';
import { newestGenerations } from '../restore-newest.ts';
import { assertWhole, beginCopy, catchUp } from './follow.ts';
import { openReplicaFiles } from './open-files.ts';
import type { ReplicaFiles } from './replica-files.ts';
import { BrokenLogError, StandbyCopy } from './standby-copy.ts';

const POLL_MS = 2_000;
/** Between looks for another generation, and for pieces of the log that are missing. */
const LOOK_EVERY_MS = 30_000;
const LONGEST_PAUSE_MS = 60_000;

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
  const { signal, tell } = options;
  const follower = new Follower(options);
  let told = '';
  let failures = 0;
  while (!signal.aborted) {
    const line = await follower.step().then(
      (generation) => {
        failures = 0;
        return `follows generation ${generation.generation} of epoch ${generation.epoch}`;
      },
      (error: unknown) => {
        failures += 1;
        return `does not follow the replica: ${error instanceof Error ? error.message : String(error)}`;
      },
    );
    if (line !== told) tell(line);
    told = line;
    const ms = failures === 0 ? POLL_MS : Math.min(LONGEST_PAUSE_MS, POLL_MS * 2 ** failures);
    await pause(ms, undefined, { signal }).catch(() => undefined);
  }
  follower.close();
}

class Follower {
  readonly #options: StandByOptions;
  #copy: StandbyCopy;
  #files: ReplicaFiles | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** The newest generation when the copy was begun; it was passed over if the copy is of another one. */
  #newest: GenerationName | null;
  #isBroken = false;

  constructor(options: StandByOptions) {
    this.#options = options;
    this.#copy = StandbyCopy.open(options.dir);
    this.#newest = this.#copy.generation;
  }

  /** Takes what is new. @returns which generation the copy is of */
  async step(): Promise<GenerationName> {
    try {
      this.#files ??= await openReplicaFiles(this.#options.target);
      return await this.#follow(this.#files);
    } catch (error) {
      this.#isBroken ||= error instanceof BrokenLogError;
      this.close();
      // What an attempt left is not known: what was stored is.
      this.#copy = StandbyCopy.open(this.#options.dir);
      this.#lookedAt = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }

  async #follow(files: ReplicaFiles): Promise<GenerationName> {
    const isLookDue = performance.now() - this.#lookedAt >= LOOK_EVERY_MS;
    if (isLookDue) await this.#look(files);
    else await catchUp(files, this.#copy);
    const { generation } = this.#copy;
    if (generation === null) throw new Error('there is no standby copy');
    return generation;
  }

  async #look(files: ReplicaFiles): Promise<void> {
    const { target, tell } = this.#options;
    const newest = await first(newestGenerations(target));
    const isOther = newest.epoch !== this.#newest?.epoch || newest.generation !== this.#newest.generation;
    if (isOther || this.#isBroken || this.#copy.generation === null) {
      tell('restores the newest database of the replica');
      await beginCopy(target, files, this.#copy);
      this.#newest = newest;
      this.#isBroken = false;
    }
    await assertWhole(files, this.#copy);
    this.#lookedAt = performance.now();
  }

  close(): void {
    this.#files?.close();
    this.#files = null;
  }
}

async function first<T>(items: AsyncGenerator<T>): Promise<T> {
  for await (const item of items) return item;
  throw new Error('the replica holds no database');
}
