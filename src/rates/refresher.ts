import type { Clock, Logger } from '../domain/ports.ts';
import type { RateCache } from './cache.ts';
import { fetchText } from './fetch.ts';
import type { SourceHealth } from './source-health.ts';
import type { RateSource, SourcePrice } from './source.ts';

export interface RefresherDeps {
  readonly sources: readonly RateSource[];
  readonly cache: RateCache;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timeoutMs: number;
  /** Older prices are ignored. */
  readonly maxAgeMs: number;
  readonly health: SourceHealth;
}

/** Queries all sources concurrently and stores their prices. A failing source is skipped, and logged once. */
export class Refresher {
  readonly #deps: RefresherDeps;
  readonly #failing = new Set<string>();

  constructor(deps: RefresherDeps) {
    this.#deps = deps;
  }

  /** Never throws. */
  async refresh(currencies: readonly string[], signal: AbortSignal): Promise<void> {
    await Promise.all(this.#deps.sources.map((source) => this.#refreshOne(source, currencies, signal)));
  }

  async #refreshOne(source: RateSource, currencies: readonly string[], signal: AbortSignal): Promise<void> {
    const urls = source.requests(currencies);
    if (urls.length === 0) return;
    const outcomes = await Promise.allSettled(urls.map((url) => this.#readOne(source, url, signal)));
    if (signal.aborted) return;
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    this.#tell(source.name, failed?.reason);
    this.#deps.health.tellDead(source.name);
  }

  async #readOne(source: RateSource, url: URL, signal: AbortSignal): Promise<void> {
    const { cache, clock, timeoutMs, health } = this.#deps;
    const headers = source.headers?.() ?? {};
    const prices = source.parse(await fetchText(url, { timeoutMs, signal, headers }));
    cache.store(source.name, prices, clock.now());
    if (prices.some((price) => this.#isUsable(price))) health.succeeded(source.name);
  }

  #isUsable({ at }: SourcePrice): boolean {
    return at === null || at >= this.#deps.clock.now() - this.#deps.maxAgeMs;
  }

  #tell(source: string, error: unknown): void {
    const { logger } = this.#deps;
    if (error !== undefined && !this.#failing.has(source)) {
      this.#failing.add(source);
      logger.warn(
        { source, reason: describeReason(error) },
        'exchange rate source failed; other sources are used',
      );
    } else if (error === undefined && this.#failing.delete(source)) {
      logger.info({ source }, 'exchange rate source available again');
    }
  }
}

const MAX_REASON_LENGTH = 300;

function describeReason(error: unknown): string {
  return (error instanceof Error ? error.message || error.name : String(error)).slice(0, MAX_REASON_LENGTH);
}
