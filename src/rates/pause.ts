import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, or returns early once the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Waits for work, but no longer than this; the work itself continues. */
export async function withinMs(ms: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  await Promise.race([work, pause(ms, timer.signal)]);
  timer.abort();
}
