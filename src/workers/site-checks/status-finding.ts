import type { Finding } from './finding.ts';

/** What an HTTP status other than 200 says: a server in trouble, or one that has no such page. */
export function statusFinding(what: string, status: number): Finding {
  const kind = status === 429 || status >= 500 ? 'unreachable' : 'absent';
  return { kind, reason: `${what}: the server answered ${status} instead of 200` };
}
