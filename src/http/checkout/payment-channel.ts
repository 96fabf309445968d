import type { Language } from '../../i18n/languages.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** A payment as its page shows it: whole, so that a page which missed some is right again at once. */
export interface Snapshot {
  /** Changes whenever anything the page shows does. */
  readonly version: string;
  /** Nothing more is expected to happen. */
  readonly final: boolean;
  /** What a stored payment is compared by to see whether this frame is out of date. */
  readonly stamp: string;
  /** The JSON text for pages in a language. */
  readonly data: (language: Language) => string;
}

/** Where frames come from, and who says that one is out of date. */
export interface SnapshotSource {
  /** @throws {AppError} PAYMENT_NOT_FOUND */
  look(paymentId: string): Promise<Snapshot>;
  /** The stamps of many payments at once; one that is gone has none. */
  stamps(paymentIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Calls the listener whenever the payment may have changed; the answer ends that. */
  follow(paymentId: string, listener: () => void): () => void;
}

/** Somebody in front of an open page. */
export interface ChannelSubscriber {
  show(frame: Snapshot): void;
  /** The payment cannot be read. */
  fail(error: unknown): void;
}

/** Everybody who looks at one payment: it is read once for all of them, and only when it changed. */
export class PaymentChannel {
  readonly #viewers = new Set<ChannelSubscriber>();
  readonly #look: () => Promise<Snapshot>;
  readonly #gapMs: number;
  readonly #leave: () => void;
  #frame: Snapshot | null = null;
  #stale = false;
  #busy = false;

  /** @param gapMs rest after each read: a flood of changes is shown in steps */
  constructor(source: SnapshotSource, paymentId: string, gapMs: number) {
    this.#look = async () => source.look(paymentId);
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

  /** Hears no more of the payment. */
  close(): void {
    this.#leave();
  }

  /** Has the payment read again, soon. */
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
        this.#frame = await this.#look();
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
