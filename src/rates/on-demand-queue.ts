import { pause } from './pause.ts';

/** Pause between two on-demand requests. */
const GAP_MS = 1_000;

/**
 * Serialises on-demand requests with a pause between them: currencies requested while one runs share the
 * next.
 */
export class OnDemandQueue {
  #waiting = new Set<string>();
  #next: Promise<void> | null = null;
  #last: Promise<void> = Promise.resolve();
  #notBeforeMs = 0;

  /** Resolves after a request for this currency that began after the call. Never throws. */
  async join(
    currency: string,
    signal: AbortSignal,
    lookUp: (currencies: readonly string[]) => Promise<void>,
  ): Promise<void> {
    this.#waiting.add(currency);
    this.#next ??= this.#run(signal, lookUp);
    return this.#next;
  }

  /** Waits for the requests in flight. */
  async ended(): Promise<void> {
    await (this.#next ?? this.#last);
  }

  async #run(signal: AbortSignal, lookUp: (currencies: readonly string[]) => Promise<void>): Promise<void> {
    await this.#last;
    await pause(Math.max(0, this.#notBeforeMs - performance.now()), signal);
    this.#notBeforeMs = performance.now() + GAP_MS;
    const currencies = [...this.#waiting];
    this.#waiting = new Set();
    this.#next = null;
    this.#last = signal.aborted ? Promise.resolve() : lookUp(currencies);
    await this.#last;
  }
}
