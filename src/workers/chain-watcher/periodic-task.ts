import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../domain/ports.ts';

/**
 * Runs a job periodically with a pause between the end of one run and the start of the next, so
 * runs never overlap. A failed run is logged and the next one comes as usual.
 */
export class PeriodicTask {
  readonly #name: string;
  readonly #everyMs: number;
  readonly #logger: Logger;
  readonly #job: () => Promise<unknown>;
  readonly #stopping = new AbortController();
  #loop: Promise<void> | null = null;

  constructor(name: string, everyMs: number, logger: Logger, job: () => Promise<unknown>) {
    this.#name = name;
    this.#everyMs = everyMs;
    this.#logger = logger;
    this.#job = job;
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
    while (!signal.aborted) {
      try {
        await this.#job();
      } catch (error) {
        this.#logger.error({ task: this.#name, err: error }, 'a periodic task failed; it runs again');
      }
      await sleep(this.#everyMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
