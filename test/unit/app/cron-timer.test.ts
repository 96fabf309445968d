import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CronTimer } from '../../../src/app/cron-timer.ts';
import { createLogger } from '../../../src/app/logger.ts';
import { eventually } from '../../_helpers/poll.ts';

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const START = new Date(2026, 5, 1, 12, 0, 30);

describe('CronTimer', () => {
  let checks = 0;
  let runs: string[] = [];
  let timer: CronTimer;

  const job = async (): Promise<void> => {
    runs.push(new Date().toISOString());
  };
  const startOn = (expression: string): void => {
    timer = new CronTimer('test', expression, createLogger('silent'), job, 1);
    timer.start();
  };
  /** Waits until the timer has compared its next time with the clock at least once more. */
  const checked = async (): Promise<void> => {
    const before = checks;
    await eventually(
      'a check',
      async () => checks,
      (count) => count >= before + 2,
    );
  };

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: START });
    runs = [];
    checks = 0;
    const now = Date.now;
    vi.spyOn(Date, 'now').mockImplementation(() => {
      checks += 1;
      return now();
    });
  });

  afterEach(async () => {
    await timer.stop();
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('runs its job once at each time of the expression', async () => {
    startOn('1 * * * *');
    await checked();
    expect(runs).toHaveLength(0);
    vi.setSystemTime(new Date(2026, 5, 1, 12, 1, 0));
    await checked();
    await checked();
    expect(runs).toHaveLength(1);
    vi.setSystemTime(new Date(2026, 5, 1, 13, 1, 0));
    await checked();
    expect(runs).toHaveLength(2);
  });

  it('runs its job once when the clock steps over three years of times', async () => {
    startOn('* * * * *');
    vi.setSystemTime(START.getTime() + 3 * YEAR_MS);
    await checked();
    await checked();
    expect(runs).toHaveLength(1);
  });

  it('runs its job at the next scheduled time after the clock was set back', async () => {
    startOn('1 * * * *');
    vi.setSystemTime(START.getTime() - YEAR_MS);
    await checked();
    expect(runs).toHaveLength(0);
    vi.setSystemTime(START.getTime() - YEAR_MS + HOUR_MS);
    await checked();
    expect(runs).toHaveLength(1);
  });
});
