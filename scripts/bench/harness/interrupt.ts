import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';

/** Running child processes, and other clean-up on interruption. */
const running = new Set<ChildProcess>();

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Time for children to exit after SIGTERM; a second signal ends the wait. */
const PATIENCE_MS = 5_000;

let isEnding = false;

/** Registers a child to be ended with the run, until it exits; at once if the run is already ending. */
export function endWithRun(child: ChildProcess): void {
  if (isEnding) child.kill('SIGKILL');
  running.add(child);
  child.once('exit', () => running.delete(child));
}

/**
 * On a signal ends all children, by SIGKILL if they do not exit, cleans up, and ends the run as the signal would have.
 * Otherwise they would continue and take CPU time from the next measurement.
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
