import { WebSocket } from 'undici';
import { z } from 'zod';
import type { Logger } from '../../../domain/ports.ts';

export interface AccountSubscriptionsOptions {
  /** ws(s) URL of the node's subscriptions; may carry user:pass. */
  readonly url: string;
  readonly logger: Logger;
  readonly limits?: Partial<SubscriptionLimits>;
}

export interface SubscriptionLimits {
  /** Shortest interval between two wake-ups, under any number of notifications. */
  readonly minGapMs: number;
  /** Delay before the second connection attempt; doubles up to the longest. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** A node sends at least its slots; after this long without a message the connection counts as dead. */
  readonly silenceMs: number;
}

const LIMITS: SubscriptionLimits = {
  minGapMs: 400,
  firstPauseMs: 1_000,
  longestPauseMs: 60_000,
  silenceMs: 30_000,
};
/** Maximum accounts subscribed to; polling finds changes of the others. */
const MAX_ACCOUNTS = 1_000;
/** Longest message read; a notification about an account without data is far shorter. */
const MAX_MESSAGE_CHARS = 16_384;

const message = z.object({
  id: z.int().optional(),
  result: z.unknown().optional(),
  method: z.string().optional(),
});

/**
 * Reports account activity, so that accounts are read before the next poll. Notifications are only hints: a
 * missing, dead, silent, lying or flooding socket delays a read at most until the next poll.
 */
export class AccountSubscriptions {
  readonly #options: AccountSubscriptionsOptions;
  readonly #limits: SubscriptionLimits;
  #wake: (() => void) | null = null;
  #socket: WebSocket | null = null;
  #wanted: readonly string[] = [];
  /** Account → its subscription id; null until the node has answered it. */
  readonly #subscribed = new Map<string, number | null>();
  readonly #asked = new Map<number, string>();
  #lastId = 0;
  #failures = 0;
  #wokeAt = Number.NEGATIVE_INFINITY;
  #timers: { pause?: NodeJS.Timeout; wake?: NodeJS.Timeout; silence?: NodeJS.Timeout } = {};

  constructor(options: AccountSubscriptionsOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  /** Connects and calls `wake` on activity. Returns a function that stops it. */
  start(wake: () => void): () => void {
    this.#wake = wake;
    this.#connect();
    return () => this.close();
  }

  /** Sets the accounts to subscribe to. Repeated calls are cheap. */
  follow(addresses: readonly string[]): void {
    this.#wanted = addresses.slice(0, MAX_ACCOUNTS);
    this.#subscribe();
  }

  close(): void {
    this.#wake = null;
    clearTimeout(this.#timers.pause);
    clearTimeout(this.#timers.wake);
    this.#drop();
  }

  #connect(): void {
    const url = new URL(this.#options.url);
    const { username, password } = url;
    url.username = '';
    url.password = '';
    const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
    const headers = username === '' ? {} : { authorization: `Basic ${basic.toString('base64')}` };
    const socket = new WebSocket(url, { headers });
    this.#socket = socket;
    const lost = (): void => {
      if (this.#socket === socket) this.#lost(url.host);
    };
    socket.addEventListener('open', () => {
      if (this.#socket !== socket) return;
      this.#ask('slotSubscribe', []);
      this.#subscribe();
      // Covers changes during the disconnection.
      if (this.#failures > 0) this.#hint();
    });
    socket.addEventListener('message', ({ data }) => {
      if (this.#socket === socket) this.#heard(data);
    });
    socket.addEventListener('close', lost);
    socket.addEventListener('error', lost);
    this.#listen(url.host);
  }

  #heard(data: unknown): void {
    this.#timers.silence?.refresh();
    // A wake-up is already scheduled, so further messages are dropped unparsed, even a flood.
    if (this.#timers.wake !== undefined && this.#asked.size === 0) return;
    if (typeof data !== 'string' || data.length > MAX_MESSAGE_CHARS) return;
    const parsed = message.safeParse(parse(data));
    if (!parsed.success) return;
    const { id, result, method } = parsed.data;
    if (id !== undefined) this.#answered(id, result);
    else if (method === 'slotNotification') this.#failures = 0;
    else if (method === 'accountNotification') this.#hint();
  }

  #answered(id: number, result: unknown): void {
    const address = this.#asked.get(id);
    this.#asked.delete(id);
    if (address !== undefined && typeof result === 'number') this.#subscribed.set(address, result);
  }

  /** Schedules a wake-up, at once or after the minimum interval. */
  #hint(): void {
    if (this.#timers.wake !== undefined) return;
    const wait = this.#wokeAt + this.#limits.minGapMs - performance.now();
    this.#timers.wake = setTimeout(
      () => {
        delete this.#timers.wake;
        this.#wokeAt = performance.now();
        this.#wake?.();
      },
      Math.max(0, wait),
    );
  }

  #subscribe(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    const wanted = new Set(this.#wanted);
    for (const [address, subscription] of this.#subscribed) {
      if (wanted.has(address) || subscription === null) continue;
      this.#subscribed.delete(address);
      this.#ask('accountUnsubscribe', [subscription]);
    }
    for (const address of wanted) {
      if (this.#subscribed.has(address) || this.#subscribed.size >= MAX_ACCOUNTS) continue;
      this.#subscribed.set(address, null);
      this.#ask('accountSubscribe', [address, { commitment: 'confirmed', encoding: 'base64' }], address);
    }
  }

  #ask(method: string, params: readonly unknown[], address?: string): void {
    this.#lastId += 1;
    if (address !== undefined) this.#asked.set(this.#lastId, address);
    this.#socket?.send(JSON.stringify({ jsonrpc: '2.0', id: this.#lastId, method, params }));
  }

  #listen(host: string): void {
    this.#timers.silence = setTimeout(() => this.#lost(host), this.#limits.silenceMs);
  }

  #lost(host: string): void {
    this.#drop();
    if (this.#wake === null) return;
    const { firstPauseMs, longestPauseMs } = this.#limits;
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(this.#failures, 16));
    this.#failures += 1;
    if (this.#failures === 1)
      this.#options.logger.info(
        { node: host },
        'account subscriptions lost; payments are detected by polling',
      );
    this.#timers.pause = setTimeout(() => this.#connect(), pauseMs);
  }

  #drop(): void {
    clearTimeout(this.#timers.silence);
    const socket = this.#socket;
    this.#socket = null;
    this.#subscribed.clear();
    this.#asked.clear();
    socket?.close();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
