import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';

/** Children that run, and what else is to be done when the run is broken off. */
const running = new Set<ChildProcess>();

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** How long children that were asked to end may take; a second signal waits no longer. */
const PATIENCE_MS = 5_000;

let isEnding = false;

/** Until it ends by itself, a child is ended with the run; at once when that ends already. */
export function endWithRun(child: ChildProcess): void {
  if (isEnding) child.kill('SIGKILL');
  running.add(child);
  child.once('exit', () => running.delete(child));
}

/**
 * Ends all children when the run is told to end, and those that do not listen by SIGKILL; then cleans up
 * and ends the run as the signal would have. Without it they would go on, and take the processors of
 * whatever is measured next.
 */
export function endChildrenOnSignal(cleanUp: () => void): void {
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      const leave = (): void => {
        for (const child of running) child.kill('SIGKILL');
        cleanUp();
        process.exit(128 + constants.signals[signal]);
      };
      if (isEnding || running.size === 0) return leave();
      isEnding = true;
      for (const child of running) {
        child.kill('SIGTERM');
        child.once('exit', () => {
          if (running.size === 0) leave();
        });
      }
      setTimeout(leave, PATIENCE_MS);
    });
  }
}
