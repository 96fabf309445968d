import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { ChainError } from '../../domain/chain.ts';
import type { Logger } from '../../domain/ports.ts';
import { RateLimit, retryAfterMs } from './rate-limit.ts';

/** Outcome of an HTTP request to a node: `limited` is 429; `failed` is no answer, or a busy node or gateway. */
export type AnswerOutcome = 'answered' | 'limited' | 'failed';

export interface RpcTransportOptions {
  /** http(s) URL of the node; may carry user:pass. */
  readonly url: string;
  /** The node's `.cookie`; read again on a 401, because it changes at each start. */
  readonly cookieFile?: string | undefined;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** Maximum calls per second, each call of a batch counting; 0 or absent: no limit. */
  readonly callsPerSecond?: number | undefined;
  readonly logger: Logger;
  readonly onAnswer?: ((outcome: AnswerOutcome) => void) | undefined;
}

export interface PostOptions {
  /** Never retried: at most one request can have reached a node. */
  readonly once?: boolean;
  /** Calls in the body; 1 by default. */
  readonly calls?: number;
  /** Aborts the request at this signal, and at once when the node applies its rate limit. */
  readonly giveUp?: AbortSignal;
}

export interface RpcTransport {
  /**
   * Posts a body and returns the answer's text. Connection faults and rate limiting are retried a few times, after
   * Retry-After where a node sends it.
   */
  post(body: string, what: string, options?: PostOptions): Promise<{ status: number; text: string }>;
  /** Like post, with the answer as bytes. */
  postForBytes(body: string, what: string): Promise<{ status: number; bytes: Uint8Array<ArrayBuffer> }>;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Retry-After of a rejected request, ms. */
  readonly pauseMs: number;
}

const RETRY_DELAYS_MS = [100, 400];
/** Retry delays after 429: providers count over some seconds, so they would reject an earlier retry as well. */
const LIMITED_DELAYS_MS = [1_000, 2_000, 4_000];
const TOO_MANY_REQUESTS = 429;
/** Maximum connections: the node serves few requests at a time, and more would only fill its work queue. */
const CONNECTIONS = 4;
/**
 * Slightly longer than the poll interval, because litecoind waits for idle connections before it shuts down.
 */
const KEEP_ALIVE_MS = 3_000;
const CONNECT_TIMEOUT_MS = 10_000;
const BUSY_STATUSES = new Set([TOO_MANY_REQUESTS, 502, 503, 504]);
const TRANSIENT_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Codes of OpenSSL and Node for a certificate that does not verify. */
const UNTRUSTED = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/;

const decoder = new TextDecoder();

/** HTTP to one node: keep-alive, timeout, size bound, credentials. Independent of JSON-RPC. */
export function createRpcTransport(options: RpcTransportOptions): RpcTransport {
  const { timeoutMs, maxResponseBytes, logger, onAnswer } = options;
  const url = parseUrl(options.url);
  const credentials = createCredentials(url, options.cookieFile);
  const rate = new RateLimit(options.callsPerSecond ?? 0);
  const pool = new Pool(url.origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: maxResponseBytes,
  });

  async function once(body: string, options: PostOptions): Promise<Answer> {
    const { giveUp, calls = 1 } = options;
    await rate.turn(calls, giveUp);
    const timeout = AbortSignal.timeout(timeoutMs);
    const answer = await pool.request({
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(await credentials.header()) },
      body,
      signal: giveUp === undefined ? timeout : AbortSignal.any([timeout, giveUp]),
    });
    const status = answer.statusCode;
    const retryAfter = BUSY_STATUSES.has(status) ? [answer.headers['retry-after']].flat()[0] : undefined;
    return {
      status,
      bytes: new Uint8Array(await answer.body.arrayBuffer()),
      pauseMs: retryAfterMs(retryAfter, Date.now()),
    };
  }

  async function requestWithAuth(body: string, options: PostOptions): Promise<Answer> {
    const answer = await once(body, options);
    return answer.status === 401 && credentials.renew() ? once(body, options) : answer;
  }

  async function requestWithRetry(body: string, what: string, options: PostOptions): Promise<Answer> {
    const startedAt = performance.now();
    if (options.giveUp !== undefined && rate.isPaused) throw paused(what, url);
    for (let attempt = 0; ; attempt += 1) {
      const answer = await requestWithAuth(body, options).catch((error: unknown) => fault(error, what, url));
      onAnswer?.(describeOutcome(answer));
      // Pauses all requests: concurrent ones would also be rejected, and may count against the limit.
      if (!(answer instanceof ChainError)) rate.pause(answer.pauseMs);
      const pause = retryDelay(answer, attempt, options);
      if (pause !== undefined) {
        logger.debug({ node: url.host, method: what, attempt }, 'node busy or unreachable; retrying');
        await delay(pause);
        continue;
      }
      const durationMs = Math.round(performance.now() - startedAt);
      logResult(logger, { node: url.host, method: what, durationMs }, answer);
      if (answer instanceof ChainError) throw answer;
      return answer;
    }
  }

  return {
    post: async (body, what, options = {}) => {
      const { status, bytes } = await requestWithRetry(body, what, options);
      return { status, text: decoder.decode(bytes) };
    },
    postForBytes: async (body, what) => requestWithRetry(body, what, {}),
    close: () => pool.destroy(),
  };
}

