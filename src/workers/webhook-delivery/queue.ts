import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import { AppError } from '../../domain/errors.ts';
import { ConnectionPools } from '../../egress/connection-pools.ts';
import { EgressError } from '../../egress/egress-error.ts';
import { Scheduler } from '../../scheduler/scheduler.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import {
  leaseDeliveries,
  listDue,
  releaseAllLeases,
  releaseExpiredLeases,
  releaseLeases,
  rescueFromClockJump,
  type Lease,
} from '../../store/webhooks/delivery-leases.ts';
import { findLatestLog } from '../../store/webhooks/webhook-logs.ts';
import { newUuid } from '../../usecases/events/index.ts';
import {
  type AttemptRecord,
  type AttemptReport,
  type DeliveryAttempts,
  recordAttempts,
} from '../../usecases/webhooks/index.ts';
import {
  attemptDelivery,
  loadLeased,
  type AttemptDeliveryDeps,
  type LeasedDelivery,
} from './attempt-delivery.ts';
import { logAttempt } from './log-attempt.ts';
import type { WebhookQueueDeps } from './queue-options.ts';
import { SigningKeys } from './signing-keys.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';

/** How long a lease outlasts the attempt's timeout. */
const LEASE_MARGIN_MS = 30_000;
const PER_ENDPOINT = 4;
/**
 * Attempts recorded and deliveries leased by one transaction, which blocks the event loop for a few
 * milliseconds.
 */
const BATCH = 32;
/**
 * Pause between two turns, so that attempts that end meanwhile are recorded together and API requests are
 * served.
 */
const TURN_GAP_MS = 1;
/** Timeout to release the leases of aborted attempts. */
const RELEASE_MS = 2_000;
const CLOCK_TOLERANCE_MS = 60_000;
const MANUAL_CONCURRENCY = 8;
const MANUAL_WAITING = 64;
const TICK_MS = 1_000;

/**
 * Delivers webhooks from the deliveries table by one loop. Each turn is one transaction that records ended
 * attempts and leases due deliveries; the leased deliveries are then posted outside of it. Order is kept per
 * order key; endpoints never wait for one another. At least once: a crash between response and record repeats
 * the delivery, with the same webhook-id.
 */
export class WebhookQueue implements DeliveryAttempts {
  readonly #deps: WebhookQueueDeps;
  readonly #attempts: AttemptDeliveryDeps;
  readonly #slots: ConcurrencyLimit;
  readonly #perEndpoint: number;
  readonly #connections = new ConnectionPools();
  /** Token of all leases of this process. */
  readonly #token = newUuid();
  /** Attempts that are in flight or not yet recorded, by delivery. */
  readonly #inFlight = new Map<string, PromiseWithResolvers<AttemptReport>>();
  #ended: AttemptRecord[] = []; // to be recorded
  readonly #gaveUp = new AbortController();
  readonly #manual = pLimit(MANUAL_CONCURRENCY);
  readonly #ticks: Scheduler;
  #turning: Promise<void> | null = null;
  /** The transaction of the last turn. */
  #committing: Promise<unknown> = Promise.resolve();
  #isWoken = false;
  #isStopping = false;
  #rescuedAt = 0;

  constructor(deps: WebhookQueueDeps) {
    this.#deps = deps;
    const { concurrency, perEndpoint = PER_ENDPOINT } = deps.limits;
    this.#perEndpoint = perEndpoint;
    this.#slots = new ConcurrencyLimit({ total: concurrency, perEndpoint });
    this.#ticks = new Scheduler(deps.logger).every('webhook-queue', TICK_MS, async () => this.wake());
    this.#attempts = {
      random: Math.random,
      ...deps,
      egress: { ...deps.egress, connections: this.#connections },
      keys: new SigningKeys(deps.secretBox),
    };
  }

  /** Takes over the leases of a dead process, then delivers every second and at each wake-up. */
  async start(): Promise<void> {
    const released = await releaseAllLeases(this.#deps.db);
    if (released > 0)
      this.#deps.logger.warn(
        { taken: released },
        'webhook deliveries interrupted by the previous exit or crash requeued',
      );
    this.#ticks.start();
  }

  /** Leases due deliveries now. Call it after the commit of a new event; it never throws. */
  wake(): void {
    this.#isWoken = true;
    this.#turning ??= this.#turns();
  }

