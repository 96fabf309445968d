import { EgressError } from '../../egress/egress-error.ts';
import { guardedFetch, type EgressPolicy, type GuardedResponse } from '../../egress/guarded-fetch.ts';
import { requirePublicUrl } from '../../egress/ssrf-guard.ts';

export interface SiteOptions {
  readonly egress: EgressPolicy;
  /** Ports of web servers: 443 and 80, except in tests that may not bind them. */
  readonly ports: { readonly https: number; readonly http: number };
  /** Timeout of one request. */
  readonly requestTimeoutMs: number;
}

interface SiteRequest {
  readonly domain: string;
  readonly path: string;
  readonly accept: string;
  readonly maxBodyBytes: number;
}

const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches a page of the domain itself over https, and if private targets are allowed also over plain http,
 * for shops without a certificate. Redirects are followed, each one guarded, as long as they stay on the
 * domain or its `www.` (RFC 9110, 15.4).
 * @throws {EgressError} without a response, or if a redirect leads to another site (`refused`).
 */
export async function getFromSite(
  options: SiteOptions,
  request: SiteRequest,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  try {
    return await follow(options, request, startUrl(options, 'https', request), signal);
  } catch (error) {
    if (!options.egress.allowPrivate || !isOutOfReach(error)) throw error;
    return await follow(options, request, startUrl(options, 'http', request), signal).catch(
      (failure: unknown) => {
        throw isOutOfReach(failure) ? error : failure;
      },
    );
  }
}

function isOutOfReach(error: unknown): boolean {
  return error instanceof EgressError && (error.kind === 'network' || error.kind === 'timeout');
}

function startUrl({ ports }: SiteOptions, scheme: 'https' | 'http', request: SiteRequest): URL {
  return new URL(`${scheme}://${request.domain}:${ports[scheme]}${request.path}`);
}

async function follow(
  options: SiteOptions,
  request: SiteRequest,
  start: URL,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  let url = start;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const response = await guardedFetch(options.egress, {
      method: 'GET',
      url: url.href,
      headers: { accept: request.accept, 'user-agent': 'tilld-domain-check/1' },
      timeoutMs: options.requestTimeoutMs,
      maxBodyBytes: request.maxBodyBytes,
      signal,
    });
    if (!REDIRECTS.has(response.status)) return response;
    url = nextUrl(options, request, url, response.headers['location'] ?? '');
  }
  throw new EgressError('refused', `more than ${MAX_REDIRECTS} redirects`);
}

function nextUrl(options: SiteOptions, request: SiteRequest, from: URL, location: string): URL {
  const url = location === '' ? null : URL.parse(location, from.href);
  if (url === null) throw new EgressError('refused', 'a redirect without a location');
  const { protocol, hostname } = requirePublicUrl(options.egress, url.href);
  if (siteName(hostname) !== siteName(request.domain))
    throw new EgressError('refused', `a redirect to another site, ${hostname}`);
  if (protocol === 'http:' && from.protocol === 'https:')
    throw new EgressError('refused', 'a redirect from https to plain http');
  const scheme = protocol === 'https:' ? 'https' : 'http';
  if (selectPort(url) !== options.ports[scheme])
    throw new EgressError('refused', `a redirect to another port, ${selectPort(url)}`);
  return url;
}

/** A domain and its `www.` are one site: apex to www is the most common redirect. */
function siteName(host: string): string {
  return host.replace(/\.$/, '').replace(/^www\./, '');
}

function selectPort(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}
