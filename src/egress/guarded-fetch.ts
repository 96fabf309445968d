import { describeError, EgressError } from './egress-error.ts';
import { exchangeOver, type ExchangeAnswer, type ExchangeRequest } from './exchange.ts';
import { pinnedAgent } from './kept-connections.ts';
import { vetTarget, type EgressPolicy, type VettedTarget } from './vet-target.ts';

export interface GuardedRequest extends ExchangeRequest {
  readonly url: string;
  /** For everything together: DNS, connect, TLS, sending, waiting, reading the body. */
  readonly timeoutMs: number;
}

export type GuardedResponse = ExchangeAnswer;

/**
 * One HTTP request to an address given by a stranger. The target is vetted (see vetTarget) and the
 * connection goes to the vetted addresses only, with Host and SNI of the URL, so that a name that
 * changes its mind between check and use gains nothing. Redirects are answers, never followed.
 * @throws {EgressError} when no answer came; never for an HTTP status.
 */
export async function guardedFetch(policy: EgressPolicy, request: GuardedRequest): Promise<GuardedResponse> {
  const stop = new AbortController();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stop.abort();
  }, request.timeoutMs);
  const gaveUp = request.signal;
  const giveUp = (): void => stop.abort();
  gaveUp?.addEventListener('abort', giveUp);
  if (gaveUp?.aborted === true) giveUp();
  try {
    const target = await vetTarget(policy, request.url, stop.signal);
    return await exchange(policy, target, { request, signal: stop.signal });
  } catch (error) {
    if (gaveUp?.aborted === true) throw new EgressError('aborted', 'given up', { cause: error });
    if (isLate)
      throw new EgressError('timeout', `no answer within ${request.timeoutMs} ms`, { cause: error });
    if (error instanceof EgressError) throw error;
    throw new EgressError('network', describeError(error), { cause: error });
  } finally {
    clearTimeout(timer);
    gaveUp?.removeEventListener('abort', giveUp);
  }
}

async function exchange(
  { connections }: EgressPolicy,
  target: VettedTarget,
  about: Exchange,
): Promise<GuardedResponse> {
  if (connections === undefined) return exchangeOnce(target, about);
  const kept = connections.to(target);
  const { wasUsed } = kept;
  kept.wasUsed = true;
  try {
    return await exchangeOver(kept.agent, target, about);
  } catch (error) {
    // The server closed an idle connection in the moment it was used: what was sent into it is lost.
    if (!wasUsed || about.signal.aborted || !LOST_CONNECTION.has(codeOf(error))) throw error;
    return exchangeOnce(target, about);
  }
}

interface Exchange {
  readonly request: GuardedRequest;
  readonly signal: AbortSignal;
}

const LOST_CONNECTION: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Over a connection of its own, closed afterwards. */
async function exchangeOnce(target: VettedTarget, about: Exchange): Promise<GuardedResponse> {
  const agent = pinnedAgent(target, { connections: 1, connectTimeoutMs: about.request.timeoutMs });
  try {
    return await exchangeOver(agent, target, about);
  } finally {
    await agent.destroy();
  }
}
