import type { NextFunction, Request, Response } from 'express';
import type { Logger } from '../../domain/ports.ts';
import type { Language } from '../../i18n/languages.ts';
import { Scheduler } from '../../scheduler/scheduler.ts';
import {
  PaymentChannel,
  type Snapshot,
  type SnapshotSource,
  type ChannelSubscriber,
} from './payment-channel.ts';

export interface StreamLimits {
  readonly maxStreams: number;
  readonly maxPerClient: number;
  /** Heartbeat interval: the page treats a stream as dead after three times as long without data. */
  readonly heartbeatMs: number;
  /**
   * Interval at which all shown payments are compared with the database, in one query, in case a notification
   * got lost.
   */
  readonly compareMs: number;
  /** Pause between two reads of the same payment. */
  readonly gapMs: number;
  /** After this a stream ends and the browser reconnects automatically. */
  readonly lifetimeMs: number;
  /** After the end only late money or a reversal can follow, so the page then polls. */
  readonly finalLifetimeMs: number;
}

export const STREAM_LIMITS: StreamLimits = {
  maxStreams: 1_000,
  maxPerClient: 32,
  heartbeatMs: 15_000,
  compareMs: 12_000,
  gapMs: 200,
  lifetimeMs: 15 * 60_000,
  finalLifetimeMs: 5 * 60_000,
};

/** The request of a stream. */
export interface StreamRequest {
  readonly req: Request;
  readonly res: Response;
  /** Receives errors before the first line is sent. */
  readonly next: NextFunction;
  readonly client: string;
  readonly paymentId: string;
  readonly language: Language;
}

/**
 * Server-sent events for open checkout pages. Without changes nothing is read; after a change a payment is
 * read once for all of its viewers. Bounded in number, in time and per client.
 */
export class CheckoutEventStreams {
  readonly #source: SnapshotSource;
  readonly #logger: Logger;
  readonly #limits: StreamLimits;
  readonly #channels = new Map<string, PaymentChannel>();
  readonly #streams = new Set<Stream>();
  readonly #perClient = new Map<string, number>();
  /** Runs while a stream is open. */
  #jobs: Scheduler | null = null;
  #closed = false;

  constructor(source: SnapshotSource, logger: Logger, limits: StreamLimits = STREAM_LIMITS) {
    this.#source = source;
    this.#logger = logger;
    this.#limits = limits;
  }

  /** Whether another stream of this client may be opened. */
  hasCapacity(client: string): boolean {
    const { maxStreams, maxPerClient } = this.#limits;
    return (
      !this.#closed && this.#streams.size < maxStreams && (this.#perClient.get(client) ?? 0) < maxPerClient
    );
  }

  /**
   * Sends the payment now and after each change of what is shown, until it has been final for a while, the
   * browser disconnects, the time limit passes or the daemon stops.
   */
  open(request: StreamRequest): void {
    const { client, paymentId } = request;
    const stream = new Stream(request, this.#logger, () => this.#ended(stream, client, paymentId));
    this.#streams.add(stream);
    this.#perClient.set(client, (this.#perClient.get(client) ?? 0) + 1);
    const room =
      this.#channels.get(paymentId) ?? new PaymentChannel(this.#source, paymentId, this.#limits.gapMs);
    this.#channels.set(paymentId, room);
    this.#jobs ??= this.#startJobs();
    room.add(stream);
  }

  /** Ends every stream, because open ones would delay the stop of the daemon. */
  close(): void {
    this.#closed = true;
    for (const stream of this.#streams) stream.end();
  }

  #ended(stream: Stream, client: string, paymentId: string): void {
    this.#streams.delete(stream);
    const left = (this.#perClient.get(client) ?? 1) - 1;
    if (left === 0) this.#perClient.delete(client);
    else this.#perClient.set(client, left);
    const room = this.#channels.get(paymentId);
    room?.remove(stream);
    if (room?.isEmpty === true) {
      room.close();
      this.#channels.delete(paymentId);
    }
    if (this.#streams.size > 0) return;
    void this.#jobs?.stop();
    this.#jobs = null;
  }

  #startJobs(): Scheduler {
    const { heartbeatMs, compareMs, lifetimeMs, finalLifetimeMs } = this.#limits;
    const beat = async (): Promise<void> => {
      const now = performance.now();
      for (const stream of this.#streams) {
        const isOld = now - stream.openedAt > lifetimeMs || now - stream.finalSince > finalLifetimeMs;
        if (isOld) stream.end();
        else stream.sendHeartbeat();
      }
    };
    const jobs = new Scheduler(this.#logger)
      .every('checkout-heartbeat', heartbeatMs, beat, { pausesFirst: true })
      .every('checkout-compare', compareMs, async () => this.#compare(), { pausesFirst: true });
    jobs.start();
    return jobs;
  }

  /** Finds changes without notification, with one query for all. */
  async #compare(): Promise<void> {
    try {
      const stamps = await this.#source.stamps([...this.#channels.keys()]);
      for (const [paymentId, room] of this.#channels) {
        const stamp = stamps.get(paymentId);
        if (stamp !== undefined && room.stamp !== null && room.stamp !== stamp) room.refresh();
      }
    } catch (error) {
      this.#logger.warn({ err: error }, 'refreshing open checkout pages failed');
    }
  }
}

/** One open connection. */
class Stream implements ChannelSubscriber {
  readonly openedAt = performance.now();
  #finalSince = Infinity;
  readonly #res: Response;
  readonly #next: NextFunction;
  readonly #language: Language;
  readonly #logger: Logger;
  readonly #onEnd: () => void;
  #shown = '';
  #latest: Snapshot | null = null;
  #ended = false;

  constructor({ req, res, next, language }: StreamRequest, logger: Logger, onEnd: () => void) {
    this.#res = res;
    this.#next = next;
    this.#language = language;
    this.#logger = logger;
    this.#onEnd = onEnd;
    req.once('close', () => this.end());
    res.on('drain', () => this.#send());
  }

  /** Since when the payment has been final; Infinity while it is not. */
  get finalSince(): number {
    return this.#finalSince;
  }

  show(frame: Snapshot): void {
    this.#latest = frame;
    if (!frame.final) this.#finalSince = Infinity;
    else if (this.#finalSince === Infinity) this.#finalSince = performance.now();
    this.#send();
  }

  /** An event, not a comment, because the page checks by it that the connection is alive. */
  sendHeartbeat(): void {
    if (this.#res.headersSent && !this.#res.writableNeedDrain) this.#res.write('event: beat\ndata:\n\n');
  }

  fail(error: unknown): void {
    if (this.#ended) return;
    if (this.#res.headersSent) {
      this.#logger.warn({ err: error }, 'event stream of a checkout page closed by an error');
      this.end();
    } else {
      this.#leave();
      this.#next(error);
    }
  }

  end(): void {
    if (this.#ended) return;
    this.#leave();
    this.#res.end();
  }

  #leave(): void {
    this.#ended = true;
    this.#latest = null;
    this.#onEnd();
  }

  #send(): void {
    const frame = this.#latest;
    // If a browser does not read, its updates are not buffered: it gets the latest one.
    if (frame === null || frame.version === this.#shown || this.#res.writableNeedDrain) return;
    if (!this.#res.headersSent) this.#begin();
    this.#shown = frame.version;
    this.#res.write(`event: payment\nid: ${frame.version}\ndata: ${frame.data(this.#language)}\n\n`);
  }

  #begin(): void {
    this.#res.status(200).set({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
    });
    this.#res.flushHeaders();
  }
}
