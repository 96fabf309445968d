import type { LookupFunction } from 'node:net';
import { Client, Pool, type Dispatcher } from 'undici';
import type { Kept, VettedTarget } from './vet-target.ts';

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
  readonly #byTarget = new Map<string, Kept>();

  to(target: VettedTarget): Kept {
    const { key } = target;
    const kept = this.#byTarget.get(key) ?? { dispatcher: poolTo(target), wasUsed: false };
    // The longest unused is first in line to go.
    this.#byTarget.delete(key);
    this.#byTarget.set(key, kept);
    if (this.#byTarget.size > MAX_TARGETS) this.#forgetOldest();
    return kept;
  }

  async close(): Promise<void> {
    const all = [...this.#byTarget.values()];
    this.#byTarget.clear();
    await Promise.all(all.map(async ({ dispatcher }) => dispatcher.destroy()));
  }

  #forgetOldest(): void {
    const [oldest] = this.#byTarget;
    if (oldest === undefined) return;
    this.#byTarget.delete(oldest[0]);
    // Lets what is under way end.
    void oldest[1].dispatcher.close().catch(() => undefined);
  }
}

function poolTo(target: VettedTarget): Pool {
  return new Pool(target.origin, {
    ...pinnedTo(target, CONNECT_TIMEOUT_MS),
    connections: CONNECTIONS_PER_TARGET,
    keepAliveTimeout: IDLE_MS,
    // Whatever the server would allow.
    keepAliveMaxTimeout: IDLE_MS,
  });
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
    connect: { lookup: pinnedLookup(target), timeout: connectTimeoutMs },
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
