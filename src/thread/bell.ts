/** Numbers of a line's orders, shared by both threads: of the last that was rung for, that was done, that is to be answered. */
const RUNG = 0;
const DONE = 1;
const AWAITED = 2;
const WORDS = 3;

/** The thread that orders has this end of a line's doorbell, and counts what it orders. */
export class Bell {
  readonly words = new Int32Array(new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT));
  #last = 0;

  /** The number of an order that is told in another way. */
  next(): number {
    return (this.#last += 1);
  }

  /** One more order: the last one again. */
  ring(): void {
    Atomics.store(this.words, RUNG, this.next());
    Atomics.notify(this.words, RUNG);
  }

  /** Whether the last order is done. */
  get isDone(): boolean {
    return Atomics.load(this.words, DONE) === this.#last;
  }

  /** Has the last order answered if it is not done yet. @returns whether it is not: the thread looks in the opposite order, so that one of both learns of it */
  awaitDone(): boolean {
    Atomics.store(this.words, AWAITED, this.#last);
    return !this.isDone;
  }
}

/** The thread that serves has this end, and sleeps until it is rung. */
export class BellEar {
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #rung: (order: number) => void;
  #seen = 0;
  #isClosed = false;

  /** @param rung serves an order of that number */
  constructor(words: Int32Array<SharedArrayBuffer>, rung: (order: number) => void) {
    this.#words = words;
    this.#rung = rung;
  }

  /** What is rung before a wait begins is seen before, or ends the wait at once: none is missed. */
  listen(): void {
    while (!this.#isClosed) {
      const rung = Atomics.load(this.#words, RUNG);
      if (rung > this.#seen) {
        this.#seen = rung;
        this.#rung(rung);
        continue;
      }
      const waiting = Atomics.waitAsync(this.#words, RUNG, rung);
      if (!waiting.async) continue;
      // An error is nobody's to handle: it ends the thread, as any other of a service does.
      void waiting.value.then(() => this.listen());
      return;
    }
  }

  /** An order came in another way. What was rung for before and not begun is given up. */
  take(order: number): void {
    this.#seen = order;
  }

  /** @returns whether somebody waits for the answer */
  done(order: number): boolean {
    Atomics.store(this.#words, DONE, order);
    return Atomics.load(this.#words, AWAITED) === order;
  }

  /** Nothing is heard any more. */
  close(): void {
    this.#isClosed = true;
    // Otherwise the wait would stay for as long as the thread.
    Atomics.notify(this.#words, RUNG);
  }
}
