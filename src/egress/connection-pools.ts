import type { LookupFunction } from 'node:net';
import { buildConnector, Client, Pool, type Dispatcher } from 'undici';
import type { PinnedTarget } from './ssrf-guard.ts';

/**
 * Shorter than the keep-alive of most servers (5 s or more), because a connection that the server closes
 * meanwhile costs a retry.
 */
const IDLE_MS = 1_000;
const CONNECT_TIMEOUT_MS = 10_000;
const MAX_POOLS = 256;

/** Connections to one pinned target. */
export interface TargetPool {
  readonly dispatcher: Dispatcher;
  /**
   * Whether a response was received over it before: the next request may then hit a connection that the
   * server just closed.
   */
  wasUsed: boolean;
}

/**
 * Keeps connections open for the next request to the same target. This does not weaken the guard: a pool's
 * key contains the pinned addresses, so a connection is reused only for a target that was checked again and
 * has the same addresses.
 */
export class ConnectionPools {
  readonly #byTarget = new Map<string, TargetPool>();

  take(target: PinnedTarget): TargetPool {
    const { key } = target;
    const pool = this.#byTarget.get(key) ?? { dispatcher: newPool(target), wasUsed: false };
    // Least recently used first; that one is evicted.
    this.#byTarget.delete(key);
    this.#byTarget.set(key, pool);
    if (this.#byTarget.size > MAX_POOLS) this.#evictOldest();
    return pool;
  }

  /** Drops a pool after a failure: the next request must not queue behind a hanging connection. */
  drop(target: PinnedTarget, pool: TargetPool): void {
    if (this.#byTarget.get(target.key) === pool) this.#byTarget.delete(target.key);
    closeGracefully(pool);
  }

  async close(): Promise<void> {
    const all = [...this.#byTarget.values()];
    this.#byTarget.clear();
    await Promise.all(all.map(async ({ dispatcher }) => dispatcher.destroy()));
  }

  #evictOldest(): void {
    const [oldest] = this.#byTarget;
    if (oldest === undefined) return;
    this.#byTarget.delete(oldest[0]);
    closeGracefully(oldest[1]);
  }
}

/** Requests in flight still get their responses. */
function closeGracefully({ dispatcher }: TargetPool): void {
  void dispatcher.close().catch(() => undefined);
}

function newPool(target: PinnedTarget): Pool {
  return new Pool(target.origin, {
    ...pinnedTo(target),
    // The caller bounds concurrency; a fast endpoint must not queue here behind slow ones of its host.
    connections: null,
    keepAliveTimeout: IDLE_MS,
    // Upper bound for the keep-alive timeout of the server's header.
    keepAliveMaxTimeout: IDLE_MS,
  });
}

/** A connection for a single request. */
export function singleConnection(target: PinnedTarget): Dispatcher {
  return new Client(target.origin, pinnedTo(target));
}

/** Connects to the pinned addresses only, with the Host header and SNI of the URL. */
function pinnedTo(target: PinnedTarget): Client.Options {
  return {
    allowH2: false,
    pipelining: 1,
    // The caller's deadline covers the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: buildConnector({ allowH2: false, lookup: pinnedLookup(target), timeout: CONNECT_TIMEOUT_MS }),
  };
}

function pinnedLookup(target: PinnedTarget): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = target.addresses;
    if (options.all === true) callback(null, [...target.addresses]);
    else if (first === undefined) callback(new Error('no vetted IP address to connect to'), '', 4);
    else callback(null, first.address, first.family);
  };
}
