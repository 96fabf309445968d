import type { Clock, Logger } from '../domain/ports.ts';
import { writeMeta } from '../store/meta.ts';
import type { Db } from '../store/sqlite/database.ts';
import { readEpoch, writeEpoch, type Epoch } from './epoch.ts';
import { readGenerations, type ReplicaTarget } from './litestream.ts';
import { ReplicaError } from './litestream-process.ts';
import { Scheduler, type Timing } from '../scheduler/scheduler.ts';

/** Interval of checks of the replica. Another machine that takes over waits longer than this. */
export const CHECK_INTERVAL_MS = 10_000;

export interface ReplicaStatus {
  readonly epoch: number;
  /** Age of the newest data in the replica; null before it was seen. A heartbeat keeps it young. */
  readonly lagSeconds: number | null;
  /** The reason why the replica could not be read; null if it could. */
  readonly lastError: string | null;
}

interface ReplicaWatchDeps {
  readonly db: Db;
  readonly target: ReplicaTarget;
  readonly maxLagMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends the process at once, because another machine now writes and signs. */
  readonly onTakenOver: (epoch: number) => void;
  /** Another one for tests. */
  readonly timing?: Timing;
}

/**
 * Checks the replica while the daemon runs: its lag, and whether another machine has taken over. Writes a
 * heartbeat, so that the replica of a quiet shop does not check as if it had stopped.
 */
export class ReplicaWatch {
  readonly #deps: ReplicaWatchDeps;
  readonly #startedAt: number;
  #epoch: Epoch;
  #newestAt: number | null = null;
  #lastError: string | null = null;
  readonly #jobs: Scheduler;
  #checking: Promise<void> | null = null;
  #isLate = false;

  private constructor(deps: ReplicaWatchDeps, epoch: Epoch) {
    this.#deps = deps;
    this.#epoch = epoch;
    this.#startedAt = deps.clock.now();
    this.#jobs = new Scheduler(deps.logger, deps.timing).every(
      'replica-watch',
      CHECK_INTERVAL_MS,
      async () => this.check(),
      {
        countsFromStart: true,
      },
    );
  }

  /** The first start with a replica begins epoch 1. */
  static async open(deps: ReplicaWatchDeps): Promise<ReplicaWatch> {
    const known = await readEpoch(deps.db);
    const epoch = known ?? { number: 1, state: 'new', marker: null };
    if (known === null) await writeEpoch(deps.db, epoch);
    return new ReplicaWatch(deps, epoch);
  }

  start(): void {
    this.#jobs.start();
  }

  async stop(): Promise<void> {
    await this.#jobs.stop();
    await this.#checking;
  }

  /** Checks once, unless a check is running. */
  async check(): Promise<void> {
    this.#checking ??= this.#checkForTakeover().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  status(): ReplicaStatus {
    const lagMs = this.#newestAt === null ? null : Math.max(0, this.#deps.clock.now() - this.#newestAt);
    return {
      epoch: this.#epoch.number,
      lagSeconds: lagMs === null ? null : Math.round(lagMs / 1000),
      lastError: this.#lastError,
    };
  }

  /** Warnings for the operator. */
  warnings(): string[] {
    const { clock, maxLagMs } = this.#deps;
    const behindMs = clock.now() - (this.#newestAt ?? this.#startedAt);
    if (behindMs <= maxLagMs) return [];
    const why = this.#lastError ?? 'does tillctl replicate run?';
    return [`the replica is ${Math.round(behindMs / 1000)} seconds behind: ${why}`];
  }

  async #checkForTakeover(): Promise<void> {
    const { db, target, clock, logger } = this.#deps;
    try {
      // Both concurrently, because sequential requests to a slow replica would delay the next check beyond
      // the wait of another machine.
      const reading = readGenerations(target, this.#epoch.number);
      reading.catch(() => undefined);
      const next = await readGenerations(target, this.#epoch.number + 1);
      if (next.count > 0) return this.#deps.onTakenOver(this.#epoch.number + 1);
      const own = await reading;
      // The marker of a takeover is not a copy of the database.
      const [newest] = own.found.filter(({ name }) => name !== this.#epoch.marker);
      this.#lastError = newest === undefined ? 'the replica holds nothing of this machine' : null;
      if (newest !== undefined) this.#newestAt = newest.newestAt;
      if (own.count > 0 && this.#epoch.state === 'new') {
        this.#epoch = { ...this.#epoch, state: 'shown' };
        await writeEpoch(db, this.#epoch);
      }
    } catch (error) {
      if (!(error instanceof ReplicaError))
        logger.error({ err: error }, 'database replica unreadable; will retry');
      this.#lastError = error instanceof Error ? error.message : String(error);
    }
    this.#logLagChange();
    await db
      .relaxedTransaction(async (tx) => writeMeta(tx, 'replica_heartbeat', String(clock.now())))
      .catch((error: unknown) =>
        logger.warn({ err: error }, 'writing the heartbeat to the database replica failed; will retry'),
      );
  }

  /** Logs when the replica falls behind, and when it has caught up. */
  #logLagChange(): void {
    const [warning] = this.warnings();
    const isLate = warning !== undefined;
    if (isLate === this.#isLate) return;
    this.#isLate = isLate;
    if (isLate) this.#deps.logger.error({ ...this.status() }, warning);
    else this.#deps.logger.info({ ...this.status() }, 'database replica up to date again');
  }
}
