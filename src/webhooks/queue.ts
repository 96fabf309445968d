import { schedule, type ScheduledTask } from 'node-cron';
import pLimit from 'p-limit';
import { AppError } from '../domain/errors.ts';
import type { SecretBox } from '../domain/keys.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import { inPatientTransaction, type Db } from '../store/database.ts';
import type { StoredDelivery } from '../store/deliveries.ts';
import {
  leaseDeliveries,
  releaseAllLeases,
  rescueFromClockJump,
  type Lease,
} from '../store/delivery-leases.ts';
import { findLatestLog } from '../store/webhook-logs.ts';
import { newUuid } from '../usecases/new-id.ts';
import type { AttemptReport, DeliveryAttempts } from '../usecases/webhooks/attempts.ts';
import {
  attemptDelivery,
  loadLeased,
  type AttemptControl,
  type AttemptDeliveryDeps,
  type LeasedDelivery,
} from './attempt-delivery.ts';
import { AttemptRecorder } from './attempt-recorder.ts';
import { ConnectionPools } from '../egress/connection-pools.ts';
import type { EgressPolicy } from '../egress/guarded-fetch.ts';
import { EgressError } from '../egress/egress-error.ts';
import { DueLeases } from './due-leases.ts';
import { LeaseReturn } from './lease-return.ts';
import { LeasedAhead } from './leased-ahead.ts';
import { Pace } from './pace.ts';
import { SigningKeys } from './signing-keys.ts';
import { Slots } from './slots.ts';

export interface WebhookQueueLimits {
  /** For one whole attempt, DNS to the end of the body. */
  readonly attemptLimitMs: number;
  /** Attempts at once, in all. */
  readonly concurrency: number;
  /** Attempts at once to one endpoint; 4 unless told. */
  readonly perEndpoint?: number;
  /** Pauses between attempts; there is one attempt more than gaps. */
  readonly retryGapsMs: readonly number[];
}

export interface WebhookQueueDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
  readonly egress: EgressPolicy;
  readonly limits: WebhookQueueLimits;
  /** Gives 0 up to 1; Math.random unless a test decides. */
  readonly random?: () => number;
}

/** How long past an attempt's limit its lease holds. */
const LEASE_MARGIN_MS = 30_000;
const PER_ENDPOINT = 4;
/** Attempts that are under way or wait for their record: beyond it nothing more is begun. */
const MOST_UNRECORDED = 1_024;
const CLOCK_TOLERANCE_MS = 60_000;
const MANUAL_CONCURRENCY = 8;
const MANUAL_WAITING = 64;
const TICK = '* * * * * *';

/**
 * Delivers webhooks from the deliveries table: leases what is due, posts outside any transaction,
 * records the attempt and what follows from it. Order is kept per order key; endpoints never wait
 * for one another. At-least-once: a crash between answer and record repeats the delivery.
 */
export class WebhookQueue implements DeliveryAttempts {
  readonly #deps: WebhookQueueDeps;
  readonly #slots: Slots;
  readonly #ahead = new LeasedAhead();
  readonly #due: DueLeases;
  readonly #pace = new Pace();
  readonly #connections = new ConnectionPools();
  readonly #attempts: AttemptDeliveryDeps;
  /** What is under way, by delivery. */
  readonly #running = new Map<string, Promise<void>>();
  /** Ends all attempts together: one for each would cost more than it tells. */
  readonly #gaveUp = new AbortController();
  readonly #leaseReturn: LeaseReturn;
  readonly #waiters = new Map<string, PromiseWithResolvers<AttemptReport>>();
  readonly #manual = pLimit(MANUAL_CONCURRENCY);
  #task: ScheduledTask | null = null;
  #pumping: Promise<void> | null = null;
  #again = false;
  #stopping = false;
  #rescuedAt = 0;

