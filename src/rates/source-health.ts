import type { Clock, Logger } from '../domain/ports.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long a source has returned no usable price. */
export interface SourceAge {
  readonly source: string;
  /** Milliseconds since its last usable price, or since this process first queried it. */
  readonly ageMs: number;
}

/**
 * Tracks when each source last returned a usable price. A source without one for a day is reported, because
 * prices then depend on fewer sources than the operator expects. Counting starts with the process.
 */
export class SourceHealth {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #lastGood = new Map<string, number>();
  readonly #lastTold = new Map<string, number>();

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Starts counting for these sources. */
  begin(sources: readonly string[]): void {
    for (const source of sources) if (!this.#lastGood.has(source)) this.succeeded(source);
  }

  succeeded(source: string): void {
    this.#lastGood.set(source, this.#clock.now());
    this.#lastTold.delete(source);
  }

  /** Logs a source that has failed for a day, once a day. */
  tellDead(source: string): void {
    const [ageMs, now] = [this.#ageOf(source), this.#clock.now()];
    if (ageMs < DAY_MS || now - (this.#lastTold.get(source) ?? Number.NEGATIVE_INFINITY) < DAY_MS) return;
    this.#lastTold.set(source, now);
    this.#logger.warn(
      { source, hours: Math.floor(ageMs / 3_600_000) },
      'exchange rate source has returned no price for a day',
    );
  }

  ages(): SourceAge[] {
    return [...this.#lastGood.keys()].map((source) => ({ source, ageMs: this.#ageOf(source) }));
  }

  /** Warnings for the operator: each source that has failed for a day, and the remedy. */
  warnings(): string[] {
    return this.ages()
      .filter(({ ageMs }) => ageMs >= DAY_MS)
      .map(({ source, ageMs }) => buildWarning(source, Math.floor(ageMs / 3_600_000)));
  }

  #ageOf(source: string): number {
    const now = this.#clock.now();
    const lastGood = this.#lastGood.get(source) ?? now;
    // The clock was set back: earlier readings are meaningless.
    if (lastGood > now) this.#lastGood.set(source, now);
    return Math.max(0, now - lastGood);
  }
}

function buildWarning(source: string, hours: number): string {
  const key =
    source === 'coingecko' ? ' It needs a key: TILLD_COINGECKO_API_KEY_FILE and TILLD_COINGECKO_PLAN.' : '';
  return `the rate source ${source} gave no usable price for ${hours} hours, the log says why.${key} Without it, leave it out of TILLD_RATE_SOURCES`;
}
