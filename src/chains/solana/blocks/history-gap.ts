import type { NodeStatus } from '../../../domain/chain.ts';
import { assertNever } from '../../../domain/errors.ts';
import type { Clock, Logger } from '../../../domain/ports.ts';

/** How long a warning lasts after the transaction was last checked: longer than the pause between two broadcasts. */
const REMEMBERED_MS = 3_600_000;
/** Maximum transactions remembered. */
const MAX_KNOWN = 100;

/** Why it is not provable that an expired transaction was never executed. */
export type UnprovenReason =
  /** The node's history begins at `first`, after the slot of its block hash. */
  | { readonly kind: 'begins_late'; readonly slot: number; readonly first: number }
  /** Blocks after the slot of its block hash, in which it could have been executed, are missing. */
  | { readonly kind: 'gap'; readonly slot: number }
  /** The slot of its block hash was not recorded. */
  | { readonly kind: 'undated' }
  /**
   * An account that it spends from holds less than the ledger says: only our own transaction can be the
   * cause.
   */
  | { readonly kind: 'moved'; readonly account: string; readonly holds: bigint; readonly ledger: bigint };

/**
 * Expired sends for which the node cannot prove that they were never executed. Their money stays reserved
 * without that proof, so the operator has to provide a node with the history. Logs one line for each, and
 * warns until it is resolved.
 */
export class HistoryGap {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #doubts = new Map<string, { readonly doubt: UnprovenReason; readonly at: number }>();

  constructor({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Records the reason and returns it as a sentence. */
  recordGap(txid: string, doubt: UnprovenReason): string {
    const isNew = this.#doubts.get(txid)?.doubt.kind !== doubt.kind;
    this.#doubts.delete(txid);
    this.#doubts.set(txid, { doubt, at: this.#clock.now() });
    for (const oldest of this.#doubts.keys()) if (this.#doubts.size > MAX_KNOWN) this.#doubts.delete(oldest);
    const why = `it has expired, but ${reasonFor(doubt)}`;
    if (isNew)
      this.#logger.error(
        { coin: 'SOL', txid, reason: why, ...loggable(doubt) },
        'expired send may have been executed; its funds stay reserved',
      );
    return why;
  }

  /** Its history is available again, or no longer needed. */
  settled(txid: string): void {
    this.#doubts.delete(txid);
  }

  /** Adds a warning about these sends to the node's health. */
  withWarning<T extends NodeStatus>(status: T): T {
    const now = this.#clock.now();
    for (const [txid, { at }] of this.#doubts)
      if (Math.abs(now - at) > REMEMBERED_MS) this.#doubts.delete(txid);
    if (this.#doubts.size === 0) return status;
    const slots = [...this.#doubts.values()].flatMap(({ doubt }) => ('slot' in doubt ? [doubt.slot] : []));
    const from = slots.length === 0 ? 'the whole history' : `the blocks from slot ${Math.min(...slots)} on`;
    const warning = `${this.#doubts.size} expired send(s) keep their funds reserved because the node cannot prove that they were not executed: use a node that has ${from} until they end`;
    const warnings = status.warnings === null ? warning : `${status.warnings}; ${warning}`;
    return { ...status, warnings, alarms: [...(status.alarms ?? []), 'pruned'] };
  }
}

function reasonFor(doubt: UnprovenReason): string {
  switch (doubt.kind) {
    case 'begins_late':
      return `the node's history begins at slot ${doubt.first}: only a node that has the blocks from slot ${doubt.slot} on can tell whether it was executed`;
    case 'gap':
      return `the node's history has a gap after slot ${doubt.slot}: only a node that has all blocks from there on can tell whether it was executed`;
    case 'undated':
      return 'the slot of its block hash is not known: only a node that shows its execution can tell';
    case 'moved':
      return `${doubt.account} holds ${doubt.holds} lamports, less than the ${doubt.ledger} of the ledger: it may have been executed in blocks that the node no longer has`;
    default:
      return assertNever(doubt);
  }
}

function loggable(doubt: UnprovenReason): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(doubt).map(([key, value]) => [key, typeof value === 'bigint' ? value.toString() : value]),
  );
}
