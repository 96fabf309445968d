import { isIP } from 'node:net';
import { describeError, EgressError } from './egress-error.ts';
import type { Dispatcher } from 'undici';
import { isPublicAddress } from './public-address.ts';
import type { Resolve } from './resolve.ts';

export interface EgressPolicy {
  /** Allows loopback and private targets and plain http (sandbox, regtest). */
  readonly allowPrivate: boolean;
  readonly resolve: Resolve;
  /** Where connections are kept for the next request; one for each request otherwise. */
  readonly connections?: { take(target: VettedTarget): Line };
}

/** A connection for one request. */
export interface Line {
  readonly dispatcher: Dispatcher;
  /** Whether it may have been idle before this request. */
  readonly wasUsed: boolean;
  /** Says that the request is over, and whether the connection may serve another one. */
  done(isSound: boolean): void;
}

export interface VettedTarget {
  /** Scheme, host and port. */
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  /** The same for all targets that one connection can serve: of this origin at these addresses. */
  readonly key: string;
  /** The only addresses a connection may go to. */
  readonly addresses: readonly { readonly address: string; readonly family: 4 | 6 }[];
}

/**
 * Decides whether a URL may be called and pins the addresses it may be called at: every address of
 * the name must be allowed, or the target is refused.
 * @throws {EgressError} `refused`, or `dns` when the name does not resolve.
 */
export async function vetTarget(
  policy: EgressPolicy,
  text: string,
  signal: AbortSignal,
): Promise<VettedTarget> {
  const place = placeOf(policy, text);
  if (place.literal !== null) return place.literal;
  const { host } = place;
  return pinned(place, checked(policy, host, await resolveAll(policy, host, signal)));
}

/**
 * As vetTarget at once, for a URL whose host is an IP address; null for one that DNS must be asked about.
 * @throws {EgressError} `refused`
 */
export function vetLiteral(policy: Pick<EgressPolicy, 'allowPrivate'>, text: string): VettedTarget | null {
  return placeOf(policy, text).literal;
}

/** What a URL that passed the check leads to. */
interface Place {
  readonly origin: string;
  readonly path: string;
  readonly host: string;
  /** Where the host is an IP address. */
  readonly literal: VettedTarget | null;
}

const MAX_PLACES = 512;

/** Nothing about a URL itself ever changes: taking it apart once is enough. By whether private ones are allowed. */
const places = { private: new Map<string, Place>(), public: new Map<string, Place>() };

function placeOf(policy: Pick<EgressPolicy, 'allowPrivate'>, text: string): Place {
  const known = policy.allowPrivate ? places.private : places.public;
  const before = known.get(text);
  if (before !== undefined) return before;
  const url = vetUrl(policy, text);
  const plain = { origin: url.origin, path: url.pathname + url.search, host: bareHost(url) };
  const isLiteral = isIP(plain.host) !== 0;
  const literal = isLiteral ? pinned(plain, checked(policy, plain.host, [plain.host])) : null;
  const place = { ...plain, literal };
  known.set(text, place);
  if (known.size > MAX_PLACES) {
    const [oldest] = known.keys();
    if (oldest !== undefined) known.delete(oldest);
  }
  return place;
}

function pinned(
  { origin, path }: Omit<Place, 'literal'>,
  addresses: VettedTarget['addresses'],
): VettedTarget {
  const sorted = addresses.map(({ address }) => address).toSorted();
  return { origin, path, addresses, key: `${origin} ${sorted.join(' ')}` };
}

function checked(
  policy: Pick<EgressPolicy, 'allowPrivate'>,
  host: string,
  found: readonly string[],
): VettedTarget['addresses'] {
  return found.map((address) => {
    const family = isIP(address);
    if (family !== 4 && family !== 6)
      throw new EgressError('dns', `${host} resolves to something that is no address`);
    if (!policy.allowPrivate && !isPublicAddress(address))
      throw new EgressError('refused', `${host} is not a public address (${address})`);
    return { address, family: family === 4 ? (4 as const) : (6 as const) };
  });
}

/**
 * The part of the check that needs no network: scheme, user name, IP literals, this machine's own name.
 * @throws {EgressError} `refused`
 */
export function vetUrl(policy: Pick<EgressPolicy, 'allowPrivate'>, text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new EgressError('refused', 'not a URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new EgressError('refused', `${url.protocol} is not allowed, only https`);
  if (url.protocol === 'http:' && !policy.allowPrivate)
    throw new EgressError('refused', 'plain http is not allowed, only https');
  if (url.username !== '' || url.password !== '')
    throw new EgressError('refused', 'a URL must not carry a user name or password');
  const host = bareHost(url);
  if (!policy.allowPrivate && (isIP(host) === 0 ? isLocalName(host) : !isPublicAddress(host)))
    throw new EgressError('refused', `${host} is not a public address`);
  return url;
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** RFC 6761: such names never leave the machine. */
function isLocalName(host: string): boolean {
  return /(^|\.)localhost\.?$/.test(host);
}

async function resolveAll(
  policy: EgressPolicy,
  host: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  let found: readonly string[];
  try {
    found = await untilAborted(policy.resolve(host, signal), signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new EgressError('dns', `${host} does not resolve: ${describeError(error)}`, { cause: error });
  }
  if (found.length === 0) throw new EgressError('dns', `${host} has no address`);
  return found;
}

/** Leaves a wait that ignores its signal (getaddrinfo cannot be cancelled). */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const stopped = Promise.withResolvers<never>();
  const stop = (): void => stopped.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
