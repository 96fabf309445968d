import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { ChainError } from '../domain/chain.ts';
import type { Logger } from '../domain/ports.ts';

export interface RpcTransportOptions {
  /** http(s) URL of the node; may carry user:pass. */
  readonly url: string;
  /** The node's `.cookie`; read again whenever the node refuses it (it changes at each start). */
  readonly cookieFile?: string | undefined;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly logger: Logger;
}

export interface RpcTransport {
  /**
   * Posts one body and gives back the answer's text. Connection faults are retried a few times, but
   * not with `once`: then the answer is that of the only request that can have reached a node.
   */
  post(
    body: string,
    what: string,
    options?: { readonly once?: boolean },
  ): Promise<{ status: number; text: string }>;
  /** The same for an answer that is not to become a text. */
  postForBytes(
    body: string | Uint8Array,
    what: string,
  ): Promise<{ status: number; bytes: Uint8Array<ArrayBuffer> }>;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const RETRY_DELAYS_MS = [100, 400];
/** The node serves few requests at a time: more connections would only fill its work queue. */
const CONNECTIONS = 4;
/** Long enough for the next poll; litecoind waits for idle connections before it shuts down. */
const KEEP_ALIVE_MS = 3_000;
const CONNECT_TIMEOUT_MS = 10_000;
const BUSY_STATUSES = new Set([429, 502, 503, 504]);
const TRANSIENT_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const decoder = new TextDecoder();

/** HTTP to one node: keep-alive, timeout, size bound, credentials. Nothing here knows JSON-RPC. */
export function createRpcTransport(options: RpcTransportOptions): RpcTransport {
  const { timeoutMs, maxResponseBytes, logger } = options;
  const url = parseUrl(options.url);
  const credentials = createCredentials(url, options.cookieFile);
  const pool = new Pool(url.origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: maxResponseBytes,
  });

  async function once(body: string | Uint8Array): Promise<Answer> {
    const answer = await pool.request({
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(await credentials.header()) },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: answer.statusCode, bytes: new Uint8Array(await answer.body.arrayBuffer()) };
  }

  async function authorised(body: string | Uint8Array): Promise<Answer> {
    const answer = await once(body);
    return answer.status === 401 && credentials.renew() ? once(body) : answer;
  }

  async function exchanged(body: string | Uint8Array, what: string, isOnce: boolean): Promise<Answer> {
    const startedAt = performance.now();
    for (let attempt = 0; ; attempt += 1) {
      const pause = isOnce ? undefined : RETRY_DELAYS_MS[attempt];
      const answer = await authorised(body).catch((error: unknown) => fault(error, what, url));
      const isBusy = answer instanceof ChainError ? isTransient(answer) : BUSY_STATUSES.has(answer.status);
      if (isBusy && pause !== undefined) {
        logger.debug({ node: url.host, method: what, attempt }, 'node busy or unreachable, trying again');
        await delay(pause);
        continue;
      }
      const durationMs = Math.round(performance.now() - startedAt);
      if (answer instanceof ChainError) {
        logger.warn({ node: url.host, method: what, durationMs, error: answer.message }, 'node call failed');
        throw answer;
      }
      logger.debug({ node: url.host, method: what, durationMs, status: answer.status }, 'node call');
      return answer;
    }
  }

  return {
    post: async (body, what, { once: isOnce = false } = {}) => {
      const { status, bytes } = await exchanged(body, what, isOnce);
      return { status, text: decoder.decode(bytes) };
    },
    postForBytes: async (body, what) => exchanged(body, what, false),
    close: () => pool.destroy(),
  };
}

/** The URL may hold a password, which the error of the URL class would repeat. */
function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new TypeError('the RPC URL is not a valid URL');
  return url;
}

/** Turns a transport fault into words for operators: host and reason, never credentials. */
function fault(error: unknown, what: string, url: URL): ChainError {
  if (error instanceof ChainError) return error;
  const code = codeOf(error);
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    return new ChainError('bad_answer', `${what}: the answer of ${url.host} is larger than allowed`);
  }
  return new ChainError('unavailable', `${what}: no answer from ${url.host} (${code})`, { cause: error });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown fault';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name;
}

function isTransient(error: ChainError): boolean {
  return error.kind === 'unavailable' && TRANSIENT_CODES.has(codeOf(error.cause));
}

interface Credentials {
  header(): Promise<Record<string, string>>;
  /** Whether there is something newer to try after a refusal. */
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
