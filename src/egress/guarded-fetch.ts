import type { Dispatcher } from 'undici';
import { singleConnection, type ConnectionPools } from './connection-pools.ts';
import { describeError, EgressError } from './egress-error.ts';
import { untilAborted } from './until-aborted.ts';
import { requirePublicTarget, type PinnedTarget, type SsrfPolicy } from './ssrf-guard.ts';

export interface EgressPolicy extends SsrfPolicy {
  /** Pools that keep connections for the next request; without them each request opens its own. */
  readonly connections?: ConnectionPools;
}

export interface GuardedRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The body is truncated at this size; the remainder is not read. */
  readonly maxBodyBytes: number;
  /** Limit for the whole exchange: DNS, connect, TLS, request, response, body. */
  readonly timeoutMs: number;
  /** Aborts the request, at shutdown. */
  readonly signal?: AbortSignal;
}

export interface GuardedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** `whole`, or the reason why the body is incomplete: over the cap, timeout, connection lost. */
  readonly bodyEnd: 'whole' | 'capped' | 'timeout' | 'broken';
}

/**
 * One HTTP request to a user-supplied address, guarded against SSRF. The target is checked (see requirePublicTarget),
 * and the connection is opened to the pinned addresses only, with Host and SNI of the URL, so that DNS
 * rebinding between check and use has no effect. Redirects are returned, never followed.
 * @throws {EgressError} without a response; never for an HTTP status.
 */
export async function guardedFetch(policy: EgressPolicy, request: GuardedRequest): Promise<GuardedResponse> {
  const deadline = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal === undefined ? deadline : AbortSignal.any([request.signal, deadline]);
  try {
    signal.throwIfAborted();
    const target = await requirePublicTarget(policy, request.url, signal);
    return await exchange(policy, target, request, signal);
  } catch (error) {
    if (request.signal?.aborted === true)
      throw new EgressError('aborted', 'the request was aborted', { cause: error });
    if (deadline.aborted)
      throw new EgressError('timeout', `no answer within ${request.timeoutMs} ms`, { cause: error });
    if (error instanceof EgressError) throw error;
    throw new EgressError('network', describeError(error), { cause: error });
  }
}

const LOST_CONNECTION: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

async function exchange(
  { connections }: EgressPolicy,
  target: PinnedTarget,
  request: GuardedRequest,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  if (connections === undefined) return overSingleConnection(target, request, signal);
  const pool = connections.take(target);
  const { wasUsed } = pool;
  try {
    const answer = await send(pool.dispatcher, target, request, signal);
    pool.wasUsed = true;
    return answer;
  } catch (error) {
    connections.drop(target, pool);
    // The server may have closed an idle connection just as it was reused: such a request is retried once.
    if (!wasUsed || signal.aborted || !LOST_CONNECTION.has(errorCode(error))) throw error;
    return overSingleConnection(target, request, signal);
  }
}

async function overSingleConnection(
  target: PinnedTarget,
  request: GuardedRequest,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  const connection = singleConnection(target);
  try {
    return await send(connection, target, request, signal);
  } finally {
    void connection.destroy().catch(() => undefined);
  }
}

async function send(
  dispatcher: Dispatcher,
  { origin, path }: PinnedTarget,
  request: GuardedRequest,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  const { method, headers, body = null } = request;
  // undici respects a signal only once it is connected.
  const answer = await untilAborted(
    dispatcher.request({ origin, path, method, headers, body, signal }),
    signal,
  );
  return { status: answer.statusCode, headers: flat(answer.headers), ...(await read(answer.body, request)) };
}

/** Reads up to the cap. Data received before a timeout or a lost connection is kept; an abort discards it. */
async function read(
  stream: Dispatcher.ResponseData['body'],
  { maxBodyBytes, signal }: GuardedRequest,
): Promise<Pick<GuardedResponse, 'body' | 'bodyEnd'>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const cut = (): Uint8Array => Buffer.concat(chunks, Math.min(size, maxBodyBytes));
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      size += chunk.length;
      // Leaving the loop destroys the stream, which closes the connection.
      if (size > maxBodyBytes) return { body: cut(), bodyEnd: 'capped' };
    }
    return { body: cut(), bodyEnd: 'whole' };
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return { body: cut(), bodyEnd: isTimeout(error) ? 'timeout' : 'broken' };
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function flat(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
  );
}
