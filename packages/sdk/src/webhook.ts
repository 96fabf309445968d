import type { WebhookEvent } from './contract.ts';

/**
 * Why a request is rejected as a webhook: `no_raw_body` (the body was parsed before, so that its bytes are
 * lost), `headers` (webhook headers missing), `clock` (too old or too new), `wrong_secret` (signed with none
 * of these, or altered), `body` (signed, but not an event).
 */
export type WebhookErrorReason = 'no_raw_body' | 'headers' | 'clock' | 'wrong_secret' | 'body';

export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly reason: WebhookErrorReason;

  constructor(reason: WebhookErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Headers of fetch, or of Node. */
export type WebhookHeaders =
  { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Maximum clock difference in seconds; 300 by default. */
  readonly toleranceSeconds?: number;
}

const encoder = new TextEncoder();

/**
 * The event of a webhook, once its signature (Standard Webhooks) and its time are verified.
 * @param rawBody the bytes or the text of the request body, not parsed
 * @param secrets `whsec_…`, or several during a rotation
 * @throws {WebhookError} with the reason
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const body = toText(rawBody);
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  checkTimestamp(timestamp, options.toleranceSeconds ?? 300);
  const given = header(headers, 'webhook-signature').split(' ');
  const signed = encoder.encode(`${id}.${timestamp}.${body}`);
  if (!(await isSigned(signed, given, [secrets].flat()))) {
    throw new WebhookError('wrong_secret', 'signed with another secret, or changed in transit');
  }
  const event = parse(body);
  if (event === null) throw new WebhookError('body', 'signed correctly, but not an event of tilld');
  return event;
}

/** The headers of tilld for this body: for tests of a webhook handler. */
export async function signForTest(
  rawBody: string,
  secret: string,
  { id = 'evt_test', timestamp = Math.floor(Date.now() / 1000) } = {},
): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const key = await hmacKey(secret, 'sign');
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(`${id}.${timestamp}.${rawBody}`));
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`,
  };
}

function toText(rawBody: unknown): string {
  if (typeof rawBody === 'string') return rawBody;
  // Not instanceof, because in some test runners the bytes come from another realm.
  if (ArrayBuffer.isView(rawBody) || Object.prototype.toString.call(rawBody) === '[object ArrayBuffer]') {
    // Malformed bytes decode to others than those that were signed, and are rejected as altered.
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(rawBody as ArrayBuffer);
  }
  throw new WebhookError('no_raw_body', 'requires the raw body as bytes or text, not a parsed one');
}

function header(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers['get'] === 'function'
      ? (headers as { get(name: string): string | null }).get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookError('headers', `the header ${name} is missing`);
}

function checkTimestamp(timestamp: string, toleranceSeconds: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookError('headers', 'webhook-timestamp is not a time');
  const ahead = Math.round(Number(timestamp) - Date.now() / 1000);
  if (Math.abs(ahead) <= toleranceSeconds) return;
  const message = `sent ${Math.abs(ahead)} s ${ahead < 0 ? 'ago' : 'in the future'}: an old request, or a wrong clock`;
  throw new WebhookError('clock', message);
}

/** WebCrypto compares in constant time. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: readonly string[],
  secrets: readonly string[],
): Promise<boolean> {
  if (secrets.length === 0) throw new TypeError('no secret to verify webhooks with');
  const macs = signatures.flatMap((text) =>
    text.startsWith('v1,') ? (fromBase64(text.slice(3)) ?? []) : [],
  );
  const keys = await Promise.all(secrets.map((secret) => hmacKey(secret, 'verify')));
  const checks = keys.flatMap((key) => macs.map((mac) => crypto.subtle.verify('HMAC', key, mac, signed)));
  return (await Promise.all(checks)).includes(true);
}

async function hmacKey(secret: string, use: 'sign' | 'verify') {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (bytes === null || bytes.length === 0) throw new TypeError('a webhook secret is whsec_ and base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}

function fromBase64(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

function parse(body: string): WebhookEvent | null {
  try {
    const value = JSON.parse(body) as Partial<WebhookEvent> | null;
    return typeof value?.type === 'string' && typeof value.data === 'object' && value.data !== null
      ? (value as WebhookEvent)
      : null;
  } catch {
    return null;
  }
}
