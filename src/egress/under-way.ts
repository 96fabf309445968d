import { performance } from 'node:perf_hooks';

export type Ending = 'timeout' | 'aborted';

/** What can be ended from outside. */
export interface Endable {
  /** When it has taken too long, by the steady clock, ms. */
  readonly deadlineMs: number;
  end(why: Ending): void;
}

const groups = new WeakMap<AbortSignal, UnderWay>();

/**
 * Ends what takes too long, whatever it waits for, and everything when a signal gives up. One timer and one
 * listener serve all that is under way: of its own, each request would need several objects for that.
 */
export class UnderWay {
  /**
   * Not a Set: V8 gives a Set through which things pass a new table again and again, and each old table keeps hold of
   * the next one and of what was under way then. Once one of them counts as old, all that ever passes is kept until
   * the next full collection of garbage.
   */
  readonly #all: Endable[] = [];
  #timer: NodeJS.Timeout | null = null;
  /** When the timer fires: no later than the earliest deadline. */
  #timerAt = Number.POSITIVE_INFINITY;

  /** Those that end when this signal gives up. */
  static of(signal: AbortSignal): UnderWay {
    let group = groups.get(signal);
    if (group === undefined) {
      group = new UnderWay();
      groups.set(signal, group);
      const { endAll } = group;
      signal.addEventListener('abort', endAll, { once: true });
    }
    return group;
  }

  add(one: Endable): void {
    this.#all.push(one);
    if (one.deadlineMs < this.#timerAt) this.#wakeAt(one.deadlineMs);
  }

  delete(one: Endable): void {
    const at = this.#all.indexOf(one);
    if (at === -1) return;
    const last = this.#all.pop();
    if (last !== undefined && last !== one) this.#all[at] = last;
    if (this.#all.length === 0) this.#rest();
  }

  readonly endAll = (): void => {
    for (const one of this.#all.slice()) one.end('aborted');
  };

  #wakeAt(deadlineMs: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timerAt = deadlineMs;
    this.#timer = setTimeout(() => this.#look(), Math.max(0, Math.ceil(deadlineMs - performance.now())));
  }

  #look(): void {
    this.#rest();
    const now = performance.now();
    let earliest = Number.POSITIVE_INFINITY;
    for (const one of this.#all.slice()) {
      if (one.deadlineMs <= now) one.end('timeout');
      else earliest = Math.min(earliest, one.deadlineMs);
    }
    if (earliest < Number.POSITIVE_INFINITY) this.#wakeAt(earliest);
  }

  #rest(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#timerAt = Number.POSITIVE_INFINITY;
  }
}
