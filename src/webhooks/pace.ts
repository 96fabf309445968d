import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** What one transaction takes while nobody waits: as many as the queue's largest concurrency. */
const WHOLE = 256;
/** So many attempts are leased or recorded in about two milliseconds. */
const SMALLEST = 8;
const LARGEST = 32;
/** Beside requests, so many pieces of attempts that ended may wait for their record: the next one, and one that comes. */
const PIECES_UNRECORDED = 2;
/** So many attempts are begun within one turn of the loop, which takes a millisecond or two. */
const AT_A_TURN = 8;
/** A request that was not the last comes within this time. */
const REMEMBERED_MS = 250;
/** However long the last piece took: webhooks go on. */
const LONGEST_BREATH_MS = 10;
/** An attempt keeps the loop busy for about 0.2 ms: so a piece leaves four fifths of the time to others. */
const BREATH_PER_ATTEMPT_MS = 0.8;

/**
 * Shares the event loop between webhooks and whoever asks the API. While requests come in, webhooks are
 * leased, sent and recorded in small pieces, and after each piece the loop is left to others for as long as
 * the piece took, or several times as long as its attempts keep it busy; otherwise in pieces as large as can be, one turn after the other. Where pieces take
 * long anyway, for a slow disk or a busy writer, they hold more. How many attempts are under way at once
 * is the same either way: slow endpoints do not feel it.
 */
export class Pace {
  readonly #now: () => number;
  #askedAt = Number.NEGATIVE_INFINITY;
  #tookMs = 0;

  /** @param now a steady clock, ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Somebody asked the API for something. */
  asked(): void {
    this.#askedAt = this.#now();
  }

  /** How many attempts the next piece of work may hold. */
  get most(): number {
    return this.isShared ? Math.min(LARGEST, Math.max(SMALLEST, Math.round(this.#tookMs))) : WHOLE;
  }

  /**
   * How many attempts may be begun now, none if not above 0. Beside requests no more than are recorded soon: what
   * comes faster piles up with all that belongs to it, outlives collections of garbage, and makes each of them longer.
   * @param unrecorded attempts that ended and wait for their record
   */
  mostBegun(unrecorded: number): number {
    const { most } = this;
    return this.isShared ? Math.min(most, PIECES_UNRECORDED * most - unrecorded) : most;
  }

  /** The start of a piece of work; call what it returns when it is done, to let others have their turn. */
  begin(): () => Promise<void> {
    const began = this.#now();
    return async () => {
      this.#tookMs = this.#now() - began;
      const breathMs = Math.max(this.#tookMs, this.most * BREATH_PER_ATTEMPT_MS);
      if (this.isShared) await pause(Math.min(breathMs, LONGEST_BREATH_MS));
      else await nextTurn();
    };
  }

  /** Begins a few at a time: in between the loop looks at what else has come in. */
  async inTurns<T>(all: readonly T[], begin: (one: T) => void): Promise<void> {
    for (const [at, one] of all.entries()) {
      if (at > 0 && at % AT_A_TURN === 0) await nextTurn();
      begin(one);
    }
  }

  /** Whether somebody asked a moment ago. */
  get isShared(): boolean {
    return this.#now() - this.#askedAt < REMEMBERED_MS;
  }
}
