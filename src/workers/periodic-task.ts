import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../domain/ports.ts';

interface PeriodicTaskOptions {
  /** Whether a pause comes before the first run. */
  readonly pausesFirst?: boolean;
}

/**
 * Runs a job periodically with a pause between the end of one run and the start of the next, so runs never
 * overlap. A failed run is logged and the next one runs as usual. A monotonic timer measures the pause, so a
 * step of the clock neither skips nor repeats a run.
 */
export class PeriodicTask {
  readonly #name: string;
  readonly #everyMs: number;
  readonly #logger: Logger;
  readonly #job: () => Promise<unknown>;
  readonly #pausesFirst: boolean;
  readonly #stopping = new AbortController();
  #loop: Promise<void> | null = null;

  constructor(
    name: string,
    everyMs: number,
    logger: Logger,
    job: () => Promise<unknown>,
    { pausesFirst = false }: PeriodicTaskOptions = {},
  ) {
    this.#name = name;
    this.#everyMs = everyMs;
    this.#logger = logger;
    this.#job = job;
    this.#pausesFirst = pausesFirst;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Stops and waits for the current run. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    if (this.#pausesFirst) await this.#pause();
    while (!signal.aborted) {
      try {
        await this.#job();
      } catch (error) {
        this.#logger.error({ task: this.#name, err: error }, 'periodic task failed; it runs again');
      }
      await this.#pause();
    }
  }

  async #pause(): Promise<void> {
    await sleep(this.#everyMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}
