import { hash } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
/** Block size and digest size of SHA-256. */
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;

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
 * Signs by HMAC-SHA256 (RFC 2104) under one secret. The key's two padded blocks are prepared once, so
 * that a signature is two one-shot hashes: garbage collection of `createHmac` objects would cost more
 * than the hashing.
 */
export class SigningKey {
  readonly #inner = Buffer.alloc(BLOCK_BYTES, 0x36);
  /** The outer padded key, with room for the inner digest. */
  readonly #outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, 0x5c);

  /** @param key at most 64 bytes */
  constructor(key: Uint8Array) {
    if (key.length > BLOCK_BYTES) throw new Error('the key must fit a block');
    for (const [at, byte] of key.entries()) {
      this.#inner[at] = byte ^ 0x36;
      this.#outer[at] = byte ^ 0x5c;
    }
  }

  /** @param room one block, which is overwritten, followed by the bytes to sign */
  sign(room: Buffer): string {
    this.#inner.copy(room);
    this.#outer.write(hash('sha256', room, 'hex'), BLOCK_BYTES, 'hex');
    return hash('sha256', this.#outer, 'base64');
  }
}

/**
 * The request by Standard Webhooks 1.0.0: the body, and the three headers that every webhook
 * carries. `webhook-signature` has one `v1,<base64>` for each secret, separated by blanks, so that
 * receivers with either secret accept it during a rotation.
 * @param keys keys of the secrets; at least one.
 */
export function signed(message: UnsignedMessage, keys: readonly SigningKey[]): SignedMessage {
  if (keys.length === 0) throw new Error('a webhook cannot go out unsigned');
  const { id, body } = message;
  const timestamp = String(message.timestampSeconds);
  const before = `${id}.${timestamp}.`;
  const bodyAt = BLOCK_BYTES + Buffer.byteLength(before);
  const room = Buffer.allocUnsafe(bodyAt + Buffer.byteLength(body));
  room.write(before, BLOCK_BYTES);
  room.write(body, bodyAt);
  let signature = '';
  for (const key of keys) signature += `${signature === '' ? '' : ' '}v1,${key.sign(room)}`;
  return {
    headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature },
    body: room.subarray(bodyAt),
  };
}

/** The `webhook-signature` header alone; secrets in the form `whsec_` + base64, or their keys. */
export function signatureHeader(message: UnsignedMessage, secrets: readonly (string | SigningKey)[]): string {
  return signatureHeaders(message, secrets)['webhook-signature'];
}

/** The three headers every webhook carries. */
export function signatureHeaders(
  message: UnsignedMessage,
  secrets: readonly (string | SigningKey)[],
): SignedMessage['headers'] {
  const keys = secrets.map((secret) => (typeof secret === 'string' ? signingKey(secret) : secret));
  return signed(message, keys).headers;
}

/**
 * The key of a secret `whsec_` + base64: preparing it takes several times as long as signing with it.
 * @throws when the secret has another form.
 */
export function signingKey(secret: string): SigningKey {
  if (!secret.startsWith(SECRET_PREFIX)) throw new Error('a webhook secret must start with whsec_');
  const bytes = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  // The standard requires 24 to 64 bytes; a mangled secret would also decode to fewer.
  if (bytes.length < 24 || bytes.length > 64) throw new Error('a webhook secret must hold 24 to 64 bytes');
  return new SigningKey(bytes);
}
