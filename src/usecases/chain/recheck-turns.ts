/** Transactions asked about in one look: each takes a node several calls. */
const PER_LOOK = 50;

/**
 * Which of the transactions that a node's view lacks are asked after in this look: a few at a time, so that
 * a flood of replaced payments does not keep a node and the chain's follower busy, and all in turns.
 */
export class RecheckTurns {
  #after = '';

  next(txids: Iterable<string>): string[] {
    const sorted = [...new Set(txids)].toSorted();
    const first = sorted.findIndex((txid) => txid > this.#after);
    const start = first === -1 ? 0 : first;
    const turn = [...sorted.slice(start), ...sorted.slice(0, start)].slice(0, PER_LOOK);
    this.#after = turn.at(-1) ?? '';
    return turn;
  }
}
