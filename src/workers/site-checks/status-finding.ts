import type { Finding } from './finding.ts';

/** Outcome for an HTTP status other than 200: a failing server, or one without such a page. */
export function statusFinding(what: string, status: number): Finding {
  const kind = status === 429 || status >= 500 ? 'unreachable' : 'absent';
  return { kind, reason: `${what}: the server answered ${status} instead of 200` };
}
