import { createTask } from 'node-cron';

/**
 * The times of a cron expression. The next one is compared with the clock: a step of the clock over many of them makes
 * one due, where the scheduler of node-cron visits each of them synchronously, half a millisecond apiece.
 */
export class CronTimes {
  readonly #expression: string;
  #checkedAt: number;
  #nextAt: number;

  /** @param now time of day; node-cron reads that of the machine */
  constructor(expression: string, now: number) {
    this.#expression = expression;
    this.#checkedAt = now;
    this.#nextAt = this.#next();
  }

  /** Whether a time has come since the last check. */
  isDue(now: number): boolean {
    const isSetBack = now < this.#checkedAt;
    const isDue = now >= this.#nextAt;
    this.#checkedAt = now;
    // After a clock that was set back, the next time may be years ahead.
    if (isDue || isSetBack) this.#nextAt = this.#next();
    return isDue;
  }

  #next(): number {
    const task = createTask(this.#expression, () => undefined);
    const [next] = task.getNextRuns(1);
    void task.destroy(); // never started; else node-cron keeps it
    return next?.getTime() ?? Number.POSITIVE_INFINITY;
  }
}
