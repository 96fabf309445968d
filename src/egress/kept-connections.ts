import type { LookupFunction } from 'node:net';
import { Agent } from 'undici';
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
    const key = `${target.url.origin} ${target.addresses
      .map(({ address }) => address)
      .toSorted()
      .join(' ')}`;
    const kept = this.#byTarget.get(key) ?? { agent: pinnedAgent(target, keeping), wasUsed: false };
    // The longest unused is first in line to go.
    this.#byTarget.delete(key);
    this.#byTarget.set(key, kept);
    const [oldest] = this.#byTarget;
    if (this.#byTarget.size > MAX_TARGETS && oldest !== undefined) {
      this.#byTarget.delete(oldest[0]);
      // Lets what is under way end.
      void oldest[1].agent.close().catch(() => undefined);
    }
    return kept;
  }

  async close(): Promise<void> {
    const all = [...this.#byTarget.values()];
    this.#byTarget.clear();
    await Promise.all(all.map(async ({ agent }) => agent.destroy()));
  }
}

const keeping = {
  connectTimeoutMs: CONNECT_TIMEOUT_MS,
  connections: CONNECTIONS_PER_TARGET,
  keepAliveTimeout: IDLE_MS,
  // Whatever the server would allow.
  keepAliveMaxTimeout: IDLE_MS,
};

/** An agent that connects to the vetted addresses only, with Host and SNI of the URL. */
export function pinnedAgent(
  target: VettedTarget,
  { connectTimeoutMs, ...options }: Agent.Options & { readonly connectTimeoutMs: number },
): Agent {
  return new Agent({
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { lookup: pinnedLookup(target), timeout: connectTimeoutMs },
    ...options,
  });
}

function pinnedLookup(target: VettedTarget): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = target.addresses;
    if (options.all === true) callback(null, [...target.addresses]);
    else if (first === undefined) callback(new Error('no vetted address'), '', 4);
    else callback(null, first.address, first.family);
  };
}
