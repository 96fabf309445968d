import { parentPort, workerData } from 'node:worker_threads';
import { BellEar } from './bell.ts';

/** What a thread does with the orders of one line, one after the other. */
export interface Service<Order, Answer> {
  /** The last order again is the same object. An error ends the thread: whoever has a line learns of it. */
  serve(order: Order): Answer;
  /** Nothing more is ordered. */
  end?(): void;
}

/** Begins a line, with what it was opened with. */
export type Opening<Data, Order, Answer> = (data: Data) => Service<Order, Answer>;

/** What the thread gets. */
export type ToThread = { readonly line: number } & (
  | {
      readonly what: 'open';
      readonly service: string;
      readonly data: unknown;
      /** See Bell. */
      readonly bell: Int32Array<SharedArrayBuffer>;
    }
  | { readonly what: 'order'; readonly number: number; readonly order: unknown }
  | { readonly what: 'close' }
);

/** What it says. */
export type FromThread = { readonly line: number } & (
  { readonly what: 'answer'; readonly answer: unknown } | { readonly what: 'closed' }
);

export interface ThreadData {
  /** Here stands whose message the thread is at, or NOBODY. */
  readonly at: Int32Array<SharedArrayBuffer>;
}

export const NOBODY = 0;

/** The program of a SharedThread: serves each of its lines by the opening of that name. */
export function serve(openings: Readonly<Record<string, Opening<never, never, unknown>>>): void {
  const { at } = workerData as ThreadData;
  const lines = new Map<number, ServedLine>();
  /** Left as it is by an error: then it says who is to blame. */
  const during = (line: number, work: () => void): void => {
    Atomics.store(at, 0, line);
    work();
    Atomics.store(at, 0, NOBODY);
  };
  const take = (message: ToThread): void => {
    const { line } = message;
    if (message.what === 'open') {
      const opening = openings[message.service];
      if (opening === undefined) throw new Error(`no thread has a service ${message.service}`);
      const service = opening(message.data as never);
      lines.set(line, new ServedLine(line, service, message.bell, (work) => during(line, work)));
    } else if (message.what === 'order') {
      lines.get(line)?.order(message.number, message.order);
    } else {
      lines.get(line)?.close();
      lines.delete(line);
      say({ line, what: 'closed' });
    }
  };
  parentPort?.on('message', (message: ToThread) => during(message.line, () => take(message)));
}

class ServedLine {
  readonly #line: number;
  readonly #service: Service<never, unknown>;
  readonly #bell: BellEar;
  #last: unknown;

  constructor(
    line: number,
    service: Service<never, unknown>,
    bell: Int32Array<SharedArrayBuffer>,
    during: (work: () => void) => void,
  ) {
    this.#line = line;
    this.#service = service;
    this.#bell = new BellEar(bell, (number) => during(() => this.#again(number)));
    this.#bell.listen();
  }

  order(number: number, order: unknown): void {
    this.#last = order;
    this.#bell.take(number);
    const answer = this.#service.serve(order as never);
    this.#bell.done(number);
    say({ line: this.#line, what: 'answer', answer });
  }

  close(): void {
    this.#bell.close();
    this.#service.end?.();
  }

  #again(number: number): void {
    const answer = this.#service.serve(this.#last as never);
    if (this.#bell.done(number)) say({ line: this.#line, what: 'answer', answer });
  }
}

function say(message: FromThread): void {
  parentPort?.postMessage(message);
}
