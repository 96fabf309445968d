import type { TransactionFate } from '../../domain/chain.ts';

/** Transactions rechecked per round: each takes several node calls. */
const PER_ROUND = 50;
/** Rounds further apart than this are not contiguous: node, network or machine may have slept. */
const MAX_GAP_MS = 90_000;

/**
 * Chooses which of the transactions missing from a node's view are rechecked in this round: a few at a time,
 * round-robin, so that a flood of replaced payments does not overload the node and the follower.
 */
export class RecheckRoundRobin {
  #after = '';
  /**
   * How long an in-sync node has lacked each of them, since this process began: the count restarts with the
   * process, so that a transaction may count as dropped later than it could, never sooner.
   */
  readonly #absences = new Map<string, { ms: number; isAbsent: boolean }>();
  #seenThrough: number | null = null;

  /**
   * Adds the time since the last round for transactions still missing, if the chain was seen completely throughout.
   * What a node lacks after a start, an outage or while behind its network proves nothing and is not counted.
   */
  passed(seenThrough: number | null, missing: ReadonlySet<string>): void {
    const [from, to] = [this.#seenThrough, seenThrough];
    this.#seenThrough = seenThrough;
    const spentMs = from === null || to === null ? 0 : to - from;
    for (const [txid, absence] of this.#absences) {
      if (!missing.has(txid)) this.#absences.delete(txid);
      else if (absence.isAbsent && spentMs > 0 && spentMs <= MAX_GAP_MS) absence.ms += spentMs;
    }
  }

  /** Records the node's answer. @returns how long it has lacked the transaction, ms */
  answered(txid: string, fate: TransactionFate): number {
    const absence = this.#absences.get(txid) ?? { ms: 0, isAbsent: false };
    absence.isAbsent = fate === 'absent';
    if (fate === 'present' || fate === 'gone') this.#absences.delete(txid);
    else this.#absences.set(txid, absence);
    return absence.ms;
  }

  next(txids: Iterable<string>): string[] {
    const sorted = [...new Set(txids)].toSorted();
    const first = sorted.findIndex((txid) => txid > this.#after);
    const start = first === -1 ? 0 : first;
    const turn = [...sorted.slice(start), ...sorted.slice(0, start)].slice(0, PER_ROUND);
    this.#after = turn.at(-1) ?? '';
    return turn;
  }
}
