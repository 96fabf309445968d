import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../domain/ports.ts';
import { CronTimes } from './cron-times.ts';

/** @param signal aborted once the scheduler stops: a long job then ends early */
export type Job = (signal: AbortSignal) => Promise<unknown>;

export interface JobOptions {
  /** Whether a pause comes before the first run. */
  readonly pausesFirst?: boolean;
  /** Share of the pause, 0 to 1, by which each may be longer: jobs with the same pause then do not run all at once. */
  readonly jitter?: number;
  /** Whether the pause counts from the start of a run and not from its end. */
  readonly countsFromStart?: boolean;
}

/** The time as a scheduler sees it; another one for tests. */
export interface Timing {
  /** Time of day, ms; for the times of cron expressions. */
  now(): number;
  /** Grows by the milliseconds that pass, whatever is done to the time of day. */
  elapsed(): number;
  /** Resolves after the pause, or as soon as the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

const SYSTEM_TIMING: Timing = {
  now: Date.now,
  elapsed: () => performance.now(),
  sleep: async (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
  random: Math.random,
};

/** How late a run may begin, after the time of its cron expression. */
const CRON_CHECK_MS = 5_000;

/**
 * Runs jobs periodically, each in a loop of its own: a slow one delays no other, and no job overlaps itself. A run that
 * fails is logged and the next one comes as usual. Pauses are measured by a monotonic timer: a step of the clock neither
 * skips nor repeats a run.
 */
export class Scheduler {
  readonly #logger: Logger;
  readonly #timing: Timing;
  readonly #stopping = new AbortController();
  readonly #loops: (() => Promise<void>)[] = [];
  #running: Promise<unknown> | null = null;

  constructor(logger: Logger, timing: Timing = SYSTEM_TIMING) {
    this.#logger = logger;
    this.#timing = timing;
  }

  /** Adds a job with a pause of so many milliseconds between its runs. Call it before the start. */
  every(name: string, pauseMs: number, job: Job, options: JobOptions = {}): this {
    this.#loops.push(async () => this.#loop(name, pauseMs, job, options));
    return this;
  }

  /** Adds a job that runs at the times of a cron expression, in the time zone of the machine. */
  cron(name: string, expression: string, job: Job): this {
    const times = new CronTimes(expression, this.#timing.now());
    return this.every(name, CRON_CHECK_MS, async (signal) => {
      if (times.isDue(this.#timing.now())) await job(signal);
    });
  }

  start(): void {
    this.#running ??= Promise.all(this.#loops.map(async (loop) => loop()));
  }

  /** Aborts the pauses and waits for the jobs that run. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #loop(name: string, pauseMs: number, job: Job, options: JobOptions): Promise<void> {
    const { pausesFirst = false, countsFromStart = false } = options;
    const { signal } = this.#stopping;
    if (pausesFirst) await this.#pause(pauseMs, options);
    while (!signal.aborted) {
      const startedMs = this.#timing.elapsed();
      await this.#run(name, job);
      const spentMs = countsFromStart ? this.#timing.elapsed() - startedMs : 0;
      await this.#pause(Math.max(0, pauseMs - spentMs), options);
    }
  }

  async #run(name: string, job: Job): Promise<void> {
    const { signal } = this.#stopping;
    try {
      await job(signal);
    } catch (error) {
      // A job that the stop interrupts fails as a matter of course.
      if (signal.aborted)
        this.#logger.info({ job: name, err: error }, 'scheduled job interrupted by the shutdown');
      else this.#logger.error({ job: name, err: error }, 'scheduled job failed; it runs again');
    }
  }

  async #pause(pauseMs: number, { jitter = 0 }: JobOptions): Promise<void> {
    const ms = Math.round(pauseMs * (1 + jitter * this.#timing.random()));
    await this.#timing.sleep(ms, this.#stopping.signal);
  }
}
