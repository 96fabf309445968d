/**
 * Preloaded into a measured process (`--import`): answers each message with the longest stretch of processor time of the
 * main thread between two turns of its event loop since the last one, ms. That is a stall, whatever else the machine
 * does.
 */
import { isMainThread } from 'node:worker_threads';

const TURN_MS = 4;

function spentMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

if (isMainThread) {
  let last = spentMs();
  let longest = 0;
  setInterval(() => {
    const now = spentMs();
    longest = Math.max(longest, now - last);
    last = now;
  }, TURN_MS).unref();
  process.on('message', () => {
    process.send?.({ stallMs: longest });
    longest = 0;
  });
  process.channel?.unref();
}
