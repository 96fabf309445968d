import { COINS, type Coin } from '../domain/coins.ts';
import { currencyDigits } from '../domain/currencies.ts';
import { invalidField } from '../domain/errors.ts';
import type { FixedRates } from '../domain/fixed-rates.ts';
import type { Clock, Logger, RateQuote, Rates } from '../domain/ports.ts';
import { QuorumRates, type QuorumRatesStore } from './quorum-rates.ts';
import { RateCache } from './cache.ts';
import { fixedQuote, rateUnavailable } from './fixed.ts';
import { medianRate, type MedianRate } from './median.ts';
import { OnDemandQueue } from './on-demand-queue.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import { withinMs } from './pause.ts';
import { RateGuard, type RateProblem } from './rate-guard.ts';
import { Refresher } from './refresher.ts';
import type { SingleSourceLimits } from './single-source.ts';
import { SourceHealth, type SourceAge } from './source-health.ts';
import type { RateSource } from './source.ts';
import type { CoingeckoAccess } from './sources/coingecko.ts';
import { publicSources, type RateSourceName } from './sources/index.ts';

/** Longest wait of `ensure` for a new currency. */
const ENSURE_WAIT_MS = 5000;

export interface RateServiceOptions {
  readonly config: {
    readonly fixed: FixedRates | null;
    readonly sources: readonly RateSourceName[];
    readonly coingecko: CoingeckoAccess;
    readonly refreshIntervalMs: number;
    readonly maxAgeMs: number;
    readonly timeoutMs: number;
    readonly single: SingleSourceLimits;
  };
  /**
   * Currencies that must always have a rate: of shops, prices, links and open payments. Omitted: the base
   * currencies only.
   */
  readonly inUse?: (() => Promise<readonly string[]>) | undefined;
  /** Keeps the last agreed rates across restarts. Omitted: they are lost. */
  readonly quorumRates?: QuorumRatesStore | undefined;
  /** Prices of sandbox payments when no source answers. */
  readonly sandboxFallback: FixedRates;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Instead of the public sources, for tests. */
  readonly sources?: readonly RateSource[];
}

export interface RateService extends Rates {
  /** Starts to refresh prices without waiting for them. */
  start(): void;
  /** Ends all requests. */
  stop(): Promise<void>;
  /** Time since the last usable price of each live source. */
  sourceAges(): readonly SourceAge[];
  /**
   * Warnings about sources without a price for a day, and about rates that depend on a single source or are
   * rejected.
   */
  warnings(): readonly string[];
  /**
   * Rates of pinned currencies that depend on a single source, or are rejected because it moved them too far.
   */
  problems(): readonly RateProblem[];
}

/** Prices as configured: fixed, or the median of live sources, refreshed in the background. */
export function createRates(options: RateServiceOptions): RateService {
  return options.config.fixed === null
    ? new LiveRates(options)
    : new UnmovingRates(options.config.fixed, options.clock);
}

class UnmovingRates implements RateService {
  readonly #fixed: FixedRates;
  readonly #clock: Clock;

  constructor(fixed: FixedRates, clock: Clock) {
    this.#fixed = fixed;
    this.#clock = clock;
  }

  quote(coin: Coin, currency: string): RateQuote {
    assertCurrency(currency);
    return fixedQuote(this.#fixed, coin, currency, this.#clock.now());
  }

  async ensure(): Promise<void> {}

  sourceAges(): readonly SourceAge[] {
    return [];
  }

  warnings(): readonly string[] {
    return [];
  }

  problems(): readonly RateProblem[] {
    return [];
  }

  start(): void {}

  async stop(): Promise<void> {}
}

class LiveRates implements RateService {
  readonly #options: RateServiceOptions;
  readonly #cache = new RateCache();
  readonly #refresher: Refresher;
  readonly #guard: RateGuard;
  readonly #quorum: QuorumRates | null;
  readonly #health: SourceHealth;
  readonly #sources: readonly RateSource[];
  readonly #stopped = new AbortController();
  /** Currencies read since they were last requested, until they are dropped: the loop refreshes them. */
  readonly #attempted = new Set<string>();
  readonly #queues = { pinned: new OnDemandQueue(), others: new OnDemandQueue() };
  readonly #jobs: Scheduler;
  #isRestored = false;

