import { createHmac } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { HDKey } from '@scure/bip32';

const { Point } = secp256k1;
const COMPRESSED_BYTES = 33;

/** The public half of a BIP-32 node: enough to derive addresses, not to spend. */
export interface PublicBranch {
  readonly publicKey: Uint8Array;
  readonly chainCode: Uint8Array;
}

/** The public key of a point plus tweak · G. @throws when the result is invalid */
type AddTweak = (publicKey: Uint8Array, tweak: Uint8Array, isCompressed: boolean) => Uint8Array;

/** Bitcoin Core's libsecp256k1; null on a platform for which the package has no binary. */
const native = await import('secp256k1/bindings.js').catch(() => null);
const addTweak: AddTweak = native?.default.publicKeyTweakAdd ?? addTweakByNoble;

/** False if addresses are derived in JavaScript, which takes ten times as long. */
export const hasNativeSecp256k1 = native !== null;

export function publicBranch(node: HDKey): PublicBranch {
  const { publicKey, chainCode } = node;
  if (publicKey === null || chainCode === null) throw new Error('the derived node is incomplete');
  return { publicKey, chainCode };
}

/**
 * The public key of BIP-32 CKDpub for a plain index: parent point + HMAC-SHA-512(chain code, parent key, index) · G.
 * Uses nothing beyond the extended public key.
 */
export function childPublicKey(branch: PublicBranch, index: number, isCompressed: boolean): Uint8Array {
  const data = Buffer.alloc(COMPRESSED_BYTES + 4);
  data.set(branch.publicKey);
  data.writeUInt32BE(index, COMPRESSED_BYTES);
  const digest = createHmac('sha512', branch.chainCode).update(data).digest();
  return addTweak(branch.publicKey, digest.subarray(0, 32), isCompressed);
}

/** As libsecp256k1. */
export function addTweakByNoble(publicKey: Uint8Array, tweak: Uint8Array, isCompressed: boolean): Uint8Array {
  const scalar = Point.Fn.fromBytes(tweak);
  return Point.BASE.multiplyUnsafe(scalar).add(Point.fromBytes(publicKey)).toBytes(isCompressed);
}
