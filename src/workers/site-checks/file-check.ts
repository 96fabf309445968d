import type { GuardedResponse } from '../../egress/guarded-fetch.ts';
import { isToken, PROVEN, type Finding } from './finding.ts';
import { getFromSite, type SiteOptions } from './site.ts';
import { statusFinding } from './status-finding.ts';

const MAX_FILE_BYTES = 4096;
const PATH = '/.well-known/tilld-verification.txt';

/** Outcome for an incomplete file: its content is not judged at all. */
const CUT: Readonly<Record<Exclude<GuardedResponse['bodyEnd'], 'whole'>, Finding>> = {
  capped: { kind: 'absent', reason: `file: larger than ${MAX_FILE_BYTES} bytes` },
  timeout: { kind: 'unreachable', reason: 'file: its content did not come in time' },
  broken: { kind: 'unreachable', reason: 'file: the connection broke off' },
};

/** Expects the token as the only content of the well-known file (RFC 8615). */
export async function checkFile(
  options: SiteOptions,
  target: { readonly domain: string; readonly token: string },
  signal: AbortSignal,
): Promise<Finding> {
  const response = await getFromSite(
    options,
    { domain: target.domain, path: PATH, accept: 'text/plain, */*;q=0.5', maxBodyBytes: MAX_FILE_BYTES },
    signal,
  );
  if (response.status !== 200) return statusFinding('file', response.status);
  const { bodyEnd } = response;
  if (bodyEnd !== 'whole') return CUT[bodyEnd];
  if (isToken(new TextDecoder().decode(response.body), target.token)) return PROVEN;
  return { kind: 'absent', reason: 'file: it holds something else than the token line' };
}
