import { setTimeout as pause } from 'node:timers/promises';

/** Waits until a condition holds; fails, naming it, when it does not in time. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  what: string,
  deadlineMs = 120_000,
): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${deadlineMs} ms in vain for ${what}`);
    await pause(5);
  }
}
