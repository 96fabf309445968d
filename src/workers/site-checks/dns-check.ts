import { Resolver } from 'node:dns/promises';
import { errorCode, isNoSuchRecord, isTokenLine, PROVEN, type Finding } from './finding.ts';

export interface DnsCheckOptions {
  /** `address` or `address:port`; none: the machine's own. */
  readonly servers: readonly string[];
  /** Timeout of one query; it is tried twice, the second time with a longer timeout. */
  readonly queryTimeoutMs: number;
}

const QUERY_TRIES = 2;
const OWN_NAME = '_tilld-challenge';

/** Searches the TXT records of the domain for `token=…`. */
export async function checkDns(
  options: DnsCheckOptions,
  target: { readonly domain: string; readonly token: string },
  signal: AbortSignal,
): Promise<Finding> {
  const name = `${OWN_NAME}.${target.domain}`;
  const resolver = new Resolver({ timeout: options.queryTimeoutMs, tries: QUERY_TRIES });
  if (options.servers.length > 0) resolver.setServers(options.servers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    signal.throwIfAborted();
    const records = await resolver.resolveTxt(name);
    // A record longer than 255 bytes comes in several strings to be joined (RFC 7208, 3.3).
    if (records.some((chunks) => isTokenLine(chunks.join(''), target.token))) return PROVEN;
    return { kind: 'absent', reason: `dns: no TXT record of ${name} holds the token` };
  } catch (error) {
    signal.throwIfAborted();
    if (isNoSuchRecord(error)) return { kind: 'absent', reason: `dns: ${name} has no TXT record` };
    if (errorCode(error) === 'EBADNAME')
      return { kind: 'absent', reason: `dns: ${name} is no valid name: verify by file or meta instead` };
    const code = errorCode(error);
    if (typeof code !== 'string') throw error;
    return { kind: 'unknown', reason: `dns: the name server gave no answer about ${name} (${code})` };
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
