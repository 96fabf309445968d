import { isToken, PROVEN, type Finding } from './finding.ts';
import { headMetas } from './head-metas.ts';
import { getFromSite, type SiteOptions } from './site.ts';
import { statusFinding } from './status-finding.ts';

const MAX_PAGE_BYTES = 1_000_000;
const META_NAME = 'tilld-verification';

/** Outcome when no tag was found in the received part of the page. */
const MISSING = {
  whole: { kind: 'absent', reason: `no <meta name="${META_NAME}"> in the head of the home page` },
  capped: { kind: 'absent', reason: `no tag in the head within ${MAX_PAGE_BYTES} bytes` },
  timeout: { kind: 'unreachable', reason: 'the page did not come in time' },
  broken: { kind: 'unreachable', reason: 'the connection broke off' },
} as const;

/**
 * Searches a meta tag of the home page's head for the token. The head is enough: the remainder may be
 * missing.
 */
export async function checkMeta(
  options: SiteOptions,
  target: { readonly domain: string; readonly token: string },
  signal: AbortSignal,
): Promise<Finding> {
  const response = await getFromSite(
    options,
    { domain: target.domain, path: '/', accept: 'text/html', maxBodyBytes: MAX_PAGE_BYTES },
    signal,
  );
  if (response.status !== 200) return statusFinding('meta', response.status);
  const found = headMetas(new TextDecoder().decode(response.body), META_NAME);
  if (found.some((content) => isToken(content, target.token))) return PROVEN;
  if (found.length > 0)
    return { kind: 'absent', reason: 'meta: the tag holds something else than the token' };
  return { kind: MISSING[response.bodyEnd].kind, reason: `meta: ${MISSING[response.bodyEnd].reason}` };
}
