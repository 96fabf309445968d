/** Time of a round: of the till, of the chain's blocks and of the node's mempool. It stands still unless put forward. */
export class WorldClock {
  #nowMs: number;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  advance(ms: number): void {
    this.#nowMs += Math.round(ms);
  }
}
