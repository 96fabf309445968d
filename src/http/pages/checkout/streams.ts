import type { Request, Response } from 'express';
import type { Logger } from '../../../domain/ports.ts';

/** What is sent to the page: whole, so that a page which missed some is right again at once. */
export interface Snapshot {
  readonly version: string;
  readonly final: boolean;
  /** Draws the JSON text; only asked for when the version is new. */
  readonly data: () => string;
}

export interface StreamLimits {
  readonly lookEveryMs: number;
  readonly heartbeatMs: number;
  readonly maxStreams: number;
  readonly maxPerClient: number;
  /** After this a stream ends and the browser connects again by itself. */
  readonly lifetimeMs: number;
}

export const STREAM_LIMITS: StreamLimits = {
  lookEveryMs: 1_000,
  heartbeatMs: 15_000,
  maxStreams: 500,
  maxPerClient: 12,
  lifetimeMs: 15 * 60_000,
};

/** Server-sent events for open checkout pages, bounded in number, in time and per client. */
export class CheckoutStreams {
  readonly #logger: Logger;
  readonly #limits: StreamLimits;
  readonly #perClient = new Map<string, number>();
  readonly #enders = new Set<() => void>();
  #closed = false;

  constructor(logger: Logger, limits: StreamLimits = STREAM_LIMITS) {
    this.#logger = logger;
    this.#limits = limits;
  }

  /** Whether another stream of this client may be opened. */
  hasRoom(client: string): boolean {
    const { maxStreams, maxPerClient } = this.#limits;
    return (
      !this.#closed && this.#enders.size < maxStreams && (this.#perClient.get(client) ?? 0) < maxPerClient
    );
  }

  /**
   * Sends a snapshot now and whenever its version changes, until the payment is final, the browser
   * leaves, time is up or the daemon stops.
   */
  open(req: Request, res: Response, client: string, look: () => Promise<Snapshot>): void {
    res.status(200).set({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
    });
    res.flushHeaders();
    this.#perClient.set(client, (this.#perClient.get(client) ?? 0) + 1);
    let ended = false;
    let last = '';
    let timer: NodeJS.Timeout | undefined;
    const end = (): void => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      clearInterval(heartbeat);
      clearTimeout(lifetime);
      this.#enders.delete(end);
      const left = (this.#perClient.get(client) ?? 1) - 1;
      if (left === 0) this.#perClient.delete(client);
      else this.#perClient.set(client, left);
      res.end();
    };
    const heartbeat = setInterval(() => res.write(': still here\n\n'), this.#limits.heartbeatMs);
    const lifetime = setTimeout(end, this.#limits.lifetimeMs);
    this.#enders.add(end);
    req.once('close', end);
    const step = async (): Promise<void> => {
      // A browser that reads nothing must not make us collect what it does not read.
      if (!res.writableNeedDrain) {
        const snapshot = await look();
        if (ended) return;
        if (snapshot.version !== last) {
          last = snapshot.version;
          res.write(`event: payment\nid: ${snapshot.version}\ndata: ${snapshot.data()}\n\n`);
        }
        if (snapshot.final) return end();
      }
      timer = setTimeout(run, this.#limits.lookEveryMs);
    };
    const run = (): void => {
      step().catch((error: unknown) => {
        this.#logger.warn({ err: error }, 'a checkout stream ended early');
        end();
      });
    };
    run();
  }

  /** Ends every stream, for good: open ones would hold up the stop of the daemon. */
  close(): void {
    this.#closed = true;
    for (const end of this.#enders) end();
  }
}
