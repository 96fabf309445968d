import type { Logger } from '../../src/domain/ports.ts';
import type { WorldClock } from './world-clock.ts';

const MAX_LINES = 3_000;

/** The events of a round, with their time in it. */
export class History {
  readonly lines: string[] = [];
  readonly #clock: WorldClock;
  readonly #since: number;
  #told = new Set<string>();

  constructor(clock: WorldClock) {
    this.#clock = clock;
    this.#since = clock.now();
  }

  add(line: string): void {
    if (!line.startsWith(' ')) this.#told.clear();
    if (this.lines.length < MAX_LINES) this.lines.push(`${this.at(this.#clock.now())} ${line}`);
  }

  /** Seconds since the round began. */
  at(ms: number): string {
    return `${((ms - this.#since) / 1000).toFixed(0).padStart(6)}s`;
  }

  /** Warnings and errors of the daemon, as lines of the history. */
  logger(): Logger {
    const note = (level: string) => (fields: object, message: string) => {
      const line = `  till ${level}: ${message} ${JSON.stringify(fields, shortened).slice(0, 400)}`;
      // Repeated lines of the same moment are dropped.
      if (this.#told.has(line)) return;
      this.#told.add(line);
      this.add(line);
    };
    return { debug() {}, info() {}, warn: note('warns'), error: note('error') };
  }
}

function shortened(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return typeof value === 'string' && value.length > 90 ? `${value.slice(0, 90)}…` : value;
}
