import { createHmac, createPrivateKey, createPublicKey } from 'node:crypto';
import { HARDENED_OFFSET } from '@scure/bip32';

/** A SLIP-0010 ed25519 node: every child is hardened, so it always holds the private half. */
export interface Ed25519Node {
  /** The ed25519 seed, 32 bytes. */
  readonly privateKey: Buffer;
  readonly chainCode: Buffer;
}

const MASTER_KEY = 'ed25519 seed';

/** The node of a seed at m / index' / index' …, by SLIP-0010. */
export function ed25519NodeAt(seed: Uint8Array, path: readonly number[]): Ed25519Node {
  let node = toNode(createHmac('sha512', MASTER_KEY).update(seed).digest());
  for (const index of path) {
    const parent = node;
    node = hardenedChild(parent, index);
    wipeNode(parent);
  }
  return node;
}

/** Child `index'`. */
export function hardenedChild(parent: Ed25519Node, index: number): Ed25519Node {
  const data = Buffer.alloc(37);
  data.set(parent.privateKey, 1);
  data.writeUInt32BE(index + HARDENED_OFFSET, 33);
  const digest = createHmac('sha512', parent.chainCode).update(data).digest();
  data.fill(0);
  return toNode(digest);
}

export function wipeNode({ privateKey, chainCode }: Ed25519Node): void {
  privateKey.fill(0);
  chainCode.fill(0);
}

function toNode(digest: Buffer): Ed25519Node {
  return { privateKey: digest.subarray(0, 32), chainCode: digest.subarray(32) };
}

/**
 * Public key of an ed25519 seed (RFC 8032). OpenSSL takes a quarter of the time of JavaScript, and raw key bytes
 * avoid parsing PEM.
 */
export function ed25519PublicKey(seed: Buffer): Buffer {
  const key = createPrivateKey({ key: seed, format: 'raw-private', asymmetricKeyType: 'ed25519' });
  return createPublicKey(key).export({ format: 'raw-public' });
}
