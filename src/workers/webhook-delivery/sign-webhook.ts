import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

export interface UnsignedMessage {
  readonly id: string;
  /** Time of this attempt, seconds since the epoch. */
  readonly timestampSeconds: number;
  /** The body exactly as it goes over the wire. */
  readonly body: string;
}

export interface SignedMessage {
  readonly headers: Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>>;
  /** The body in UTF-8. */
  readonly body: Buffer;
}

/**
 * The request by Standard Webhooks 1.0.0: the body, and the three headers that every webhook
 * carries. `webhook-signature` has one `v1,<base64>` for each secret, separated by blanks, so that
 * receivers with either secret accept it during a rotation.
 * @param keys keys of the secrets; at least one.
 */
export function signWebhook(message: UnsignedMessage, keys: readonly KeyObject[]): SignedMessage {
  if (keys.length === 0) throw new Error('the webhook has no signing secret');
  const { id } = message;
  const timestamp = String(message.timestampSeconds);
  const body = Buffer.from(message.body);
  const signatures = keys.map((key) => {
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body);
    return `v1,${mac.digest('base64')}`;
  });
  return {
    headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') },
    body,
  };
}

/** The `webhook-signature` header alone; secrets in the form `whsec_` + base64, or their keys. */
export function webhookSignatureHeader(
  message: UnsignedMessage,
  secrets: readonly (string | KeyObject)[],
): string {
  return webhookSignatureHeaders(message, secrets)['webhook-signature'];
}

/** The three headers every webhook carries. */
export function webhookSignatureHeaders(
  message: UnsignedMessage,
  secrets: readonly (string | KeyObject)[],
): SignedMessage['headers'] {
  const keys = secrets.map((secret) => (typeof secret === 'string' ? signingKey(secret) : secret));
  return signWebhook(message, keys).headers;
}

/** The key of a secret `whsec_` + base64. @throws when the secret has another form. */
export function signingKey(secret: string): KeyObject {
  if (!secret.startsWith(SECRET_PREFIX)) throw new Error('a webhook secret must start with whsec_');
  const bytes = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  // The standard requires 24 to 64 bytes; a mangled secret would also decode to fewer.
  if (bytes.length < 24 || bytes.length > 64) throw new Error('a webhook secret must have 24 to 64 bytes');
  return createSecretKey(bytes);
}
