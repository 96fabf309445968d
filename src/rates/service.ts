import type { Coin } from '../domain/coins.ts';
import { currencyDigits } from '../domain/currencies.ts';
import { invalidField } from '../domain/errors.ts';
import type { FixedRates } from '../domain/fixed-rates.ts';
import type { Clock, Logger, RateQuote, Rates } from '../domain/ports.ts';
import { RateCache } from './cache.ts';
import { fixedQuote, rateUnavailable } from './fixed.ts';
import { consensus } from './median.ts';
import { pause, withinMs } from './pause.ts';
import { Refresher } from './refresher.ts';
import { SourceHealth, type SourceAge } from './source-health.ts';
import type { RateSource } from './source.ts';
import type { CoingeckoAccess } from './sources/coingecko.ts';
import { publicSources, type RateSourceName } from './sources/index.ts';

/** Most time that `ensure` waits for a new currency. */
const ENSURE_WAIT_MS = 5000;
/** Pause between look-ups on demand, so that odd currencies cannot be used to flood the sources. */
const ON_DEMAND_GAP_MS = 1000;

export interface RateServiceOptions {
  readonly config: {
    readonly fixed: FixedRates | null;
    readonly sources: readonly RateSourceName[];
    readonly coingecko: CoingeckoAccess;
    readonly refreshIntervalMs: number;
    readonly maxAgeMs: number;
    readonly timeoutMs: number;
  };
  /** Prices of sandbox payments when no source answers. */
  readonly sandboxFallback: FixedRates;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Instead of the public sources, for tests. */
  readonly sources?: readonly RateSource[];
}

export interface RateService extends Rates {
  /** Starts refreshing prices; does not wait for them. */
  start(): void;
  /** Ends all look-ups. */
  stop(): Promise<void>;
  /** How long each live source has given no usable price. */
  sourceAges(): readonly SourceAge[];
  /** Warnings about sources that have given no price for a day. */
  warnings(): readonly string[];
}

/** Prices as configured: fixed, or the consensus of live sources, refreshed in the background. */
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

  start(): void {}

  async stop(): Promise<void> {}
}

class LiveRates implements RateService {
  readonly #options: RateServiceOptions;
  readonly #cache = new RateCache();
  readonly #refresher: Refresher;
  readonly #health: SourceHealth;
  readonly #sources: readonly RateSource[];
  readonly #stopped = new AbortController();
  /** Currencies already looked up since they were last requested: the loop refreshes them. */
  readonly #attempted = new Set<string>();
  #loop: Promise<void> | null = null;
  #current: Promise<void> | null = null;
  #onDemand: Promise<void> | null = null;
  #nextOnDemandMs = 0;

  constructor(options: RateServiceOptions) {
    const { clock, logger, config } = options;
    this.#options = options;
    this.#health = new SourceHealth(clock, logger);
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
    const { clock, config, sandboxFallback } = this.#options;
    const now = clock.now();
    if (this.#cache.wants(currency)) this.#cache.touch(currency, now);
    const agreed = consensus(this.#cache.fresh(coin, currency, now - config.maxAgeMs, now + config.maxAgeMs));
    if (agreed !== null) return { coin, currency, ...agreed };
    if (mode === 'sandbox') return fixedQuote(sandboxFallback, coin, currency, now);
    throw rateUnavailable(coin, currency);
  }

  async ensure(currency: string): Promise<void> {
    if (currencyDigits(currency) === null) return;
    this.#cache.touch(currency, this.#options.clock.now());
    if (!this.#attempted.has(currency)) await withinMs(ENSURE_WAIT_MS, this.#untilAttempted(currency));
  }

  sourceAges(): readonly SourceAge[] {
    return this.#health.ages();
  }

  warnings(): readonly string[] {
    return this.#health.warnings();
  }

  start(): void {
    this.#health.begin(this.#sources.map(({ name }) => name));
    this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all([this.#loop, this.#onDemand]);
  }

  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      this.#current = this.#refresh(this.#cache.currencies(this.#options.clock.now()));
      await this.#current;
      await pause(this.#options.config.refreshIntervalMs, this.#stopped.signal);
    }
  }

  async #untilAttempted(currency: string): Promise<void> {
    while (!this.#attempted.has(currency) && this.#cache.wants(currency) && !this.#stopped.signal.aborted) {
      this.#onDemand ??= this.#lookUpNew().finally(() => {
        this.#onDemand = null;
      });
      await this.#onDemand;
    }
  }

  /** One look-up of all new currencies; those requested while it runs share the next one. */
  async #lookUpNew(): Promise<void> {
    await this.#current;
    await pause(Math.max(0, this.#nextOnDemandMs - performance.now()), this.#stopped.signal);
    this.#nextOnDemandMs = performance.now() + ON_DEMAND_GAP_MS;
    const wanted = this.#cache.currencies(this.#options.clock.now());
    const fresh = wanted.filter((currency) => !this.#attempted.has(currency));
    if (fresh.length > 0) await this.#refresh(fresh);
  }

  async #refresh(currencies: readonly string[]): Promise<void> {
    await this.#refresher.refresh(currencies, this.#stopped.signal);
    const wanted = new Set(this.#cache.currencies(this.#options.clock.now()));
    for (const currency of currencies) this.#attempted.add(currency);
    for (const currency of this.#attempted) if (!wanted.has(currency)) this.#attempted.delete(currency);
  }
}

/** @throws {AppError} VALIDATION_INVALID when it is no ISO 4217 code. */
function assertCurrency(currency: string): void {
  if (currencyDigits(currency) === null) throw invalidField('currency', 'must be an ISO 4217 currency code');
}
