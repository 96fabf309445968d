import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withProgress } from '../../src/cli/command.ts';

describe('withProgress', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('prints every 15 seconds that a long task is still running, until the task ends', async () => {
    const shown: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => shown.push(String(text)) > 0);
    const { promise, resolve } = Promise.withResolvers<number>();
    const work = withProgress('BTC: comparing', async () => promise);
    await vi.advanceTimersByTimeAsync(31_000);
    expect(shown).toEqual(['BTC: comparing: 15 s so far\n', 'BTC: comparing: 30 s so far\n']);
    resolve(7);
    expect(await work).toBe(7);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(shown).toHaveLength(2);
  });
});
