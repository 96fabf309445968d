import { createHash, createPublicKey, verify } from 'node:crypto';

/**
 * Verifies signatures of `ssh-keygen -Y sign` (PROTOCOL.sshsig of OpenSSH) without that program, which the container
 * image does not have. Ed25519 only; the cryptography is that of Node.
 */

const MAGIC = Buffer.from('SSHSIG');
const ALGORITHM = 'ssh-ed25519';
/** The head of an Ed25519 key as SubjectPublicKeyInfo (RFC 8410). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const ARMOR = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)-----END SSH SIGNATURE-----\s*$/;

export interface SignatureTerms {
  /** Whose key it must be, as the file of allowed signers names it. */
  readonly identity: string;
  readonly namespace: string;
}

/**
 * Checks a detached signature against a file of allowed signers. Only its plain lines count: `identity ssh-ed25519 KEY`.
 * A line with options (`valid-before`, `namespaces`, `cert-authority`) is ignored, because options restrict the key.
 * @throws {Error} that says why it is not valid
 */
export function verifySshSignature(
  signed: { readonly message: Uint8Array; readonly armored: string; readonly allowedSigners: string },
  { identity, namespace }: SignatureTerms,
): void {
  const { message, armored, allowedSigners } = signed;
  const signature = parseSignature(armored);
  const keys = plainKeys(allowedSigners, identity);
  if (keys.length === 0) throw new Error(`the allowed signers have no ${ALGORITHM} key of ${identity}`);
  if (!keys.some((key) => key.equals(signature.publicKey)))
    throw new Error(`the signature is not by a key of ${identity}`);
  if (signature.namespace !== namespace)
    throw new Error(`the signature is not for ${namespace} but for ${signature.namespace}`);
  const hash = createHash(signature.hash).update(message).digest();
  const data = Buffer.concat([
    MAGIC,
    ...[Buffer.from(namespace), Buffer.alloc(0), Buffer.from(signature.hash), hash].map(field),
  ]);
  const key = createPublicKey({
    key: Buffer.concat([SPKI_HEAD, takeKey(signature.publicKey)]),
    format: 'der',
    type: 'spki',
  });
  if (!verify(null, data, key, signature.bytes)) throw new Error('the signature does not match the file');
}

interface ParsedSignature {
  /** In the form of the SSH protocol. */
  readonly publicKey: Buffer;
  readonly namespace: string;
  readonly hash: 'sha256' | 'sha512';
  readonly bytes: Buffer;
}

function parseSignature(armored: string): ParsedSignature {
  const [, base64] = ARMOR.exec(armored.replaceAll('\r', '')) ?? [];
  if (base64 === undefined) throw new Error('it is not an SSH signature');
  const reader = new Reader(Buffer.from(base64, 'base64'));
  if (!reader.take(MAGIC.length).equals(MAGIC)) throw new Error('it is not an SSH signature');
  if (reader.take(4).readUInt32BE() !== 1) throw new Error('the version of the signature is unknown');
  const publicKey = reader.field();
  const namespace = reader.field().toString();
  reader.field();
  const hash = reader.field().toString();
  if (hash !== 'sha256' && hash !== 'sha512') throw new Error('the hash of the signature is unknown');
  const signature = new Reader(reader.field());
  if (signature.field().toString() !== ALGORITHM) throw new Error(`the signature is not ${ALGORITHM}`);
  return { publicKey, namespace, hash, bytes: signature.field() };
}

function takeKey(publicKey: Buffer): Buffer {
  const reader = new Reader(publicKey);
  const [type, key] = [reader.field().toString(), reader.field()];
  if (type !== ALGORITHM || key.length !== 32) throw new Error(`the key is not ${ALGORITHM}`);
  return key;
}

function plainKeys(allowedSigners: string, identity: string): Buffer[] {
  return allowedSigners
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([names = '', type]) => names.split(',').includes(identity) && type === ALGORITHM)
    .map(([, , key = '']) => Buffer.from(key, 'base64'));
}

/** A `string` of the SSH protocol: its length in four bytes, then its bytes. */
function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(length: number): Buffer {
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    if (taken.length < length) throw new Error('the signature is cut off');
    this.#at += length;
    return taken;
  }

  field(): Buffer {
    return this.take(this.take(4).readUInt32BE());
  }
}
