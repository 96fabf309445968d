import type { ChainAdapter } from '../../domain/chain.ts';
import type { Chains } from '../../domain/chains.ts';
import type { Coin, Mode } from '../../domain/coins.ts';
import type { ObserveDeps } from '../../usecases/chain-sync/index.ts';
import {
  expirePayments,
  ExpiryBalanceCheck,
  quoteLatePayments,
  type Uncredited,
} from '../../usecases/payments/index.ts';
import type { BumpSendsDeps, SweepDepositsDeps } from '../../usecases/wallet/index.ts';
import { Scheduler } from '../../scheduler/scheduler.ts';
import { ChainFollower } from './chain-follower.ts';
import type { ChainHealth, WatchMetrics } from './chain-health.ts';
import { SendLoop } from './send-loop.ts';
import { SweepLoop } from './sweep-loop.ts';

export type WatcherDeps = ObserveDeps & BumpSendsDeps & Pick<SweepDepositsDeps, 'rates' | 'readWatchAccount'>;

/** Pauses between the rounds of the loops, and the maximum backoff after failures, ms. */
export interface LoopIntervals {
  readonly maxBackoffMs: number;
  readonly expiryMs: number;
  readonly sendsMs: number;
  readonly sweepsMs: number;
}

export interface WatcherOptions {
  readonly pollIntervalMs: number;
  /** Shorter pauses for tests with compressed time. */
  readonly intervals?: LoopIntervals | undefined;
  readonly metrics?: WatchMetrics;
}

const INTERVALS: LoopIntervals = { maxBackoffMs: 30_000, expiryMs: 1_000, sendsMs: 2_000, sweepsMs: 5_000 };
const STATUS_EVERY_MS = 30_000;
const LATE_QUOTE_EVERY_MS = 30_000;
const BUMPS_EVERY_MS = 60_000;

/** Runs all chain loops: one follower per chain, sends, deadlines, and late money without a rate. */
export class Watcher {
  readonly #followers: ReadonlyMap<string, ChainFollower>;
  readonly #jobs: Scheduler;
  readonly #sends: SendLoop;
  readonly #sweeps: SweepLoop;
  readonly #chains: Chains;
  readonly #finalCheck: ExpiryBalanceCheck;
  readonly #adapters: readonly ChainAdapter[];
  #unsubscribers: readonly (() => void)[] = [];

  constructor(deps: WatcherDeps, adapters: readonly ChainAdapter[], options: WatcherOptions) {
    const { maxBackoffMs, expiryMs, sendsMs, sweepsMs } = options.intervals ?? INTERVALS;
    this.#followers = new Map(
      adapters.map((adapter) => [
        chainKey(adapter.coin, adapter.mode),
        new ChainFollower(deps, adapter, {
          pollIntervalMs: options.pollIntervalMs,
          maxBackoffMs,
          statusEveryMs: STATUS_EVERY_MS,
          metrics: options.metrics,
        }),
      ]),
    );
    const { logger } = deps;
    this.#chains = deps.chains;
    this.#finalCheck = new ExpiryBalanceCheck(deps);
    this.#adapters = adapters;
    const seenThrough = (coin: Coin, mode: Mode): number | null => this.seenThrough(coin, mode);
    this.#jobs = new Scheduler(logger)
      .every('expiry', expiryMs, () => expirePayments({ ...deps, seenThrough, finalCheck: this.#finalCheck }))
      .every('late-quotes', LATE_QUOTE_EVERY_MS, async () => {
        for (const adapter of adapters) await quoteLatePayments(deps, adapter);
      });
    this.#sweeps = new SweepLoop(deps, adapters, {
      intervalMs: sweepsMs,
      trusted: () => this.trusted(),
    });
    this.#sends = new SendLoop({ ...deps, chains: this.trusted() }, adapters, {
      intervalMs: sendsMs,
      bumpIntervalMs: BUMPS_EVERY_MS,
      poll: ({ coin, mode }) => this.wake(coin, mode),
    });
  }

  start(): void {
    for (const follower of this.#followers.values()) follower.start();
    this.#unsubscribers = this.#adapters.flatMap((adapter) => {
      const { coin, mode } = adapter;
      return adapter.hints?.listen(() => this.wake(coin, mode)) ?? [];
    });
    this.#jobs.start();
    this.#sends.start();
    this.#sweeps.start();
  }

  /** Stops and waits for the current steps; because each is one transaction, nothing is left half-done. */
  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribers) unsubscribe();
    const followers = [...this.#followers.values()].map((follower) => follower.stop());
    await Promise.all([...followers, this.#jobs.stop(), this.#sends.stop(), this.#sweeps.stop()]);
  }

  /** Polls a chain now instead of at its next interval. */
  wake(coin: Coin, mode: Mode): void {
    this.#followers.get(chainKey(coin, mode))?.wake();
  }

  /** Time up to which a chain was seen completely, ms; null when not yet. */
  seenThrough(coin: Coin, mode: Mode): number | null {
    return this.#followers.get(chainKey(coin, mode))?.seenThrough() ?? null;
  }

  /** The chains for payments and sends: all except those whose node serves another network. */
  trusted(): Chains {
    return {
      get: (coin, mode) =>
        this.#followers.get(chainKey(coin, mode))?.isRefused() === true ? null : this.#chains.get(coin, mode),
    };
  }

  /** Uncredited money on addresses of closed payments, by chain. */
  uncredited(): Uncredited[] {
    return this.#finalCheck.uncredited();
  }

  health(): ChainHealth[] {
    return [...this.#followers.values()].map((follower) => follower.health());
  }
}

function chainKey(coin: Coin, mode: Mode): string {
  return `${coin}/${mode}`;
}
