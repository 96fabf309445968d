import type { Logger } from '../domain/ports.ts';

/** So often it is looked whether there is room again. */
const LOOK_MS = 1_000;

interface FullDiskOptions {
  /** Whether an error says that there was no room for what was to be written. */
  readonly isFull: (error: unknown) => boolean;
  /** Whether there is room again; tried by writing, as a quota is told of by nothing else. */
  readonly hasRoom: () => boolean;
  /** Of the database, for the operator. */
  readonly path: string;
  readonly logger?: Pick<Logger, 'warn' | 'error'> | undefined;
  readonly lookMs?: number | undefined;
}

/**
 * Knows whether the disk is full. SQLite takes back what found no room, and whoever wanted it is told; this
 * is for the operator, who would else learn it from customers: reads go on, and nothing else looks wrong.
 */
export class FullDisk {
  readonly #options: FullDiskOptions;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: FullDiskOptions) {
    this.#options = options;
  }

  /** Whether something found no room, and nothing has since. */
  get isFull(): boolean {
    return this.#timer !== null;
  }

  /** To be told of each write that failed, whatever the reason. */
  failed(error: unknown): void {
    if (this.isFull || !this.#options.isFull(error)) return;
    this.#timer = setInterval(() => this.#look(), this.#options.lookMs ?? LOOK_MS).unref();
    this.#options.logger?.error(
      { path: this.#options.path },
      'the disk of the database is full: free some room; until then no payment is created or recorded',
    );
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    if (!this.#options.hasRoom()) return;
    this.close();
    this.#options.logger?.warn({}, 'there is room on the disk of the database again');
  }
}
