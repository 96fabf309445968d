import type { Agent, Dispatcher } from 'undici';
import { describeError, EgressError } from './egress-error.ts';
import { pinnedAgent } from './kept-connections.ts';
import { vetTarget, type EgressPolicy, type VettedTarget } from './vet-target.ts';

export interface GuardedRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For everything together: DNS, connect, TLS, sending, waiting, reading the body. */
  readonly timeoutMs: number;
  /** The body is cut here; the rest is never read. */
  readonly maxBodyBytes: number;
  /** Gives up early, at shutdown. */
  readonly signal?: AbortSignal;
}

export interface GuardedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** `whole`, or why the body is not: over the cap, out of time, connection lost. */
  readonly bodyEnd: 'whole' | 'capped' | 'timeout' | 'broken';
}

/**
 * One HTTP request to an address given by a stranger. The target is vetted (see vetTarget) and the
 * connection goes to the vetted addresses only, with Host and SNI of the URL, so that a name that
 * changes its mind between check and use gains nothing. Redirects are answers, never followed.
 * @throws {EgressError} when no answer came; never for an HTTP status.
 */
export async function guardedFetch(policy: EgressPolicy, request: GuardedRequest): Promise<GuardedResponse> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), request.timeoutMs);
  const gaveUp = request.signal;
  const signal = gaveUp === undefined ? timeout.signal : AbortSignal.any([timeout.signal, gaveUp]);
  try {
    const target = await untilAborted(vetTarget(policy, request.url, signal), signal);
    return await exchange(policy, target, { request, signal });
  } catch (error) {
    if (gaveUp?.aborted === true) throw new EgressError('aborted', 'given up', { cause: error });
    if (timeout.signal.aborted)
      throw new EgressError('timeout', `no answer within ${request.timeoutMs} ms`, { cause: error });
    if (error instanceof EgressError) throw error;
    throw new EgressError('network', describeError(error), { cause: error });
  } finally {
    clearTimeout(timer);
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

async function exchangeOver(
  agent: Agent,
  target: VettedTarget,
  { request, signal }: Exchange,
): Promise<GuardedResponse> {
  const answer = await agent.request({
    origin: target.url.origin,
    path: target.url.pathname + target.url.search,
    method: request.method,
    headers: { ...request.headers },
    body: request.body ?? null,
    signal,
  });
  const { body, bodyEnd } = await readCapped(answer.body, request, signal);
  return { status: answer.statusCode, headers: flatHeaders(answer.headers), body, bodyEnd };
}

async function readCapped(
  stream: Dispatcher.ResponseData['body'],
  request: GuardedRequest,
  signal: AbortSignal,
): Promise<Pick<GuardedResponse, 'body' | 'bodyEnd'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  const soFar = (): Buffer => Buffer.concat(chunks).subarray(0, request.maxBodyBytes);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > request.maxBodyBytes) return { body: soFar(), bodyEnd: 'capped' };
    }
    return { body: soFar(), bodyEnd: 'whole' };
  } catch (error) {
    if (request.signal?.aborted === true) throw error;
    return { body: soFar(), bodyEnd: signal.aborted ? 'timeout' : 'broken' };
  }
}

function flatHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
  );
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
