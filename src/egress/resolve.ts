import { lookup, Resolver } from 'node:dns/promises';
import pLimit from 'p-limit';

/** Finds every IPv4 and IPv6 address of a host name. Injected, so that tests decide the answers. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

const QUERY_TIMEOUT_MS = 3_000;
const QUERY_TRIES = 2;
const NO_SUCH_RECORD: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/**
 * Asks DNS for all A and AAAA records. Not getaddrinfo first: a name server that hangs would hold one
 * of the few threads the whole process shares. getaddrinfo answers only for names DNS does not have
 * (the hosts file, a container's neighbours).
 * @throws the DNS error when there is no address at all.
 */
export const resolveHost: Resolve = hostResolver([]);

/**
 * As resolveHost, asking these DNS servers (`address` or `address:port`) instead of the machine's own.
 * @param askMachine getaddrinfo
 */
export function hostResolver(servers: readonly string[], askMachine: AskMachine = getaddrinfo): Resolve {
  return (hostname, signal) => resolveBy({ servers, askMachine }, hostname, signal);
}

type AskMachine = (hostname: string) => Promise<readonly string[]>;

/**
 * It asks DNS as well, where somebody's own server may say that there is no such name and then be silent for
 * as long as it likes. There are four threads, which also flush the disk and check passwords.
 */
const askingMachine = pLimit(2);

async function resolveBy(
  { servers, askMachine }: { readonly servers: readonly string[]; readonly askMachine: AskMachine },
  hostname: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const name = hostname.replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const failure = answers.map((answer) => (answer.status === 'rejected' ? answer.reason : null));
    if (failure.every((reason) => NO_SUCH_RECORD.has(codeOf(reason)))) {
      return await askingMachine(async () => {
        signal.throwIfAborted();
        return askMachine(hostname);
      });
    }
    throw failure.find((reason) => !NO_SUCH_RECORD.has(codeOf(reason)));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

async function getaddrinfo(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map((entry) => entry.address);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
