import type { NodeStatus } from '../../domain/chain.ts';
import type { Coin } from '../../domain/coins.ts';
import type { Clock, Logger } from '../../domain/ports.ts';

/** How long an unknown transaction type is warned about after it was last seen. */
const REMEMBERED_MS = 24 * 3_600_000;
/** Maximum types remembered: block producers could invent any number. */
const MAX_KINDS = 16;

/**
 * Tracks transactions of a type newer than this program: their money is read like any other's, but they may
 * have further effects. Logs one line per type, and warns for a day.
 */
export class UnknownTransactionTypes {
  readonly #coin: Coin;
  readonly #what: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #lastSeen = new Map<number, { height: number; at: number }>();

  constructor(about: { coin: Coin; what: string; clock: Clock; logger: Logger }) {
    this.#coin = about.coin;
    this.#what = about.what;
    this.#clock = about.clock;
    this.#logger = about.logger;
  }

  record(kind: number, height: number): void {
    if (!this.#lastSeen.has(kind)) {
      if (this.#lastSeen.size >= MAX_KINDS) return;
      this.#logger.warn(
        { coin: this.#coin, kind, height },
        `block contains a transaction of a ${this.#what} unknown to this version of tilld; look for a newer release`,
      );
    }
    this.#lastSeen.set(kind, { height, at: this.#clock.now() });
  }

  /** Null when there were none within the last day. */
  warning(): string | null {
    const now = this.#clock.now();
    for (const [kind, { at }] of this.#lastSeen) if (now - at > REMEMBERED_MS) this.#lastSeen.delete(kind);
    const kinds = [...this.#lastSeen].map(([kind, { height }]) => `${kind} (block ${height})`);
    if (kinds.length === 0) return null;
    return `blocks hold transactions of a ${this.#what} not known to this program: ${kinds.join(', ')}; look for a newer release`;
  }
}

/** Adds a warning about unknown transaction types to the node's health. */
export function withUnknownTypes<T extends NodeStatus>(status: T, novelties: UnknownTransactionTypes): T {
  const warning = novelties.warning();
  if (warning === null) return status;
  const warnings = status.warnings === null ? warning : `${status.warnings}; ${warning}`;
  return { ...status, warnings, alarms: [...(status.alarms ?? []), 'new_transactions'] };
}
