import type { KeyObject } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Clock } from '../../domain/ports.ts';
import { EgressError } from '../../egress/egress-error.ts';
import { guardedFetch, type EgressPolicy, type GuardedResponse } from '../../egress/guarded-fetch.ts';
import { parseRetryAfter } from './retry-schedule.ts';
import { signWebhook } from './sign-webhook.ts';

/** Limit of a response body; the remainder is cut off. */
const MAX_RESPONSE_BYTES = 64 * 1024;

const UTF8 = new TextDecoder();

export interface PostWebhookDeps {
  readonly clock: Clock;
  readonly egress: EgressPolicy;
  /** Timeout of one whole attempt: DNS, connect, TLS, request, response, body. */
  readonly attemptLimitMs: number;
}

export interface Message {
  /** The event's id: the same at every attempt and redelivery. */
  readonly id: string;
  readonly url: string;
  /** The frozen body, sent byte for byte. */
  readonly body: string;
  /** Keys of the secrets to sign with; at least one. */
  readonly keys: readonly KeyObject[];
}

/** One attempt as logged. */
export interface Attempt {
  /** HTTP status of the response; 0 without one. */
  readonly status: number;
  /** The reason why it did not succeed; null for a 2xx. */
  readonly error: string | null;
  readonly endedAt: number;
  readonly durationMs: number;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  readonly retryAfterMs: number | null;
}

/**
 * Makes one attempt: signs and posts the frozen body. Any response, or none, is a result.
 * @throws {EgressError} `aborted` only, when the signal aborted it: its outcome is then unknown.
 */
export async function postWebhook(
  deps: PostWebhookDeps,
  message: Message,
  signal: AbortSignal,
): Promise<Attempt> {
  const startedMs = performance.now();
  const timestampSeconds = Math.floor(deps.clock.now() / 1000);
  const { headers, body } = signWebhook(
    { id: message.id, timestampSeconds, body: message.body },
    message.keys,
  );
  const requestHeaders = {
    'content-type': 'application/json',
    'user-agent': 'tilld-webhooks/1',
    ...headers,
  };
  try {
    const response = await guardedFetch(deps.egress, {
      method: 'POST',
      url: message.url,
      headers: requestHeaders,
      body,
      timeoutMs: deps.attemptLimitMs,
      maxBodyBytes: MAX_RESPONSE_BYTES,
      signal,
    });
    const { status } = response;
    // A 2xx with an endless body still counts as success; an aborted one may come from a failing proxy.
    const broken = response.bodyEnd === 'broken';
    const isSuccess = status >= 200 && status < 300;
    const endedAt = deps.clock.now();
    return {
      status: isSuccess && broken ? 0 : status,
      error: toDeliveryError(status, broken),
      endedAt,
      durationMs: Math.round(performance.now() - startedMs),
      requestHeaders,
      responseHeaders: loggable(response.headers),
      responseBody: UTF8.decode(response.body),
      retryAfterMs: readRetryAfter(response, endedAt),
    };
  } catch (error) {
    if (!(error instanceof EgressError) || error.kind === 'aborted') throw error;
    return {
      status: 0,
      error: `${error.kind}: ${error.message}`,
      endedAt: deps.clock.now(),
      durationMs: Math.round(performance.now() - startedMs),
      requestHeaders,
      responseHeaders: {},
      responseBody: '',
      retryAfterMs: null,
    };
  }
}

function toDeliveryError(status: number, broken: boolean): string | null {
  if (status >= 200 && status < 300) {
    return broken ? `network: connection lost in the middle of a ${status} answer` : null;
  }
  if (status >= 300 && status < 400) return `redirect: ${status} answers are not followed`;
  return `status: ${status}`;
}

/** Cookies are credentials of the receiver's server, so the log does not keep them. */
function loggable(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return 'set-cookie' in headers ? { ...headers, 'set-cookie': '[redacted]' } : headers;
}

function readRetryAfter({ status, headers }: GuardedResponse, now: number): number | null {
  if (status !== 429 && status !== 503) return null;
  return parseRetryAfter(headers['retry-after'], now);
}
