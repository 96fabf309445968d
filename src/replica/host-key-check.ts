import { createHash } from 'node:crypto';

/** Messages of the key exchange (RFC 4253, RFC 5656); curve25519, ECDH and DH all answer with REPLY. */
const DISCONNECT = 1;
const IGNORE = 2;
const DEBUG = 4;
const KEXINIT = 20;
const REPLY = 31;
const MAX_GREETING_BYTES = 255;
const MAX_PACKET_BYTES = 35_000;
const LENGTH_BYTES = 4;
/** At the end of KEXINIT: `first_kex_packet_follows` and four reserved bytes. */
const KEXINIT_TAIL_BYTES = 5;

/** What an SSH server sends is not what a known host would send. The message is for the operator. */
export class HostKeyError extends Error {
  override name = 'HostKeyError';
}

/** Keys of a known_hosts file, as their blobs in base64. Host names are not compared: the file is for one server. */
export function parseKnownHosts(text: string): Set<string> {
  const lines = text.split('\n').map((line) => line.trim());
  const keys = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => /^\S+ (?:ssh|ecdsa)-\S+ ([A-Za-z0-9+/]+=*)(?: |$)/.exec(line)?.[1]);
  if (keys.length === 0 || keys.includes(undefined))
    throw new HostKeyError(
      'the file of known hosts must hold lines as ssh-keyscan writes them, and nothing else',
    );
  return new Set(keys.filter((key) => key !== undefined));
}

/**
 * Reads what an SSH server sends up to its host key, which it shows before anything is encrypted. The client proves
 * by the signature beside it that the server has that key, but does not ask whose it is.
 */
export class HostKeyCheck {
  readonly #known: ReadonlySet<string>;
  #bytes = Buffer.alloc(0);
  #hasGreeted = false;
  #hasOffered = false;
  #isDone = false;

  constructor(known: ReadonlySet<string>) {
    this.#known = known;
  }

  /**
   * Takes what the server sent.
   * @returns what of it the client may have; after the host key that is everything
   * @throws {HostKeyError}
   */
  take(chunk: Buffer): Buffer {
    if (this.#isDone) return chunk;
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    const passed: Buffer[] = [];
    for (let next = this.#next(); next !== null; next = this.#next()) passed.push(next);
    if (this.#isDone) passed.push(this.#bytes);
    return Buffer.concat(passed);
  }

  /** The greeting or a packet, checked; null until the rest of it arrives. */
  #next(): Buffer | null {
    if (this.#isDone) return null;
    return this.#hasGreeted ? this.#packet() : this.#greeting();
  }

  #greeting(): Buffer | null {
    const end = this.#bytes.indexOf('\n');
    if (end === -1 && this.#bytes.length <= MAX_GREETING_BYTES) return null;
    const line = this.#cut(end + 1);
    if (end > MAX_GREETING_BYTES || !line.toString('latin1').startsWith('SSH-2.0-'))
      throw new HostKeyError('the server does not speak SSH');
    this.#hasGreeted = true;
    return line;
  }

  #packet(): Buffer | null {
    if (this.#bytes.length < LENGTH_BYTES) return null;
    const length = this.#bytes.readUInt32BE(0);
    if (length < 2 || length > MAX_PACKET_BYTES) throw new HostKeyError('the server sends no SSH packets');
    if (this.#bytes.length < LENGTH_BYTES + length) return null;
    const packet = this.#cut(LENGTH_BYTES + length);
    const padding = packet.readUInt8(LENGTH_BYTES);
    this.#check(packet.subarray(LENGTH_BYTES + 1, Math.max(LENGTH_BYTES + 1, packet.length - padding)));
    return packet;
  }

  #check(payload: Buffer): void {
    const type = payload[0];
    if (type === DISCONNECT || type === IGNORE || type === DEBUG) return;
    if (type === KEXINIT && !this.#hasOffered) {
      // After a guess the client ignores a packet, and the next one would hold the host key.
      if (payload.at(-KEXINIT_TAIL_BYTES) !== 0)
        throw new HostKeyError('the server guesses the key exchange');
      this.#hasOffered = true;
      return;
    }
    if (type !== REPLY || !this.#hasOffered)
      throw new HostKeyError(`the server sends message ${type ?? 'nothing'} in place of its host key`);
    const key = hostKeyOf(payload);
    if (!this.#known.has(key.toString('base64'))) {
      const fingerprint = createHash('sha256').update(key).digest('base64').replace(/=+$/, '');
      throw new HostKeyError(
        `the SFTP server has a host key that is not in the file of known hosts (SHA256:${fingerprint})`,
      );
    }
    this.#isDone = true;
  }

  #cut(length: number): Buffer {
    const cut = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return cut;
  }
}

function hostKeyOf(reply: Buffer): Buffer {
  const length = reply.length < 1 + LENGTH_BYTES ? 0 : reply.readUInt32BE(1);
  const start = 1 + LENGTH_BYTES;
  if (length === 0 || start + length > reply.length) throw new HostKeyError('the server sends no host key');
  return reply.subarray(start, start + length);
}