  async attemptNow(deliveryId: string): Promise<AttemptReport> {
    if (this.#manual.pendingCount >= MANUAL_WAITING) {
      throw new AppError('RATE_LIMITED', 'too many manual redeliveries at once: try again later');
    }
    return this.#manual(async () => {
      if (this.#isStopping) throw new Error('the webhook queue is stopping');
      const running = this.#inFlight.get(deliveryId); // Its lease may have expired because the clock jumped.
      if (running !== undefined) return running.promise;
      const leased = await this.#leaseOne(deliveryId);
      if (leased !== undefined) return this.#start(leased, null).promise;
      // The loop may have leased it just before, and starts it next.
      await Promise.allSettled([this.#committing]);
      return this.#inFlight.get(deliveryId)?.promise ?? this.#alreadyMade(deliveryId);
    });
  }

  /**
   * Leases nothing more and lets running attempts finish until the deadline; the remaining leases are
   * released, and attempts that a failing database did not record are delivered again after the next start.
   */
  async stop(options: { deadlineMs: number }): Promise<void> {
    this.#isStopping = true;
    await this.#ticks.stop();
    const stopped = new AbortController();
    const giveUp = async (): Promise<void> => {
      await pause(options.deadlineMs, undefined, { signal: stopped.signal });
      this.#gaveUp.abort();
      await pause(RELEASE_MS, undefined, { signal: stopped.signal });
    };
    await Promise.race([this.idle(), giveUp().catch(() => undefined)]);
    stopped.abort();
    await this.#connections.close();
  }

  /** Waits until nothing is being leased, attempted or recorded. */
  async idle(): Promise<void> {
    while (this.#turning !== null || this.#inFlight.size > 0) {
      await this.#turning;
      await Promise.allSettled([...this.#inFlight.values()].map(({ promise }) => promise));
    }
  }

  async #turns(): Promise<void> {
    while (this.#isWoken) {
      this.#isWoken = false;
      try {
        await this.#turn();
      } catch (error) {
        this.#deps.logger.error({ err: error }, 'reading due webhook deliveries failed; will retry');
        break;
      }
      await pause(TURN_GAP_MS);
    }
    this.#turning = null;
  }

  async #turn(): Promise<void> {
    await this.#rescue();
    const ended = this.#ended.splice(0, BATCH);
    const endpoints: string[] = [];
    let leased: LeasedDelivery[] = [];
    try {
      const committing = this.#deps.db.relaxedTransaction(async (tx) => ({
        logIds: await recordAttempts(tx, ended),
        due: await this.#leaseDue(tx, ended, endpoints),
      }));
      this.#committing = committing;
      const { logIds, due } = await committing;
      leased = due;
      for (const [at, record] of ended.entries()) this.#recorded(record, logIds[at] ?? '');
    } catch (error) {
      for (const endpoint of endpoints) this.#slots.give(endpoint, null);
      if (ended.length === 0) throw error;
      // One failed record must not prevent the others.
      for (const record of ended) await this.#recordAlone(record);
      this.#isWoken = true;
    }
    for (const each of leased) this.#start(each, each.delivery.origin);
    if (leased.length === BATCH || this.#ended.length > 0) this.#isWoken = true; // more than one turn takes
  }

  /**
   * Leases due deliveries, longest due first, up to the free slots; each used slot is noted in `endpoints`.
   * @param ended attempts recorded by the same transaction: their deliveries may be due again
   */
  async #leaseDue(tx: Tx, ended: readonly AttemptRecord[], endpoints: string[]): Promise<LeasedDelivery[]> {
    if (this.#isStopping || this.#slots.free <= 0) return [];
    const lease = this.#newLease();
    const done = new Set(ended.map(({ delivery }) => delivery.id));
    const exceptIds = [...this.#inFlight.keys()].filter((id) => !done.has(id));
    await releaseExpiredLeases(tx, { now: lease.now, exceptIds });
    const due = await listDue(tx, {
      now: lease.now,
      perEndpoint: this.#perEndpoint,
      exceptEndpoints: this.#slots.full(),
      exceptIds,
    });
    const ids: string[] = [];
    for (const { id, origin } of due) {
      if (ids.length === BATCH) break;
      if (!this.#slots.take(origin)) continue;
      endpoints.push(origin);
      ids.push(id);
    }
    return loadLeased(tx, await leaseDeliveries(tx, ids, lease), lease);
  }

  async #leaseOne(deliveryId: string): Promise<LeasedDelivery | undefined> {
    const lease = this.#newLease();
    const [leased] = await this.#deps.db.relaxedTransaction(async (tx) =>
      loadLeased(tx, await leaseDeliveries(tx, [deliveryId], lease), lease),
    );
    return leased;
  }

  /** Makes a leased attempt in the background. `endpoint` is the one whose slot it holds, if any. */
  #start(leased: LeasedDelivery, endpoint: string | null): PromiseWithResolvers<AttemptReport> {
    const report = Promise.withResolvers<AttemptReport>();
    report.promise.catch(() => undefined); // as a rule nobody waits for it
    this.#inFlight.set(leased.delivery.id, report);
    void this.#attempt(leased, endpoint);
    return report;
  }

  async #attempt(leased: LeasedDelivery, endpoint: string | null): Promise<void> {
    const giveSlot = (answered: boolean | null): void => {
      if (endpoint !== null) this.#slots.give(endpoint, answered);
    };
    try {
      const record = await attemptDelivery(this.#attempts, leased, this.#gaveUp.signal);
      giveSlot(record.status !== 0);
      this.#ended.push(record);
    } catch (error) {
      giveSlot(null);
      await this.#giveUp(leased, error);
    }
    this.wake();
  }

  async #giveUp({ delivery, token }: LeasedDelivery, error: unknown): Promise<void> {
    const { db, logger } = this.#deps;
    if (error instanceof EgressError && error.kind === 'aborted') {
      await db
        .relaxedTransaction(async (tx) => releaseLeases(tx, [delivery.id], token))
        .catch((failure: unknown) =>
          logger.error({ err: failure }, 'returning a webhook delivery to the queue failed'),
        );
    } else {
      // The lease stays until it expires, which keeps the delivery from spinning.
      logger.error({ err: error, deliveryId: delivery.id }, 'webhook delivery attempt could not start');
    }
    this.#settled(delivery.id)?.reject(error);
  }

  async #recordAlone(record: AttemptRecord): Promise<void> {
    try {
      const [logId = ''] = await this.#deps.db.relaxedTransaction(async (tx) => recordAttempts(tx, [record]));
      this.#recorded(record, logId);
    } catch (error) {
      const { id: deliveryId } = record.delivery;
      // The lease stays until it expires; the delivery is then attempted again.
      this.#deps.logger.error(
        { err: error, deliveryId },
        'recording a webhook delivery attempt failed; the delivery is attempted again when its lease ends',
      );
      this.#settled(deliveryId)?.reject(error);
    }
  }

  #recorded(record: AttemptRecord, logId: string): void {
    logAttempt(this.#deps.logger, record, logId);
    const { delivery, status, error } = record;
    this.#settled(delivery.id)?.resolve({ logId, status, error });
  }

  #settled(deliveryId: string): PromiseWithResolvers<AttemptReport> | undefined {
    const report = this.#inFlight.get(deliveryId);
    this.#inFlight.delete(deliveryId);
    return report;
  }

  async #alreadyMade(deliveryId: string): Promise<AttemptReport> {
    const log = await findLatestLog(this.#deps.db, deliveryId);
    if (log === undefined) {
      // A redelivery requested right afterwards cancelled it before its attempt.
      throw new AppError('INVALID_STATE', 'another redelivery of this event replaced this one');
    }
    return { logId: log.id, status: log.status, error: log.error };
  }

  async #rescue(): Promise<void> {
    const { clock, db, logger } = this.#deps;
    const now = clock.now();
    if (Math.abs(now - this.#rescuedAt) < CLOCK_TOLERANCE_MS) return;
    this.#rescuedAt = now;
    const exceptIds = [...this.#inFlight.keys()];
    const rescued = await rescueFromClockJump(db, { now, toleranceMs: CLOCK_TOLERANCE_MS, exceptIds });
    if (rescued > 0)
      logger.warn({ rescued }, 'system clock was set back; waiting webhook deliveries are due now');
  }

  #newLease(): Lease {
    const now = this.#deps.clock.now();
    return { token: this.#token, now, until: now + this.#deps.limits.attemptLimitMs + LEASE_MARGIN_MS };
  }
}
