import type { NodeStatus } from '../../domain/chain.ts';
import type { Clock, Logger } from '../../domain/ports.ts';

/** How long a transaction is warned of after it was last asked about: longer than the gap between two offers. */
const REMEMBERED_MS = 3_600_000;
/** Transactions remembered at a time. */
const MAX_KNOWN = 100;

/** Where a history begins, and where it would have to. */
export interface Gap {
  /** The slot after which the transaction may have landed. */
  readonly slot: number;
  /** The first slot that the node still has. */
  readonly first: number;
}

/**
 * Sends that expired, and of which the node cannot tell whether they landed before: its history begins later.
 * Their money is not free without that proof, so somebody has to bring a node that has it. One line in the log
 * for each, and a warning as long as it is so.
 */
export class LostHistory {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #gaps = new Map<string, Gap & { at: number }>();

  constructor({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Why it stays open, in words. */
  lacks(txid: string, { slot, first }: Gap): string {
    const isNew = !this.#gaps.has(txid);
    this.#gaps.delete(txid);
    this.#gaps.set(txid, { slot, first, at: this.#clock.now() });
    for (const oldest of this.#gaps.keys()) if (this.#gaps.size > MAX_KNOWN) this.#gaps.delete(oldest);
    const why = `it has expired, but the node's history begins at slot ${first}: only a node that has the blocks from slot ${slot} on can tell whether it landed before`;
    if (isNew)
      this.#logger.error({ coin: 'SOL', txid, slot, first }, `a send keeps its money reserved: ${why}`);
    return why;
  }

  /** Its history is there again, or it is known without. */
  settled(txid: string): void {
    this.#gaps.delete(txid);
  }

  /** The node's health, with a word about those sends. */
  withWarning<T extends NodeStatus>(status: T): T {
    const now = this.#clock.now();
    for (const [txid, { at }] of this.#gaps) if (Math.abs(now - at) > REMEMBERED_MS) this.#gaps.delete(txid);
    if (this.#gaps.size === 0) return status;
    const slot = Math.min(...[...this.#gaps.values()].map((gap) => gap.slot));
    const warning = `${this.#gaps.size} expired send(s) keep their money reserved, for the node's history does not reach back to them: use a node that has the blocks from slot ${slot} on until they end`;
    const warnings = status.warnings === null ? warning : `${status.warnings}; ${warning}`;
    return { ...status, warnings, alarms: [...(status.alarms ?? []), 'pruned'] };
  }
}
