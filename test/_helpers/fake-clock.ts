import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from './till.ts';

/** The wall clock of processes started with its `env`, by libfaketime; their monotonic clock stays the machine's. */
export class FakeClock implements Disposable {
  readonly env: Env;
  readonly #dir = mkdtempSync(join(tmpdir(), 'clock-'));
  #aheadMs: number;

  /** @param startsAt the time that the processes see now, by whole seconds */
  constructor(startsAt: number) {
    this.#aheadMs = startsAt - Date.now();
    const file = join(this.#dir, 'offset');
    this.env = {
      // The loader puts the directory of the machine's libraries in place of $LIB.
      LD_PRELOAD: '/usr/$LIB/faketime/libfaketimeMT.so.1',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      TZ: 'UTC',
    };
    this.step(0);
  }

  /** What the processes see, to a second or two. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** Sets the clock forward, or back; the processes see it within a second. */
  step(byMs: number): void {
    this.#aheadMs += byMs;
    const seconds = Math.round(this.#aheadMs / 1_000);
    const file = join(this.#dir, 'offset');
    // In one step: half a file would be another time.
    writeFileSync(`${file}.new`, `${seconds >= 0 ? '+' : ''}${seconds}\n`);
    renameSync(`${file}.new`, file);
  }

  [Symbol.dispose](): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
