import { createHash } from 'node:crypto';

/** Paths at one origin are told apart by so many groups: an address per order must not make endpoints without end. */
const GROUPS = 32;

/**
 * What the attempts of a delivery share their slots with: those of the same merchant to the same origin and path, as
 * a rule; seldom to another path, too. Query and fragment do not count.
 */
export function endpointKey(merchantId: string, url: string): string {
  if (!URL.canParse(url)) return `${url} ${merchantId}`;
  const { origin, pathname } = new URL(url);
  const group = createHash('sha256').update(pathname).digest().readUInt32BE() % GROUPS;
  return `${origin} ${merchantId} ${group}`;
}

/** Scheme, host and port of an endpoint's key; of what an earlier version queued it is the whole. */
export function originOfEndpoint(key: string): string {
  const end = key.indexOf(' ');
  return end === -1 ? key : key.slice(0, end);
}
