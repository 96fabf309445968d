import type { Language } from '../../i18n/languages.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** A complete payment as its page shows it, so that a page which missed updates is current again at once. */
export interface Snapshot {
  /** Changes whenever anything that the page shows does. */
  readonly version: string;
  /** No further change is expected. */
  readonly final: boolean;
  /** Compared with the stored payment to detect whether this frame is stale. */
  readonly stamp: string;
  /** The JSON text for pages in a language. */
  readonly data: (language: Language) => string;
}

/** Source of frames, and of the notice that one is stale. */
export interface SnapshotSource {
  /** @throws {AppError} PAYMENT_NOT_FOUND */
  readSnapshot(paymentId: string): Promise<Snapshot>;
  /** The stamps of many payments at once; a missing payment has none. */
  stamps(paymentIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Calls the listener whenever the payment may have changed; the returned function unsubscribes. */
  follow(paymentId: string, listener: () => void): () => void;
}

/** A viewer of an open page. */
export interface ChannelSubscriber {
  show(frame: Snapshot): void;
  /** The payment cannot be read. */
  fail(error: unknown): void;
}

/** All viewers of one payment: it is read once for all of them, and only after a change. */
export class PaymentChannel {
  readonly #viewers = new Set<ChannelSubscriber>();
  readonly #readSnapshot: () => Promise<Snapshot>;
  readonly #gapMs: number;
  readonly #leave: () => void;
  #frame: Snapshot | null = null;
  #stale = false;
  #busy = false;

  /** @param gapMs pause after each read, so that a burst of changes is shown in steps */
  constructor(source: SnapshotSource, paymentId: string, gapMs: number) {
    this.#readSnapshot = async () => source.readSnapshot(paymentId);
    this.#gapMs = gapMs;
    this.#leave = source.follow(paymentId, () => this.refresh());
  }

  get isEmpty(): boolean {
    return this.#viewers.size === 0;
  }

  get stamp(): string | null {
    return this.#frame?.stamp ?? null;
  }

  add(viewer: ChannelSubscriber): void {
    this.#viewers.add(viewer);
    if (this.#frame === null) this.refresh();
    else viewer.show(this.#frame);
  }

  remove(viewer: ChannelSubscriber): void {
    this.#viewers.delete(viewer);
  }

  /** Unsubscribes from the payment. */
  close(): void {
    this.#leave();
  }

  /** Schedules a read of the payment. */
  refresh(): void {
    this.#stale = true;
    if (this.#busy) return;
    this.#busy = true;
    void this.#catchUp();
  }

  /** Never throws. */
  async #catchUp(): Promise<void> {
    try {
      while (this.#stale && !this.isEmpty) {
        this.#stale = false;
        this.#frame = await this.#readSnapshot();
        for (const viewer of this.#viewers) viewer.show(this.#frame);
        await sleep(this.#gapMs, undefined, { ref: false });
      }
    } catch (error) {
      this.#frame = null;
      for (const viewer of this.#viewers) viewer.fail(error);
    } finally {
      this.#busy = false;
    }
  }
}
