import { afterEach, describe, expect, it, vi } from 'vitest';
import { WINDOW_MS, WindowCounts } from '../../../src/http/server/window-counts.ts';

describe('WindowCounts of a rate limit', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('counts each key separately until its window of a minute ends', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const counts = new WindowCounts();
    expect([counts.increment('a').totalHits, counts.increment('a').totalHits]).toEqual([1, 2]);
    expect(counts.increment('b').totalHits).toBe(1);
    vi.advanceTimersByTime(WINDOW_MS - 1);
    expect(counts.increment('a')).toMatchObject({ totalHits: 3, retryAfterMs: 1 });
    vi.advanceTimersByTime(1);
    expect(counts.increment('a')).toMatchObject({ totalHits: 1, retryAfterMs: WINDOW_MS });
  });

  it('keeps the window of a client when the clock is set back or forward', () => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    const counts = new WindowCounts();
    counts.increment('a');
    vi.setSystemTime(Date.now() - 86_400_000);
    expect(counts.increment('a')).toMatchObject({ totalHits: 2, retryAfterMs: WINDOW_MS });
    vi.advanceTimersByTime(WINDOW_MS);
    expect(counts.increment('a').totalHits).toBe(1);
    vi.setSystemTime(Date.now() + 3 * 365 * 86_400_000);
    expect(counts.increment('a').totalHits).toBe(2);
  });

  it('removes clients whose window has ended, however many arrive', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const counts = new WindowCounts();
    for (let client = 0; client < 5_000; client += 1) counts.increment(`first ${client}`);
    vi.advanceTimersByTime(WINDOW_MS);
    for (let client = 0; client < 5_000; client += 1) counts.increment(`second ${client}`);
    expect(counts.size).toBe(5_000);
  });
});
