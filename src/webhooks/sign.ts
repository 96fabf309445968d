import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

export interface SignedMessage {
  readonly id: string;
  /** Seconds since the epoch, of this attempt. */
  readonly timestampSeconds: number;
  /** The body exactly as it goes over the wire. */
  readonly body: string;
}

/**
 * The `webhook-signature` header of Standard Webhooks 1.0.0: one `v1,<base64>` for each secret, set
 * apart by blanks, so that receivers with either secret agree during a rotation.
 * @param secrets in the form `whsec_` + base64, or keys made of them; at least one.
 */
export function signatureHeader(message: SignedMessage, secrets: readonly (string | KeyObject)[]): string {
  if (secrets.length === 0) throw new Error('a webhook cannot go out unsigned');
  const signed = `${message.id}.${message.timestampSeconds}.${message.body}`;
  return secrets
    .map((secret) => {
      const key = typeof secret === 'string' ? signingKey(secret) : secret;
      return `v1,${createHmac('sha256', key).update(signed, 'utf8').digest('base64')}`;
    })
    .join(' ');
}

/** The three headers every webhook carries. */
export function signatureHeaders(
  message: SignedMessage,
  secrets: readonly (string | KeyObject)[],
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestampSeconds),
    'webhook-signature': signatureHeader(message, secrets),
  };
}

/**
 * The key of a secret `whsec_` + base64: making it takes several times as long as signing with it.
 * @throws when it is no such secret.
 */
export function signingKey(secret: string): KeyObject {
  if (!secret.startsWith(SECRET_PREFIX)) throw new Error('a webhook secret must start with whsec_');
  const bytes = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  // The standard asks for 24 to 64 bytes; less would also be what a mangled secret decodes to.
  if (bytes.length < 24 || bytes.length > 64) throw new Error('a webhook secret must hold 24 to 64 bytes');
  return createSecretKey(bytes);
}