function logResult(
  logger: RpcTransportOptions['logger'],
  call: { readonly node: string; readonly method: string; readonly durationMs: number },
  answer: Answer | ChainError,
): void {
  if (answer instanceof ChainError) logger.warn({ ...call, error: answer.message }, 'node request failed');
  else logger.debug({ ...call, status: answer.status }, 'node request answered');
}

/** Delay before a retry; undefined when the answer is final. */
function retryDelay(
  answer: Answer | ChainError,
  attempt: number,
  { once = false, giveUp }: PostOptions,
): number | undefined {
  if (once) return undefined;
  if (answer instanceof ChainError) return isTransient(answer) ? RETRY_DELAYS_MS[attempt] : undefined;
  if (!BUSY_STATUSES.has(answer.status)) return undefined;
  if (answer.status !== TOO_MANY_REQUESTS) return RETRY_DELAYS_MS[attempt];
  return giveUp === undefined ? LIMITED_DELAYS_MS[attempt] : undefined;
}

function paused(what: string, url: URL): ChainError {
  return new ChainError('unavailable', `${what}: ${url.host} limits our rate and asked for a pause`);
}

function describeOutcome(answer: Answer | ChainError): AnswerOutcome {
  if (answer instanceof ChainError) return 'failed';
  if (answer.status === TOO_MANY_REQUESTS) return 'limited';
  return BUSY_STATUSES.has(answer.status) ? 'failed' : 'answered';
}

/** The URL may hold a password, which the error of the URL class would contain. */
function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new TypeError('the RPC URL is not a valid URL');
  return url;
}

/** Turns a transport fault into a message for operators: host and reason, never credentials. */
function fault(error: unknown, what: string, url: URL): ChainError {
  if (error instanceof ChainError) return error;
  const code = errorCode(error);
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    return new ChainError('bad_answer', `${what}: the answer of ${url.host} is larger than allowed`);
  }
  if (UNTRUSTED.test(code)) {
    const text = `${what}: the certificate of ${url.host} is not trusted (${code})`;
    return new ChainError('unavailable', text, { cause: error });
  }
  return new ChainError('unavailable', `${what}: no answer from ${url.host} (${code})`, { cause: error });
}

function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown fault';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name;
}

function isTransient(error: ChainError): boolean {
  return error.kind === 'unavailable' && TRANSIENT_CODES.has(errorCode(error.cause));
}

interface Credentials {
  header(): Promise<Record<string, string>>;
  /** Reloads credentials after a rejection; returns whether they changed. */
  renew(): boolean;
}

function createCredentials(url: URL, cookieFile: string | undefined): Credentials {
  if (cookieFile === undefined) {
    const user = decodeURIComponent(url.username);
    const fixed = user === '' ? {} : basic(`${user}:${decodeURIComponent(url.password)}`);
    return { header: () => Promise.resolve(fixed), renew: () => false };
  }
  let cached: Record<string, string> | null = null;
  return {
    header: async () => (cached ??= basic(await readCookie(cookieFile))),
    renew: () => {
      cached = null;
      return true;
    },
  };
}

async function readCookie(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    throw new ChainError('unavailable', `cannot read the cookie file ${path}: is the node running?`, {
      cause: error,
    });
  }
}

function basic(pair: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
