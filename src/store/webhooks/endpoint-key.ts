import { createHash } from 'node:crypto';

/** Buckets for the paths of one origin: a URL per order must not create endpoints without bound. */
const GROUPS = 32;

/** Prefix of the id of an endpoint other than the merchant's own webhookUrl. */
const ENDPOINT_PREFIX = 'whe_';

/** Whether this is a declared endpoint: neither the merchant's webhookUrl nor that of a payment. */
export function isDeclaredEndpoint(endpointId: string | null): endpointId is string {
  return endpointId?.startsWith(ENDPOINT_PREFIX) === true;
}

/**
 * The key by which attempts share their concurrency slots: the same declared endpoint; else the same
 * merchant, origin and path, rarely also another path. Query and fragment are ignored.
 */
export function endpointKey(merchantId: string, url: string, endpointId: string | null = null): string {
  if (!URL.canParse(url)) return `${url} ${merchantId}`;
  const { origin, pathname } = new URL(url);
  if (isDeclaredEndpoint(endpointId)) return `${origin} ${endpointId}`;
  const group = createHash('sha256').update(pathname).digest().readUInt32BE() % GROUPS;
  return `${origin} ${merchantId} ${group}`;
}

/** Whether a key is that of a declared endpoint. */
export function isDeclaredKey(key: string): boolean {
  return isDeclaredEndpoint(key.slice(key.indexOf(' ') + 1));
}

/** Scheme, host and port of an endpoint's key; the whole key of deliveries queued by an earlier version. */
export function originOfEndpoint(key: string): string {
  const end = key.indexOf(' ');
  return end === -1 ? key : key.slice(0, end);
}
