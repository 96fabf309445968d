import { Worker } from 'node:worker_threads';
import { Bell } from './bell.ts';
import { type FromThread, NOBODY, type ThreadData, type ToThread } from './serve.ts';

/** How long whoever closes a line waits for a thread that is lost in somebody else's order. */
const CLOSE_MS = 5_000;

/** Why a line ended before it was closed. */
export interface LineEnd {
  readonly error: unknown;
  /** Whether that came of this line's own order, or of nobody's, rather than of what another one ordered. */
  readonly isToBlame: boolean;
}

/** What is heard on a line. */
export interface LineEars<Answer> {
  answered(answer: Answer): void;
  /** The thread is gone; another one can be had by opening another line. */
  ended(end: LineEnd): void;
}

/** What somebody orders from a thread that others have orders for, too. */
export interface ThreadLine<Order> {
  /** What is transferred is gone from here. @throws {DataCloneError} when it cannot be sent */
  order(order: Order, transferred?: readonly ArrayBuffer[]): void;
  /**
   * Orders the last one again, without what was transferred, for a fraction of what that costs: nothing is sent, and
   * nothing answered unless it is awaited. An order that comes before the thread begins with it takes its place.
   * @throws {Error} when something that was ordered here is not done yet
   */
  again(): void;
  /** Whether all that was ordered here is done. */
  readonly isDone: boolean;
  /** Has what was ordered `again` answered as any order is. @returns false when it is done: there may be no answer */
  awaitDone(): boolean;
  /** Whether the thread is at what was ordered here. Otherwise nobody can say from here that it hangs. */
  readonly isServed: boolean;
  /** The process does not end by itself while it is held. */
  hold(): void;
  letGo(): void;
  /** Ends the thread, for all: it is lost in what was ordered here. @returns once it does nothing any more */
  giveUp(error: Error): Promise<void>;
  /** Nothing more is heard on it. @returns once what was ordered on it is done, or can never be */
  close(): Promise<void>;
}

/**
 * One thread for all that would hold up the event loop: each costs some 9 MB before it does anything. It is started
 * for the first line, and ends with the last. What is ordered is done one after the other: nobody may order what takes
 * long while others wait. Whoever has a line must be able to do without: a thread may not be had, or end.
 */
export class SharedThread {
  readonly #script: URL;
  readonly #closeMs: number;
  #running: RunningThread | null = null;

  /** @param script calls `serve` */
  constructor(script: URL = threadScript(), closeMs: number = CLOSE_MS) {
    this.#script = script;
    this.#closeMs = closeMs;
  }

  /**
   * @param data what the service of that name begins with
   * @throws where no thread is to be had: a limit of processes, or of memory
   */
  open<Order, Answer>(service: string, data: unknown, ears: LineEars<Answer>): ThreadLine<Order> {
    if (this.#running === null || this.#running.isOver) {
      this.#running = new RunningThread(this.#script, this.#closeMs);
    }
    return this.#running.open<Order, Answer>(service, data, ears);
  }
}

interface Listener {
  readonly ears: LineEars<never>;
  /** Once it was closed. */
  readonly onClosed: PromiseWithResolvers<void>;
  isClosing: boolean;
}

class RunningThread {
  readonly #worker: Worker;
  readonly #closeMs: number;
  readonly #at = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #lines = new Map<number, Listener>();
  #lastLine: number = NOBODY;
  #holds = 0;
  #isOver = false;

  constructor(script: URL, closeMs: number) {
    const workerData: ThreadData = { at: this.#at };
    const worker = new Worker(script, { workerData });
    worker.unref();
    worker.on('message', (message: FromThread) => this.#hear(message));
    worker.on('messageerror', (error) => this.#over(error));
    worker.on('error', (error) => this.#over(error));
    worker.on('exit', (code) => this.#over(new Error(`the thread ended with code ${code}`)));
    this.#worker = worker;
    this.#closeMs = closeMs;
  }

  /** Whether it serves nobody any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  open<Order, Answer>(service: string, data: unknown, ears: LineEars<Answer>): ThreadLine<Order> {
    const line = (this.#lastLine += 1);
    const bell = new Bell();
    this.#say({ line, what: 'open', service, data, bell: bell.words });
    const listener: Listener = { ears, onClosed: Promise.withResolvers(), isClosing: false };
    this.#lines.set(line, listener);
    const isServed = (): boolean => !this.#isOver && Atomics.load(this.#at, 0) === line;
    return {
      order: (order, transferred = []) =>
        this.#say({ line, what: 'order', number: bell.next(), order }, transferred),
      again: () => {
        if (!bell.isDone) throw new Error('the thread has not done what was ordered before');
        bell.ring();
      },
      get isDone() {
        return bell.isDone;
      },
      awaitDone: () => bell.awaitDone(),
      get isServed() {
        return isServed();
      },
      hold: () => this.#hold(1),
      letGo: () => this.#hold(-1),
      giveUp: async (error) => {
        this.#over(error, line);
        await this.#worker.terminate();
      },
      close: async () => this.#close(line, listener),
    };
  }

  #say(message: ToThread, transferred: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transferred);
  }

  #hold(more: 1 | -1): void {
    this.#holds += more;
    if (this.#holds > 0) this.#worker.ref();
    else this.#worker.unref();
  }

  #hear(message: FromThread): void {
    const listener = this.#lines.get(message.line);
    if (listener === undefined) return;
    if (message.what === 'closed') {
      this.#lines.delete(message.line);
      listener.onClosed.resolve();
    } else if (!listener.isClosing) {
      listener.ears.answered(message.answer as never);
    }
  }

  async #close(line: number, listener: Listener): Promise<void> {
    if (!listener.isClosing && !this.#isOver) {
      listener.isClosing = true;
      this.#say({ line, what: 'close' });
    }
    this.#hold(1);
    const isMine = (): boolean => Atomics.load(this.#at, 0) === line;
    const late = setInterval(() => {
      if (!isMine()) this.#over(new Error('the thread hangs'), Atomics.load(this.#at, 0));
    }, this.#closeMs);
    await listener.onClosed.promise;
    clearInterval(late);
    this.#hold(-1);
    if (this.#lines.size > 0 && !this.#isOver) return;
    this.#isOver = true;
    await this.#worker.terminate();
  }

  /** @param line whose order is to blame; NOBODY when nobody can tell */
  #over(error: unknown, line: number = Atomics.load(this.#at, 0)): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const listeners = [...this.#lines];
    this.#lines.clear();
    for (const [each, { ears, onClosed, isClosing }] of listeners) {
      onClosed.resolve();
      if (!isClosing) ears.ended({ error, isToBlame: line === each || line === NOBODY });
    }
  }
}

/** In the build, it lies beside what starts it. */
function threadScript(): URL {
  const { url } = import.meta;
  return url.endsWith('.ts') ? new URL('../thread-main.ts', url) : new URL('./thread-main.js', url);
}
