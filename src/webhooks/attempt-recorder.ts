import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db } from '../store/database.ts';
import { NotFlushedError } from '../store/flush-aside.ts';
import { recordAttempts, type AttemptRecord } from '../usecases/webhooks/record-attempt.ts';
import { Pace } from './pace.ts';

interface Waiting {
  readonly record: AttemptRecord;
  readonly done: PromiseWithResolvers<string>;
}

/** While more attempts are to end soon, those that ended wait for them, but never longer. */
const LONGEST_GATHERING_MS = 20;
/** While so many are under way, some more will end before long. */
const MANY_UNDER_WAY = 8;
/** For those, one that ended waits for a twentieth of the time it took itself: the endpoint's next one is hardly later. */
const GATHERING_SHARE = 0.05;

interface AttemptRecorderOptions {
  /**
   * Called when a transaction was asked for: another one that is asked for at once comes right after it,
   * sees what it wrote, and shares its flush to the disk.
   */
  readonly writing: () => void;
  /** Whether attempts wait that will be made, and end, very soon. */
  readonly hasMore?: () => boolean;
  /** How many attempts are not recorded yet, those that wait for it among them. */
  readonly unrecorded?: () => number;
  /** Says how many go into one transaction. */
  readonly pace?: Pace;
}

/**
 * Records finished attempts, those that end at about the same time in one transaction: each is on disk
 * when its promise is kept, and a disk that syncs a hundred times a second takes thousands.
 */
export class AttemptRecorder {
  readonly #db: Db;
  readonly #writing: () => void;
  readonly #hasMore: () => boolean;
  readonly #unrecorded: () => number;
  readonly #pace: Pace;
  #waiting: Waiting[] = [];
  #isWriting = false;
  /** Ends the gathering. */
  #enough: (() => void) | null = null;

  constructor(db: Db, options: AttemptRecorderOptions) {
    this.#db = db;
    this.#writing = options.writing;
    this.#hasMore = options.hasMore ?? (() => false);
    this.#unrecorded = options.unrecorded ?? (() => 0);
    this.#pace = options.pace ?? new Pace();
  }

  /** Attempts that ended and are not being written yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** @returns the id of the attempt's log */
  async record(record: AttemptRecord): Promise<string> {
    const done = Promise.withResolvers<string>();
    this.#waiting.push({ record, done });
    if (!this.#isWriting) void this.#write();
    if (this.#enough !== null && this.#isEnough()) this.#enough();
    return done.promise;
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      await this.#gather();
      const end = this.#pace.begin();
      const batch = this.#waiting.splice(0, this.#pace.most);
      if (!(await this.#together(batch))) for (const each of batch) await this.#alone(each);
      await end();
    }
    this.#isWriting = false;
  }

  /**
   * Lets come in what has arrived by now, as long as each turn brings another attempt, and what is about
   * to: the index of a merchant's logs is written anew for each transaction, however many it holds.
   */
  async #gather(): Promise<void> {
    for (let before = 0; before < this.#waiting.length && before < this.#pace.most;) {
      before = this.#waiting.length;
      await nextTurn();
    }
    if (this.#isEnough()) return;
    const patienceMs = this.#hasMore() ? LONGEST_GATHERING_MS : this.#patienceMs();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      this.#enough = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#enough = null;
  }

  #isEnough(): boolean {
    if (this.#waiting.length >= this.#pace.most) return true;
    return !this.#hasMore() && this.#patienceMs() < 1;
  }

  /** How long those that wait may do so for others that are under way. */
  #patienceMs(): number {
    if (this.#unrecorded() - this.#waiting.length < MANY_UNDER_WAY) return 0;
    let quickestMs = Number.POSITIVE_INFINITY;
    for (const { record } of this.#waiting) quickestMs = Math.min(quickestMs, record.durationMs);
    return Math.min(LONGEST_GATHERING_MS, Math.floor(quickestMs * GATHERING_SHARE));
  }

  async #together(batch: readonly Waiting[]): Promise<boolean> {
    try {
      const ids = await this.#record(batch.map(({ record }) => record));
      for (const [at, { done }] of batch.entries()) done.resolve(ids[at] ?? '');
      return true;
    } catch (error) {
      // They are recorded, if perhaps not for ever: once more would be twice.
      if (error instanceof NotFlushedError) {
        for (const { done } of batch) done.reject(error);
        return true;
      }
      // One that cannot be recorded must not keep the others from it; each tells its own error.
      return false;
    }
  }

  async #alone({ record, done }: Waiting): Promise<void> {
    try {
      const [id = ''] = await this.#record([record]);
      done.resolve(id);
    } catch (error) {
      done.reject(error);
    }
  }

  async #record(records: readonly AttemptRecord[]): Promise<readonly string[]> {
    const recorded = recordAttempts({ db: this.#db }, records);
    this.#writing();
    return recorded;
  }
}