  constructor(options: RateServiceOptions) {
    const { clock, logger, config } = options;
    this.#options = options;
    this.#jobs = new Scheduler(logger).every('rates', config.refreshIntervalMs, async () =>
      this.#refreshAll(),
    );
    this.#health = new SourceHealth(clock, logger);
    this.#guard = new RateGuard(config.single, { clock, logger });
    const store = options.quorumRates;
    this.#quorum = store === undefined ? null : new QuorumRates(store, { clock, logger });
    this.#sources = options.sources ?? publicSources(config.sources, config.coingecko);
    this.#refresher = new Refresher({
      clock,
      logger,
      cache: this.#cache,
      timeoutMs: config.timeoutMs,
      maxAgeMs: config.maxAgeMs,
      health: this.#health,
      sources: this.#sources,
    });
  }

  quote(coin: Coin, currency: string, mode: 'live' | 'sandbox'): RateQuote {
    assertCurrency(currency);
    const { clock, sandboxFallback } = this.#options;
    const now = clock.now();
    if (this.#cache.wants(currency)) this.#cache.touch(currency, now);
    const counted = this.#freshRate(coin, currency);
    if (counted !== null) return { coin, currency, ...counted };
    if (mode === 'sandbox') return fixedQuote(sandboxFallback, coin, currency, now);
    throw rateUnavailable(coin, currency);
  }

  /**
   * Waits for a request of a currency that has no cached price. A currency in use without a current rate is
   * requested for each caller; others are rate limited, so that rare currencies cannot be used to flood the
   * sources.
   */
  async ensure(currency: string): Promise<void> {
    if (currencyDigits(currency) === null) return;
    this.#cache.touch(currency, this.#options.clock.now());
    const isPinned = this.#cache.isPinned(currency);
    if (isPinned ? this.#hasRate(currency) : this.#attempted.has(currency)) return;
    const queue = isPinned ? this.#queues.pinned : this.#queues.others;
    await withinMs(
      ENSURE_WAIT_MS,
      queue.join(currency, this.#stopped.signal, (all) => this.#refresh(all)),
    );
  }

  sourceAges(): readonly SourceAge[] {
    return this.#health.ages();
  }

  problems(): readonly RateProblem[] {
    return this.#guard.problems().filter(({ currency }) => this.#cache.isPinned(currency));
  }

  warnings(): readonly string[] {
    return [...this.#health.warnings(), ...problemWarnings(this.problems())];
  }

  start(): void {
    this.#health.begin(this.#sources.map(({ name }) => name));
    this.#jobs.start();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all([this.#jobs.stop(), this.#queues.pinned.ended(), this.#queues.others.ended()]);
  }

  async #refreshAll(): Promise<void> {
    await this.#pin();
    await this.#refresh(this.#cache.currencies(this.#options.clock.now()));
    if (this.#isRestored) await this.#quorum?.save(this.#guard.agreed());
  }

  /** Pins the currencies in use; if they cannot be read, the previous ones stay pinned. */
  async #pin(): Promise<void> {
    const { inUse, clock, logger } = this.#options;
    if (inUse === undefined) return;
    try {
      const known = (await inUse()).filter((currency) => currencyDigits(currency) !== null);
      this.#cache.pin(known, clock.now());
    } catch (error) {
      logger.warn(
        { err: error },
        'reading the currencies of the shops failed; rates of the previous list are refreshed',
      );
    }
  }

  /** The current accepted rate; null if there is none. */
  #freshRate(coin: Coin, currency: string): MedianRate | null {
    const { clock, config } = this.#options;
    const now = clock.now();
    const fresh = this.#cache.fresh(coin, currency, now - config.maxAgeMs, now + config.maxAgeMs);
    return this.#guard.check(coin, currency, medianRate(fresh));
  }

  #hasRate(currency: string): boolean {
    return COINS.some((coin) => this.#freshRate(coin, currency) !== null);
  }

  /**
   * Whether the rates agreed on before a restart are loaded. No price is read until then, because a single
   * source would be accepted without them.
   */
  async #restore(): Promise<boolean> {
    if (this.#isRestored) return true;
    try {
      const agreed = (await this.#quorum?.load()) ?? [];
      if (!this.#isRestored) this.#guard.restore(agreed);
      this.#isRestored = true;
    } catch (error) {
      this.#options.logger.error(
        { err: error },
        'reading the stored exchange rates failed; no rate is used until the next attempt',
      );
    }
    return this.#isRestored;
  }

  async #refresh(currencies: readonly string[]): Promise<void> {
    if (!(await this.#restore())) return;
    await this.#refresher.refresh(currencies, this.#stopped.signal);
    const wanted = new Set(this.#cache.currencies(this.#options.clock.now()));
    for (const currency of currencies) this.#attempted.add(currency);
    for (const currency of this.#attempted) if (!wanted.has(currency)) this.#attempted.delete(currency);
    this.#guard.keep(wanted);
    // Checked at each refresh, so that the next rate is compared with that of the last minute.
    for (const currency of wanted) for (const coin of COINS) this.#freshRate(coin, currency);
  }
}

function problemWarnings(problems: readonly RateProblem[]): string[] {
  return problems.map(({ coin, currency, state, source }) =>
    state === 'alone'
      ? `the rate of ${coin} in ${currency} rests on ${source} alone: see why the other price sources fail`
      : `the rate of ${coin} in ${currency} is rejected, because ${source} alone moved it too far: no payment is created in it until another source agrees`,
  );
}

/** @throws {AppError} VALIDATION_INVALID if it is not an ISO 4217 code. */
function assertCurrency(currency: string): void {
  if (currencyDigits(currency) === null) throw invalidField('currency', 'must be an ISO 4217 currency code');
}
