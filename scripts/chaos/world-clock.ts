/** The clock of a round: of the daemon, the block times and the node's mempool. It stops between steps. */
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
