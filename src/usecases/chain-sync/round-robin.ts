import type { TransactionFate } from '../../domain/chain.ts';

/** Transactions asked about in one look: each takes a node several calls. */
const PER_LOOK = 50;
/** Looks further apart than this do not join: node, network or machine may have slept between them. */
const MAX_GAP_MS = 90_000;

/**
 * Which of the transactions that a node's view lacks are asked after in this look: a few at a time, so that
 * a flood of replaced payments does not keep a node and the chain's follower busy, and all in turns.
 */
export class RecheckRoundRobin {
  #after = '';
  /**
   * How long a node in step has not had each of them, since this process began: a restart counts anew, so that a
   * transaction counts as dropped later than it might, never sooner.
   */
  readonly #absences = new Map<string, { ms: number; isAbsent: boolean }>();
  #seenThrough: number | null = null;

  /**
   * Counts the time since the last look for what the node still does not have, if the chain was seen
   * completely all the while. What a node does not show after a start, an outage or behind its network is
   * not counted: that proves nothing.
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

  /** Takes down what the node says now. @returns how long it has not had it, ms */
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
    const turn = [...sorted.slice(start), ...sorted.slice(0, start)].slice(0, PER_LOOK);
    this.#after = turn.at(-1) ?? '';
    return turn;
  }
}
