import { setImmediate as settle } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Scheduler, type Timing } from '../../../src/scheduler/scheduler.ts';

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

/** Time that passes only when a test says so. */
class ManualTiming implements Timing {
  share = 0;
  #elapsedMs = 0;
  #sleepers: { readonly untilMs: number; readonly wake: () => void }[] = [];

  now(): number {
    return Date.now();
  }

  elapsed(): number {
    return this.#elapsedMs;
  }

  random(): number {
    return this.share;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve: wake } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => wake(), { once: true });
    this.#sleepers.push({ untilMs: this.#elapsedMs + ms, wake });
    await promise;
  }

  /** A millisecond-exact step at a time, so that runs begin in order. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#elapsedMs + ms;
    for (;;) {
      await settle();
      const next = Math.min(...this.#sleepers.map(({ untilMs }) => untilMs));
      if (next > endMs) break;
      this.#elapsedMs = Math.max(this.#elapsedMs, next);
      const due = this.#sleepers.filter(({ untilMs }) => untilMs <= next);
      this.#sleepers = this.#sleepers.filter(({ untilMs }) => untilMs > next);
      for (const { wake } of due) wake();
    }
    this.#elapsedMs = endMs;
  }
}

const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
let timing: ManualTiming;
let scheduler: Scheduler;
beforeEach(() => {
  vi.clearAllMocks();
  timing = new ManualTiming();
  scheduler = new Scheduler(logger, timing);
});
afterEach(async () => scheduler.stop());

/** The checks of a cron expression are five seconds apart. */
const check = async (): Promise<void> => timing.advance(5_000);

describe('Scheduler.every', () => {
  it('runs a job at the start and after each pause', async () => {
    const starts: number[] = [];
    scheduler.every('job', 10, async () => starts.push(timing.elapsed())).start();
    await timing.advance(35);
    expect(starts).toEqual([0, 10, 20, 30]);
  });

  it('waits before the first run when the job is configured to start with a pause', async () => {
    const starts: number[] = [];
    const job = async () => starts.push(timing.elapsed());
    scheduler.every('job', 10, job, { pausesFirst: true }).start();
    await timing.advance(25);
    expect(starts).toEqual([10, 20]);
  });

  it('does not run a job twice at once, nor delay another job', async () => {
    const slow = Promise.withResolvers<void>();
    const runs = { slow: 0, quick: 0 };
    scheduler
      .every('slow', 10, async () => {
        runs.slow += 1;
        await slow.promise;
      })
      .every('quick', 10, async () => void (runs.quick += 1))
      .start();
    await timing.advance(45);
    expect(runs).toEqual({ slow: 1, quick: 5 });
    slow.resolve();
    await timing.advance(10);
    expect(runs.slow).toBe(2);
  });

  it.each([
    [false, [0, 14, 28]],
    [true, [0, 10, 20]],
  ])('counts the pause from the start of a run if configured so: %s', async (countsFromStart, expected) => {
    const starts: number[] = [];
    const job = async (signal: AbortSignal) => {
      starts.push(timing.elapsed());
      await timing.sleep(4, signal);
    };
    scheduler.every('job', 10, job, { countsFromStart }).start();
    await timing.advance(29);
    expect(starts).toEqual(expected);
  });

  it('extends each pause by the configured jitter', async () => {
    const starts: number[] = [];
    timing.share = 0.5;
    scheduler.every('job', 100, async () => starts.push(timing.elapsed()), { jitter: 0.2 }).start();
    await timing.advance(225);
    expect(starts).toEqual([0, 110, 220]);
  });

  it('logs a run that fails, and runs the job again', async () => {
    let runs = 0;
    const job = async () => {
      runs += 1;
      throw new Error('no');
    };
    scheduler.every('job', 10, job).start();
    await timing.advance(15);
    expect(runs).toBe(2);
    expect(logger.error).toHaveBeenCalledTimes(2);
    expect(logger.error.mock.calls[0]?.[0]).toMatchObject({ job: 'job', err: new Error('no') });
  });
});

describe('Scheduler.stop', () => {
  it('aborts the signal of a running job, waits for its end, and does not log its failure as an error', async () => {
    const order: string[] = [];
    const job = async (signal: AbortSignal) => {
      await timing.sleep(1_000, signal);
      await settle();
      order.push('job ended');
      throw new Error('aborted');
    };
    scheduler.every('job', 10, job).start();
    await timing.advance(0);
    await scheduler.stop();
    order.push('stopped');
    expect(order).toEqual(['job ended', 'stopped']);
    expect(logger.error).not.toHaveBeenCalled();
    expect(logger.info).toHaveBeenCalledTimes(1);
  });

  it('ends a pause immediately, after which no job runs', async () => {
    let runs = 0;
    scheduler.every('job', HOUR_MS, async () => void (runs += 1)).start();
    await timing.advance(0);
    await scheduler.stop();
    await timing.advance(2 * HOUR_MS);
    expect(runs).toBe(1);
  });
});

describe('Scheduler.cron', () => {
  const START = new Date(2026, 5, 1, 12, 0, 30);
  let runs = 0;
  const startOn = async (expression: string): Promise<void> => {
    runs = 0;
    scheduler.cron('job', expression, async () => void (runs += 1)).start();
    await check();
  };

  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: START }));
  afterEach(() => void vi.useRealTimers());

  it('runs a job once at each time of the expression', async () => {
    await startOn('1 * * * *');
    expect(runs).toBe(0);
    vi.setSystemTime(new Date(2026, 5, 1, 12, 1, 0));
    await check();
    await check();
    expect(runs).toBe(1);
    vi.setSystemTime(new Date(2026, 5, 1, 13, 1, 0));
    await check();
    expect(runs).toBe(2);
  });

  it('runs a job once when the clock is set forward over three years of scheduled times', async () => {
    await startOn('* * * * *');
    vi.setSystemTime(START.getTime() + 3 * YEAR_MS);
    await check();
    await check();
    expect(runs).toBe(1);
  });

  it('runs a job at its next scheduled time after the clock was set back', async () => {
    await startOn('1 * * * *');
    vi.setSystemTime(START.getTime() - YEAR_MS);
    await check();
    expect(runs).toBe(0);
    vi.setSystemTime(START.getTime() - YEAR_MS + HOUR_MS);
    await check();
    expect(runs).toBe(1);
  });
});
