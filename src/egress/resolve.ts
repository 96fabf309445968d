import { lookup, Resolver } from 'node:dns/promises';
import { performance } from 'node:perf_hooks';
import pLimit from 'p-limit';

/** Resolves every IPv4 and IPv6 address of a host name. Injected, so that tests control the answers. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

const QUERY_TIMEOUT_MS = 3_000;
const QUERY_TRIES = 2;
const NO_SUCH_RECORD: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/** How long queries share a resolver, ms. */
const SHARED_MS = 1_000;

/**
 * Shares a resolver among concurrent queries, because creating one reads the machine's settings, which took
 * twice as long as a query. Answers are not cached. A resolver lives for at most a second, so that changed
 * name servers are used and the source port changes.
 */
class SharedResolvers {
  readonly #servers: readonly string[];
  #current: SharedResolver | null = null;

  constructor(servers: readonly string[]) {
    this.#servers = servers;
  }

  /** Returns a resolver; the caller must call `leave` afterwards. */
  take(): SharedResolver {
    const now = performance.now();
    if (this.#current === null || now - this.#current.sinceMs >= SHARED_MS) {
      const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
      if (this.#servers.length > 0) resolver.setServers(this.#servers);
      this.#current = { resolver, sinceMs: now, asking: 0 };
    }
    this.#current.asking += 1;
    return this.#current;
  }

  /** Releases a resolver; its pending queries are cancelled once the last caller has left after a failure. */
  leave(shared: SharedResolver, gaveUp: boolean): void {
    shared.asking -= 1;
    if (!gaveUp || shared.asking > 0) return;
    if (this.#current === shared) this.#current = null;
    shared.resolver.cancel();
  }
}

interface SharedResolver {
  readonly resolver: Resolver;
  readonly sinceMs: number;
  asking: number;
}

/**
 * Queries DNS for all A and AAAA records. Does not call getaddrinfo first, because a hanging name server
 * would block one of the few threads that the whole process shares. getaddrinfo is used only for names that
 * DNS does not have (the hosts file, containers of the same network).
 * @throws the DNS error if there is no address at all.
 */
export const resolveHost: Resolve = hostResolver([]);

/**
 * As resolveHost, with these DNS servers (`address` or `address:port`) instead of the machine's own.
 * @param askMachine getaddrinfo
 */
export function hostResolver(servers: readonly string[], askMachine: AskMachine = getaddrinfo): Resolve {
  const resolvers = new SharedResolvers(servers);
  return (hostname, signal) => resolveBy({ resolvers, askMachine }, hostname, signal);
}

type AskMachine = (hostname: string) => Promise<readonly string[]>;

/**
 * Bounds getaddrinfo calls, which query DNS as well: a user's name server may deny a name first and then
 * hang. Disk flushes and password hashing share the same four threads.
 */
const askingMachine = pLimit(2);

async function resolveBy(
  { resolvers, askMachine }: { readonly resolvers: SharedResolvers; readonly askMachine: AskMachine },
  hostname: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const name = hostname.replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
  const answers = await ask(resolvers, hostname, signal);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const failure = answers.map((answer) => (answer.status === 'rejected' ? answer.reason : null));
  if (failure.every((reason) => NO_SUCH_RECORD.has(errorCode(reason)))) {
    return askingMachine(async () => {
      signal.throwIfAborted();
      return askMachine(hostname);
    });
  }
  throw failure.find((reason) => !NO_SUCH_RECORD.has(errorCode(reason)));
}

async function ask(
  resolvers: SharedResolvers,
  hostname: string,
  signal: AbortSignal,
): Promise<PromiseSettledResult<string[]>[]> {
  signal.throwIfAborted();
  const shared = resolvers.take();
  const gaveUp = Promise.withResolvers<never>();
  const giveUp = (): void => gaveUp.reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const { resolver } = shared;
    const both = Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return await Promise.race([both, gaveUp.promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
    resolvers.leave(shared, signal.aborted);
  }
}

async function getaddrinfo(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map((entry) => entry.address);
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
