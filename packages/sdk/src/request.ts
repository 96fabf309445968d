import { TilldError, type ErrorCode, type FieldProblem } from './errors.ts';
import type { Method } from './contract.ts';

export interface TilldOptions {
  /** Base URL of the daemon, such as `https://pay.shop.example`. */
  readonly baseUrl: string;
  /** A secret, restricted or public key, or a user token. */
  readonly key?: string;
  /** Replaces the global fetch: for tests, proxies, logs. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Timeout of one attempt, its response included; 30 s by default. */
  readonly timeoutMs?: number;
  /** Retries of transient failures; 2 by default. */
  readonly retries?: number;
  /** No retry begins later than this after the first attempt; 60 s by default. */
  readonly retryBudgetMs?: number;
  /** Called for every failure that is retried. */
  readonly onRetry?: (error: TilldError, pauseMs: number) => void;
}

export interface CallOptions {
  /** Makes a request idempotent: a repeat with the same key has no further effect. Random by default. */
  readonly idempotencyKey?: string;
  /** Selects the shop, with a user token; a key names its own. */
  readonly merchantId?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly retries?: number;
}

/** For movements of money: the key must come from the caller, who still has it after a crash. */
export interface MoneyOptions extends CallOptions {
  readonly idempotencyKey: string;
}

type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface ApiRequest {
  readonly method: Method;
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: unknown;
  readonly options?: CallOptions | undefined;
  /** Responses without the envelope of the API. */
  readonly as?: 'text' | 'json';
}

/** Sends a request, with retries of transient failures. @throws {TilldError} */
export type Call = (request: ApiRequest) => Promise<unknown>;

const FIRST_PAUSE_MS = 500;
/** A longer timer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createCall(client: TilldOptions): Call {
  const base = toBaseUrl(client.baseUrl);
  checkKey(client.key);
  const { retries = 2, retryBudgetMs = 60_000, onRetry } = client;
  return async (request) => {
    const { options = {} } = request;
    const url = `${base}${request.path}${buildQuery(request)}`;
    const prepared = { ...request, headers: buildHeaders(client, request), text: toJson(request.body) };
    const attempts = options.retries ?? retries;
    const end = Date.now() + retryBudgetMs;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await attemptOnce(client, url, prepared);
      } catch (error) {
        if (!(error instanceof TilldError) || !error.retryable || attempt >= attempts) throw error;
        const pause = error.retryAfterMs ?? backoff(attempt);
        if (Date.now() + pause > end) throw error;
        onRetry?.(error, pause);
        await sleep(pause, options.signal);
      }
    }
  };
}

/** Half a second, doubled each time, with a jitter of a quarter. */
export function backoff(attempt: number): number {
  return FIRST_PAUSE_MS * 2 ** attempt * (0.75 + Math.random() / 2);
}

/** Resolves early, without an error, when the signal is aborted. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, LONGEST_TIMER_MS));
    signal?.addEventListener('abort', end);
  });
}

function toBaseUrl(url: string): string {
  const isPlain = URL.canParse(url) && /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/.test(url);
  // Not in the error, because it may contain a password.
  if (!isPlain)
    throw new TypeError('baseUrl must be an http or https address without user, query and fragment');
  return url.replace(/\/+$/, '');
}

/** Errors end up in logs, so the key is in no message. */
function checkKey(key: string | undefined): void {
  if (key === undefined) return;
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('key: empty, or with blanks or line breaks in it');
  const isPage = 'document' in globalThis;
  if (isPage && /^[sr]k_/.test(key)) {
    throw new TypeError('key: a secret or restricted key must never be in a web page, use the public one');
  }
}

function buildHeaders(client: TilldOptions, { method, body, options }: ApiRequest): Record<string, string> {
  const key = options?.idempotencyKey;
  if (key !== undefined && !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new TypeError('idempotencyKey must have 1 to 255 printable ASCII characters');
  }
  return {
    ...(client.key === undefined ? {} : { authorization: `Bearer ${client.key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(method === 'POST' ? { 'idempotency-key': key ?? randomText() } : {}),
  };
}

/** 32 random bytes as base64url: for keys, verifiers and states. */
export function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

export function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

function buildQuery({ query = {}, options }: ApiRequest): string {
  const given: Query = { merchantId: options?.merchantId, ...query };
  const parts = Object.entries(given).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  );
  return parts.length === 0 ? '' : `?${new URLSearchParams(parts)}`;
}

function toJson(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body);
}

interface Prepared extends ApiRequest {
  readonly headers: Record<string, string>;
  readonly text: string | undefined;
}

async function attemptOnce(client: TilldOptions, url: string, request: Prepared): Promise<unknown> {
  const { text, options } = request;
  const signal = options?.signal;
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timeoutMs = options?.timeoutMs ?? client.timeoutMs ?? 30_000;
  const timer = setTimeout(abort, Math.min(timeoutMs, LONGEST_TIMER_MS));
  signal?.addEventListener('abort', abort);
  try {
    if (signal?.aborted === true) abort();
    const ask = client.fetch ?? fetch;
    const response = await ask(url, {
      method: request.method,
      headers: request.headers,
      ...(text === undefined ? {} : { body: text }),
      // A redirected POST would become a GET, and send the key to another server.
      redirect: 'manual',
      signal: controller.signal,
    });
    return read(request, response, await response.text());
  } catch (cause) {
    if (cause instanceof TilldError) throw cause;
    const where = `${request.method} ${request.path}`;
    if (signal?.aborted === true) throw failed('ABORTED', `${where}: given up by the caller`, signal.reason);
    if (controller.signal.aborted) throw failed('TIMED_OUT', `${where}: no answer in time`, cause);
    throw failed('NO_ANSWER', `${where}: no answer (${describeCause(cause)})`, cause);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

function failed(code: ErrorCode, message: string, cause: unknown): TilldError {
  return new TilldError({ code, message, cause });
}

/** Node's message is only `fetch failed`; the cause has the reason. */
function describeCause(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string } };
  return [message, cause?.code].filter((part) => part !== undefined).join(', ');
}

interface Envelope {
  readonly success?: boolean;
  readonly error?: { code?: ErrorCode; message?: string; details?: FieldProblem[] } | null;
  readonly data?: unknown;
}

function read({ method, path, as }: ApiRequest, response: Response, text: string): unknown {
  if (as === 'text' && response.ok) return text;
  const answer = parse(text);
  if (as === 'json' && response.ok && answer !== null) return answer;
  if (answer?.success === true && response.ok) return answer.data;
  // A daemon that is not ready responds with 503 and the reason.
  if (path === '/readyz' && typeof answer?.data === 'object' && answer.data !== null) return answer.data;
  const { status, headers } = response;
  const redirects = response.type === 'opaqueredirect' || (status >= 300 && status < 400);
  const what = redirects ? 'a redirect, check baseUrl' : `${status}, not in the terms of the API`;
  throw new TilldError({
    code: answer?.error?.code ?? 'UNREADABLE',
    message: answer?.error?.message ?? `${method} ${path} was answered with ${what}`,
    status,
    details: answer?.error?.details,
    requestId: headers.get('x-request-id'),
    retryAfterMs: retryAfter(headers.get('retry-after')),
  });
}

function parse(text: string): Envelope | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** Seconds or a date. */
function retryAfter(header: string | null): number | null {
  if (header === null) return null;
  const ms = /^[\d.-]+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) && ms >= 0 ? ms : null;
}
