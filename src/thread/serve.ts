import { parentPort, workerData } from 'node:worker_threads';

/** What a thread does with the orders of one line, one after the other. */
export interface Service<Order, Answer> {
  /** An error ends the thread: whoever has a line learns of it. */
  serve(order: Order): Answer;
  /** Nothing more is ordered. */
  end?(): void;
}

/** Begins a line, with what it was opened with. */
export type Opening<Data, Order, Answer> = (data: Data) => Service<Order, Answer>;

/** What the thread gets. */
export type ToThread = { readonly line: number } & (
  | { readonly what: 'open'; readonly service: string; readonly data: unknown }
  | { readonly what: 'order'; readonly order: unknown }
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
  const lines = new Map<number, Service<never, unknown>>();
  const take = (message: ToThread): void => {
    const { line } = message;
    if (message.what === 'open') {
      const opening = openings[message.service];
      if (opening === undefined) throw new Error(`no thread has a service ${message.service}`);
      lines.set(line, opening(message.data as never));
    } else if (message.what === 'order') {
      say({ line, what: 'answer', answer: lines.get(line)?.serve(message.order as never) });
    } else {
      lines.get(line)?.end?.();
      lines.delete(line);
      say({ line, what: 'closed' });
    }
  };
  parentPort?.on('message', (message: ToThread) => {
    Atomics.store(at, 0, message.line);
    // Left as it is by an error: then it says who is to blame.
    take(message);
    Atomics.store(at, 0, NOBODY);
  });
}

function say(message: FromThread): void {
  parentPort?.postMessage(message);
}
