/** Vitest setup file, run for each test file: notes how much CPU time the file used. */
import { afterAll } from 'vitest';
import { cpuSecondsOfTree } from './cpu-time.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** CPU seconds of the test file's process and of all that it started; of a file only. */
    cpuSeconds?: number;
  }
}

const SAMPLE_MS = 1_000;

let before = cpuSecondsOfTree(process.pid);
let used = 0;

/** A browser does not wait for the processes that it ends: their time leaves the tree, and is kept from the last sample. */
function sample(): void {
  const now = cpuSecondsOfTree(process.pid);
  used += Math.max(0, now - before);
  before = now;
}

const timer = setInterval(sample, SAMPLE_MS);
timer.unref();

// Registered first, so it runs after every other `afterAll` of the file.
// oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to learn which fixtures are used
afterAll(({}, file) => {
  clearInterval(timer);
  sample();
  file.meta.cpuSeconds = used;
});
