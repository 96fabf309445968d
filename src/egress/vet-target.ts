import { isIP } from 'node:net';
import { describeError, EgressError } from './egress-error.ts';
import type { Agent } from 'undici';
import { isPublicAddress } from './public-address.ts';
import type { Resolve } from './resolve.ts';

export interface EgressPolicy {
  /** Allows loopback and private targets and plain http (sandbox, regtest). */
  readonly allowPrivate: boolean;
  readonly resolve: Resolve;
  /** Where connections are kept for the next request; one for each request otherwise. */
  readonly connections?: { to(target: VettedTarget): Kept };
}

/** The connections to one origin at certain addresses. */
export interface Kept {
  readonly agent: Agent;
  /** Whether one of them may have been idle before this request. */
  wasUsed: boolean;
}

export interface VettedTarget {
  readonly url: URL;
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
  const url = vetUrl(policy, text);
  const host = bareHost(url);
  const found = isIP(host) === 0 ? await resolveAll(policy, host, signal) : [host];
  const addresses = found.map((address) => {
    const family = isIP(address);
    if (family !== 4 && family !== 6)
      throw new EgressError('dns', `${host} resolves to something that is no address`);
    if (!policy.allowPrivate && !isPublicAddress(address))
      throw new EgressError('refused', `${host} is not a public address (${address})`);
    return { address, family: family === 4 ? (4 as const) : (6 as const) };
  });
  return { url, addresses };
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
