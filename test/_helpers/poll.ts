import { setTimeout as sleep } from 'node:timers/promises';

const SHORTEST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 250;
/** The pause as a share of the elapsed time: long waits poll less often and end at most a twentieth late. */
const PAUSE_SHARE = 0.05;

/** Asks again and again until the answer satisfies; fails with the last answer. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T> | T,
  satisfies: (value: T) => boolean,
  timeoutMs = 120_000,
): Promise<T> {
  const since = Date.now();
  for (;;) {
    const value = await ask();
    if (satisfies(value)) return value;
    const waited = Date.now() - since;
    if (waited > timeoutMs) {
      throw new Error(`${what}: not within ${timeoutMs} ms; last: ${shown(value)}`);
    }
    await sleep(Math.min(Math.max(waited * PAUSE_SHARE, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS));
  }
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? part.toString() : part));
}
