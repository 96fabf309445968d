import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until the answer satisfies; fails with the last answer. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T> | T,
  satisfies: (value: T) => boolean,
  timeoutMs = 120_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await ask();
    if (satisfies(value)) return value;
    if (Date.now() > deadline) {
      throw new Error(`${what}: not within ${timeoutMs} ms; last: ${shown(value)}`);
    }
    await sleep(25);
  }
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? part.toString() : part));
}
