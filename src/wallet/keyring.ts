import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { entropyToMnemonic, mnemonicToEntropy, mnemonicToSeed } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import type { Argon2Cost } from '../domain/argon2-cost.ts';
import { decryptKeyring, encryptKeyring, KeyringError } from './keyring-file.ts';
import { createPrivateFile, readPrivateFile } from './private-file.ts';

export { KeyringError } from './keyring-file.ts';

export const KEYRING_FILE = 'keyring.json';
const ENTROPY_BYTES = 32;
const HIDDEN = '[keyring]';

/** The unlocked seed of this daemon. It always prints as `[keyring]`. */
export class Keyring {
  readonly #entropy: Buffer;
  readonly #seed: Buffer;

  private constructor(entropy: Buffer, seed: Buffer) {
    this.#entropy = entropy;
    this.#seed = seed;
  }

  /** Takes ownership of the entropy (wiped by `wipe`); BIP-39 without a BIP-39 passphrase. */
  static async fromEntropy(entropy: Buffer): Promise<Keyring> {
    const seed = await mnemonicToSeed(entropyToMnemonic(entropy, wordlist));
    return new Keyring(entropy, Buffer.from(seed.buffer, seed.byteOffset, seed.byteLength));
  }

  /** Lends the 64-byte BIP-39 seed; the caller must not keep or print it. */
  withSeed<T>(use: (seed: Uint8Array) => T): T {
    return use(this.#seed);
  }

  /** 32 bytes for one purpose, by HKDF-SHA-256 from the seed; keys of other purposes reveal nothing about it. */
  deriveSecret(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#seed, '', `tilld/${purpose}`, 32));
  }

  /** Fingerprint of the seed that reveals nothing about it: ties a database to its keyring. */
  get fingerprint(): string {
    return createHash('sha256').update(this.deriveSecret('fingerprint/v1')).digest('hex').slice(0, 16);
  }

  /** The 24 words, for a backup on paper. Never log them. */
  words(): string {
    return entropyToMnemonic(this.#entropy, wordlist);
  }

  /** Overwrites the seed in memory; the keyring is unusable afterwards. */
  wipe(): void {
    this.#entropy.fill(0);
    this.#seed.fill(0);
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}

export interface KeyringOptions {
  readonly dataDir: string;
  readonly passphrase: string;
  /** KDF cost of new files; existing files store their own. */
  readonly argon2: Argon2Cost;
}

/**
 * Unlocks `keyring.json` of the data directory; at the first start creates it with a new seed.
 * @param options.mayCreate false if the data directory is known to have had a seed: a missing file is then an
 * error instead of a new, empty wallet.
 * @throws {KeyringError} wrong passphrase, corrupt or foreign file. An existing file is never replaced.
 */
export async function openKeyring(
  options: KeyringOptions & { readonly mayCreate: boolean },
): Promise<{ keyring: Keyring; created: boolean }> {
  const path = join(options.dataDir, KEYRING_FILE);
  const text = await readPrivateFile(path);
  if (text !== null) {
    return {
      keyring: await Keyring.fromEntropy(await decryptKeyring(text, options.passphrase)),
      created: false,
    };
  }
  if (!options.mayCreate) {
    throw new KeyringError(
      `${path} is missing, but this data directory already has a wallet: restore the file from a backup, or restore the 24 words`,
    );
  }
  return { keyring: await writeKeyring(path, randomBytes(ENTROPY_BYTES), options), created: true };
}

/**
 * Writes a keyring from its 24 words into a data directory that has none.
 * @throws {KeyringError} if the words are wrong or a keyring already exists.
 */
export async function restoreKeyring(options: KeyringOptions & { readonly words: string }): Promise<Keyring> {
  return writeKeyring(join(options.dataDir, KEYRING_FILE), parseWords(options.words), options);
}

function parseWords(words: string): Buffer {
  const list = words.trim().toLowerCase().split(/\s+/);
  if (list.length !== 24) throw new KeyringError(`expected 24 words, got ${list.length}`);
  const unknown = list.findIndex((word) => !wordlist.includes(word));
  // The word is part of a secret, so the error contains only its position.
  if (unknown !== -1) throw new KeyringError(`word ${unknown + 1} is not in the BIP-39 word list`);
  try {
    return Buffer.from(mnemonicToEntropy(list.join(' '), wordlist));
  } catch {
    throw new KeyringError('the checksum of the 24 words is wrong: check the words and their order');
  }
}

async function writeKeyring(path: string, entropy: Buffer, options: KeyringOptions): Promise<Keyring> {
  const text = await encryptKeyring(entropy, options.passphrase, options.argon2);
  if (!(await createPrivateFile(path, text))) {
    throw new KeyringError(`${path} already exists: a keyring is never overwritten`);
  }
  return Keyring.fromEntropy(entropy);
}
