import { isIP } from 'node:net';
import { describeError, EgressError } from './egress-error.ts';
import { isPublicAddress } from './public-address.ts';
import type { Resolve } from './resolve.ts';
import { untilAborted } from './until-aborted.ts';

/** Which targets may be called, and how names are resolved. */
export interface SsrfPolicy {
  /** Allows loopback and private targets and plain http (sandbox, regtest). */
  readonly allowPrivate: boolean;
  readonly resolve: Resolve;
}

export interface PinnedTarget {
  /** Scheme, host and port. */
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  /** Origin and addresses, equal for targets that can share a connection. */
  readonly key: string;
  /** The only addresses to connect to. */
  readonly addresses: readonly { readonly address: string; readonly family: 4 | 6 }[];
}

/**
 * Protects against server-side request forgery (SSRF): decides whether a URL may be called, and pins its
 * addresses. If any address of the name is not allowed, the target is refused.
 * @throws {EgressError} `refused`, or `dns` if the name does not resolve.
 */
export async function requirePublicTarget(
  policy: SsrfPolicy,
  text: string,
  signal: AbortSignal,
): Promise<PinnedTarget> {
  const url = requirePublicUrl(policy, text);
  const host = bareHost(url);
  const found = isIP(host) === 0 ? await resolveAll(policy, host, signal) : [host];
  const addresses = checked(policy, host, found);
  const sorted = addresses.map(({ address }) => address).toSorted();
  const { origin } = url;
  return { origin, path: url.pathname + url.search, addresses, key: `${origin} ${sorted.join(' ')}` };
}

function checked(
  policy: Pick<SsrfPolicy, 'allowPrivate'>,
  host: string,
  found: readonly string[],
): PinnedTarget['addresses'] {
  return found.map((address) => {
    const family = isIP(address);
    if (family !== 4 && family !== 6) throw new EgressError('dns', `${host} resolves to an invalid address`);
    if (!policy.allowPrivate && !isPublicAddress(address)) throw notPublic(host, address);
    return { address, family: family === 4 ? (4 as const) : (6 as const) };
  });
}

/**
 * The part of the check without network access: scheme, user name, IP literals, this machine's own name.
 * @throws {EgressError} `refused`
 */
export function requirePublicUrl(policy: Pick<SsrfPolicy, 'allowPrivate'>, text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new EgressError('refused', 'not a URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new EgressError('refused', `${url.protocol} is not allowed, only https`);
  if (url.protocol === 'http:' && !policy.allowPrivate)
    throw new EgressError('refused', 'plain http is not allowed, only https');
  if (url.username !== '' || url.password !== '')
    throw new EgressError('refused', 'a URL must not contain a user name or password');
  const host = bareHost(url);
  if (!policy.allowPrivate && (isIP(host) === 0 ? isLocalName(host) : !isPublicAddress(host)))
    throw notPublic(host);
  return url;
}

/**
 * Not shown to the merchant who entered the name, because only the internal name server may know the address.
 */
function notPublic(host: string, address = host): EgressError {
  const cause = new Error(`${host} resolves to ${address}`);
  return new EgressError('refused', `${host} is not a public address`, { cause });
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** RFC 6761: such names never leave the machine. */
function isLocalName(host: string): boolean {
  return /(^|\.)localhost\.?$/.test(host);
}

async function resolveAll(policy: SsrfPolicy, host: string, signal: AbortSignal): Promise<readonly string[]> {
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