  constructor(deps: WebhookQueueDeps) {
    this.#deps = deps;
    // What follows is leased by the flush that puts these attempts on disk.
    const recorder = new AttemptRecorder(deps.db, {
      writing: () => this.wake(),
      hasMore: () => this.#ahead.size > 0,
      unrecorded: () => this.#running.size,
      pace: this.#pace,
    });
    this.#leaseReturn = new LeaseReturn(deps, () => this.wake());
    this.#attempts = {
      random: Math.random,
      ...deps,
      egress: { ...deps.egress, connections: this.#connections },
      keys: new SigningKeys(deps.secretBox),
      recorder,
    };
    const { concurrency, perEndpoint = PER_ENDPOINT } = deps.limits;
    this.#slots = new Slots({ total: concurrency, perEndpoint });
    this.#due = new DueLeases(deps.db, this.#slots, this.#ahead);
  }

  /** Takes over what a dead process left, then delivers at each second's tick and each wake-up. */
  async start(): Promise<void> {
    const taken = await releaseAllLeases(this.#deps.db);
    if (taken > 0) this.#deps.logger.warn({ taken }, 'took over webhook deliveries of a dead process');
    this.#task = schedule(TICK, () => this.wake(), {
      name: 'webhook-queue',
      noOverlap: true,
      suppressMissedWarning: true,
    });
    this.wake();
  }

  /** Looks for due deliveries now. Call it after the commit of a new event; it never throws. */
  wake(): void {
    this.#again = true;
    if (this.#stopping || this.#pumping !== null) return;
    this.#pumping = this.#pump().finally(() => {
      this.#pumping = null;
      if (this.#again) this.wake();
    });
  }

  /** Somebody waits for an answer of this process: for a moment webhooks go on in small pieces. Call it often. */
  giveWay(): void {
    this.#pace.asked();
  }

  async attemptNow(deliveryId: string): Promise<AttemptReport> {
    if (this.#manual.pendingCount >= MANUAL_WAITING) {
      throw new AppError('RATE_LIMITED', 'too many deliveries were asked for by hand at once');
    }
    return this.#manual(async () => {
      if (this.#stopping) throw new Error('the webhook queue is stopping');
      let leased = this.#ahead.take(deliveryId) ?? (await this.#leaseOne(deliveryId));
      // Whoever leased it before us may be about to run it, or to let it wait.
      if (leased === undefined) await this.#pumping;
      leased ??= this.#ahead.take(deliveryId);
      if (leased !== undefined) this.#run(leased, null);
      else if (!this.#running.has(deliveryId)) return this.#alreadyMade(deliveryId);
      const waiter = this.#waiters.get(deliveryId) ?? Promise.withResolvers<AttemptReport>();
      this.#waiters.set(deliveryId, waiter);
      return waiter.promise;
    });
  }

  /**
   * Starts nothing new, lets running attempts finish until the deadline, then gives up on them and
   * releases their leases: they count as never made.
   */
  async stop(options: { deadlineMs: number }): Promise<void> {
    this.#stopping = true;
    await this.#task?.destroy();
    this.#leaseReturn.start(this.#ahead.dropAll());
    const timer = setTimeout(() => this.#gaveUp.abort(), options.deadlineMs);
    await this.idle();
    clearTimeout(timer);
    await this.#connections.close();
  }

  /** Waits until nothing is being leased or attempted. */
  async idle(): Promise<void> {
    while (this.#pumping !== null || this.#running.size > 0 || this.#leaseReturn.isBusy) {
      await this.#pumping;
      await Promise.all([...this.#running.values(), this.#leaseReturn.idle()]);
    }
  }

  async #pump(): Promise<void> {
    while (this.#again && !this.#stopping) {
      this.#again = false;
      try {
        const end = this.#pace.begin();
        await this.#rescue();
        this.#leaseReturn.start(this.#ahead.dropStale());
        const begin = this.#pace.mostBegun(this.#attempts.recorder.waiting);
        const most = Math.min(begin, MOST_UNRECORDED - this.#running.size);
        const started = this.#startAhead(most);
        const { now, ahead } = await this.#due.next({
          lease: this.#newLease(),
          most: most - started,
          runningIds: this.#heldIds(),
        });
        for (const each of ahead) this.#ahead.add(each);
        await this.#pace.inTurns(now, (each) => this.#run(each, each.delivery.origin));
        this.#startAhead(most - started - now.length);
        // There may be more than the piece could hold.
        if (most > 0 && started + now.length + ahead.length >= most) this.#again = true;
        // Attempts that end at the same time free their slots together.
        await end();
      } catch (error) {
        this.#deps.logger.error({ err: error }, 'could not lease webhook deliveries; trying again');
        return;
      }
    }
  }

  /** Starts what was leased ahead, as far as there are slots by now; answers how many. */
  #startAhead(most: number): number {
    if (this.#ahead.size === 0) return 0;
    if (this.#stopping) this.#leaseReturn.start(this.#ahead.dropAll());
    return this.#ahead.start(most, this.#slots, (next) => this.#run(next, next.delivery.origin));
  }

  /** Makes one leased attempt in the background. `slot` is the origin whose slot it holds, if any. */
  #run(leased: LeasedDelivery, slot: string | null): void {
    this.#running.set(leased.delivery.id, this.#settle(leased, slot));
  }

  async #settle(leased: LeasedDelivery, slot: string | null): Promise<void> {
    const { delivery, token } = leased;
    let held = slot;
    const ended: AttemptControl['ended'] = ({ status, error, durationMs }) => {
      if (held === null) return;
      this.#slots.give(held, status !== 0);
      const quick = { isSuccess: error === null, durationMs };
      this.#leaseReturn.start(this.#ahead.answered(held, quick));
      held = null;
      // Beside requests what waits is sent in pieces, too.
      if (this.#pace.isShared) this.wake();
      else this.#startAhead(1);
    };
    let isDelivered = false;
    try {
      const report = await attemptDelivery(this.#attempts, leased, { signal: this.#gaveUp.signal, ended });
      isDelivered = report.error === null;
      this.#waiters.get(delivery.id)?.resolve(report);
    } catch (error) {
      this.#waiters.get(delivery.id)?.reject(error);
      await this.#giveUp(delivery, token, error);
    } finally {
      if (held !== null) this.#slots.give(held, null);
      this.#running.delete(delivery.id);
      this.#waiters.delete(delivery.id);
      // What a delivery lets go was leased when it was recorded; one that failed may itself be due again.
      if (!isDelivered) this.wake();
    }
  }

  async #giveUp(delivery: StoredDelivery, token: string, error: unknown): Promise<void> {
    const { logger } = this.#deps;
    const isShutdown = error instanceof EgressError && error.kind === 'aborted';
    if (!isShutdown) {
      // The lease stays: it ends by itself, which keeps a delivery that cannot be recorded from spinning.
      logger.error({ err: error, deliveryId: delivery.id }, 'could not make or record a webhook attempt');
      return;
    }
    await this.#leaseReturn.run([{ delivery, token }]);
  }

  /** Deliveries this process is at work on. */
  #heldIds(): string[] {
    return [...this.#running.keys(), ...this.#ahead.ids()];
  }

  async #leaseOne(deliveryId: string): Promise<LeasedDelivery | undefined> {
    const lease = this.#newLease();
    const [leased] = await inPatientTransaction(this.#deps.db, async (tx) =>
      loadLeased(tx, await leaseDeliveries(tx, [deliveryId], lease), lease),
    );
    return leased;
  }

  async #alreadyMade(deliveryId: string): Promise<AttemptReport> {
    const log = await findLatestLog(this.#deps.db, deliveryId);
    if (log === undefined) throw new Error(`delivery ${deliveryId} cannot be attempted now`);
    return { logId: log.id, status: log.status, error: log.error };
  }

  async #rescue(): Promise<void> {
    const { clock, db, logger } = this.#deps;
    const now = clock.now();
    if (Math.abs(now - this.#rescuedAt) < CLOCK_TOLERANCE_MS) return;
    this.#rescuedAt = now;
    const rescued = await rescueFromClockJump(db, {
      now,
      toleranceMs: CLOCK_TOLERANCE_MS,
      exceptIds: this.#heldIds(),
    });
    if (rescued > 0) logger.warn({ rescued }, 'the clock was set back: made webhook deliveries due');
  }

  #newLease(): Lease {
    const now = this.#deps.clock.now();
    return { token: newUuid(), now, until: now + this.#deps.limits.attemptLimitMs + LEASE_MARGIN_MS };
  }
}
