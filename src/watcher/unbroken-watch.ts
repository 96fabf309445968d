import type { NodeStatus } from '../domain/chain.ts';
import type { Clock } from '../domain/ports.ts';

/** How long a node must have been watched in step with its network before its silence is believed. */
const SETTLE_MS = 120_000;
/** Looks further apart than this do not join into one watch: machine, node or network may have slept. */
const MAX_GAP_MS = 90_000;

/** A node with peers that has every block it knows of. One that is alone by design is always in step. */
export function isInStep(status: NodeStatus): boolean {
  return status.peers === null || (status.peers > 0 && !status.syncing);
}

/**
 * Tells up to when a chain was seen completely. After a start, a failure or a sleep a node often shows
 * an old tip as if it were the newest, until its peers tell it more: what it does not show then proves
 * nothing, and no payment may end by it.
 */
export class UnbrokenWatch {
  readonly #clock: Clock;
  #since: number | null = null;
  #lastLook: number | null = null;
  #seenThrough: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Time up to which everything was seen, ms; null before that is known of any time. A time to come is that of a
   * clock since set back, and tells nothing.
   */
  get seenThrough(): number | null {
    const seen = this.#seenThrough;
    return seen === null || seen > this.#clock.now() ? null : seen;
  }

  /** Blocks and mempool were read completely in a look begun at `startedAt`. */
  looked(startedAt: number, status: NodeStatus): void {
    const gap = startedAt - (this.#lastLook ?? startedAt);
    if (!isInStep(status) || gap < 0 || gap > MAX_GAP_MS) this.broken();
    this.#lastLook = startedAt;
    if (!isInStep(status)) return;
    this.#since ??= startedAt;
    const settleMs = status.peers === null ? 0 : SETTLE_MS;
    if (startedAt - this.#since >= settleMs) this.#seenThrough = startedAt;
  }

  /** The node did not answer or fell behind: what it says next proves nothing for a while. */
  broken(): void {
    this.#since = null;
  }
}
