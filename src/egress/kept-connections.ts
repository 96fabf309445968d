import type { LookupFunction } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import type { Line, VettedTarget } from './vet-target.ts';

/** Short: most servers close after five seconds or more, and what is closed meanwhile costs a second try. */
const IDLE_MS = 1_000;
/** Longer than any request waits; ends what hangs after its request was given up. */
const CONNECT_TIMEOUT_MS = 60_000;
const MAX_TARGETS = 256;
const CONNECTIONS_PER_TARGET = 16;

/**
 * Keeps connections for the next request to the same origin, for a second. The check comes first as
 * ever: one is used again only where the target was just vetted anew and has the very addresses that
 * the connection was made to.
 */
export class KeptConnections {
  readonly #byTarget = new Map<string, Lines>();

  /** A connection for one request; `done` must follow. */
  take(target: VettedTarget): Line {
    const { key } = target;
    const lines = this.#byTarget.get(key) ?? new Lines(target);
    // The longest unused is first in line to go.
    this.#byTarget.delete(key);
    this.#byTarget.set(key, lines);
    if (this.#byTarget.size > MAX_TARGETS) this.#forgetOldest();
    return lines.take();
  }

  async close(): Promise<void> {
    const all = [...this.#byTarget.values()];
    this.#byTarget.clear();
    await Promise.all(all.map(async (lines) => lines.destroy()));
  }

  #forgetOldest(): void {
    const [oldest] = this.#byTarget;
    if (oldest === undefined) return;
    this.#byTarget.delete(oldest[0]);
    oldest[1].retire();
  }
}

/**
 * The connections to one target. No more are opened than requests are under way at once: undici's pool takes
 * one whose answer has just come for busy until the next turn of the event loop, and opens another.
 */
class Lines {
  readonly #target: VettedTarget;
  readonly #options: Client.Options;
  readonly #all: KeptLine[] = [];

  constructor(target: VettedTarget) {
    this.#target = target;
    this.#options = {
      ...pinnedTo(target, CONNECT_TIMEOUT_MS),
      keepAliveTimeout: IDLE_MS,
      // Whatever the server would allow.
      keepAliveMaxTimeout: IDLE_MS,
    };
  }

  take(): Line {
    let line: KeptLine | undefined;
    for (const each of this.#all) if (line === undefined || each.underWay < line.underWay) line = each;
    if (line === undefined || (line.underWay > 0 && this.#all.length < CONNECTIONS_PER_TARGET)) {
      line = new KeptLine(new Client(this.#target.origin, this.#options), this.#all);
      this.#all.push(line);
    }
    if (line.underWay > 0) line.wasUsed = true;
    line.underWay += 1;
    return line;
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#all.map(async ({ dispatcher }) => dispatcher.destroy()));
  }

  /** Lets what is under way end. */
  retire(): void {
    for (const { dispatcher } of this.#all) void dispatcher.close().catch(() => undefined);
  }
}

class KeptLine implements Line {
  readonly dispatcher: Dispatcher;
  wasUsed = false;
  underWay = 0;
  readonly #among: KeptLine[];

  constructor(dispatcher: Dispatcher, among: KeptLine[]) {
    this.dispatcher = dispatcher;
    this.#among = among;
  }

  done(isSound: boolean): void {
    this.underWay -= 1;
    this.wasUsed = true;
    const at = isSound ? -1 : this.#among.indexOf(this);
    // It may still be connecting, and what comes next must not wait for that.
    if (at >= 0) this.#among.splice(at, 1);
    const isLeft = this.underWay === 0 && !this.#among.includes(this);
    if (isLeft) void this.dispatcher.destroy().catch(() => undefined);
  }
}

/** For one request. */
export function ownConnection(target: VettedTarget, connectTimeoutMs: number): Dispatcher {
  return new Client(target.origin, pinnedTo(target, connectTimeoutMs));
}

/** Connects to the vetted addresses only, with Host and SNI of the URL. */
function pinnedTo(target: VettedTarget, connectTimeoutMs: number): Client.Options {
  return {
    allowH2: false,
    pipelining: 1,
    // The whole request has its deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
    // One for all connections: they share the sessions of TLS.
    connect: buildConnector({ allowH2: false, lookup: pinnedLookup(target), timeout: connectTimeoutMs }),
  };
}

function pinnedLookup(target: VettedTarget): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = target.addresses;
    if (options.all === true) callback(null, [...target.addresses]);
    else if (first === undefined) callback(new Error('no vetted address'), '', 4);
    else callback(null, first.address, first.family);
  };
}
