import { createTask, type ScheduledTask } from 'node-cron';
import type { Logger } from '../domain/ports.ts';
import { PeriodicTask } from '../workers/periodic-task.ts';

/** How late a run may begin. */
const CHECK_EVERY_MS = 5_000;

/**
 * Runs a job at the times of a cron expression, in the time zone of the machine. A monotonic timer compares
 * the next of these times with the clock: a step of the clock over many of them starts one run, whereas the
 * scheduler of node-cron visits each of them synchronously, half a millisecond apiece.
 */
export class CronTimer {
  readonly #times: ScheduledTask;
  readonly #checks: PeriodicTask;
  #checkedAt = Date.now();
  #nextAt: number;

  constructor(
    name: string,
    expression: string,
    logger: Logger,
    job: () => Promise<unknown>,
    checkEveryMs = CHECK_EVERY_MS,
  ) {
    this.#times = createTask(expression, job, { name });
    this.#nextAt = this.#next();
    this.#checks = new PeriodicTask(name, checkEveryMs, logger, async () => {
      if (this.#isDue()) await job();
    });
  }

  start(): void {
    this.#checks.start();
  }

  /** Stops and waits for the current run. */
  async stop(): Promise<void> {
    await this.#checks.stop();
    await this.#times.destroy();
  }

  #isDue(): boolean {
    const now = Date.now();
    const isSetBack = now < this.#checkedAt;
    const isDue = now >= this.#nextAt;
    this.#checkedAt = now;
    // If the clock was set back, the next time may be years ahead.
    if (isDue || isSetBack) this.#nextAt = this.#next();
    return isDue;
  }

  /** The machine's clock is the one that node-cron reads. */
  #next(): number {
    return this.#times.getNextRuns(1)[0]?.getTime() ?? Number.POSITIVE_INFINITY;
  }
}
