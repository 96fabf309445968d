import type { Logger } from '../domain/ports.ts';

/** A disk in order flushes in milliseconds; one that is throttled or dying takes seconds, even minutes. */
const SLOW_MS = 1_000;

/**
 * Tells the log of flushes that take long. Nobody is answered while a commit flushes: without a word of it the
 * silence that follows looks like a fault of the network, the nodes, or of this program.
 */
export class SlowFlushes {
  readonly #logger: Pick<Logger, 'warn'> | undefined;
  readonly #slowMs: number;

  /** @param slowMs what takes at least so long is told */
  constructor(logger: Pick<Logger, 'warn'> | undefined, slowMs: number = SLOW_MS) {
    this.#logger = logger;
    this.#slowMs = slowMs;
  }

  /** @param began by performance.now, when a commit began that has just ended */
  committed(began: number): void {
    this.#tell(began, 'the disk took long to write a commit: until then nothing else was done or answered');
  }

  /** @param began by performance.now, when a flush beside the event loop began that has just ended */
  flushedAside(began: number): void {
    this.#tell(
      began,
      'the disk took long to flush: webhooks and what else is recorded in passing waited for it',
    );
  }

  #tell(began: number, message: string): void {
    const tookMs = Math.round(performance.now() - began);
    if (tookMs >= this.#slowMs) this.#logger?.warn({ tookMs }, message);
  }
}
