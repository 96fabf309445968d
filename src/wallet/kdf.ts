import { randomBytes } from 'node:crypto';
import { argon2id, hash } from 'argon2';
import { z } from 'zod';
import type { Argon2Cost } from '../domain/argon2-cost.ts';

const KEY_BYTES = 32;
const SALT_BYTES = 16;
const ARGON2_VERSION = 0x13;

/** Base64 of exactly this many bytes. */
export const base64Bytes = (length: number) =>
  z.base64().refine((text) => Buffer.from(text, 'base64').length === length, `must be ${length} bytes`);

/** Bounds, so that a crafted file cannot exhaust memory before its passphrase is checked. */
export const kdfSchema = z.strictObject({
  name: z.literal('argon2id'),
  version: z.literal(ARGON2_VERSION),
  memoryKiB: z.int().min(8).max(4_194_304),
  iterations: z.int().min(1).max(1000),
  parallelism: z.int().min(1).max(64),
  salt: base64Bytes(SALT_BYTES),
});

/** Key derivation parameters, as stored in the file. */
export type Kdf = z.infer<typeof kdfSchema>;

/** Parameters of a new file, with a salt of its own. */
export function newKdf({ memoryKiB, iterations, parallelism }: Argon2Cost): Kdf {
  const salt = randomBytes(SALT_BYTES).toString('base64');
  return { name: 'argon2id', version: ARGON2_VERSION, memoryKiB, iterations, parallelism, salt };
}

/** Derives the 32-byte key of a passphrase, independent of its Unicode form. Wipe it after use. */
export async function deriveKey(passphrase: string, kdf: Kdf): Promise<Buffer> {
  return hash(passphrase.normalize('NFKC'), {
    raw: true,
    type: argon2id,
    version: kdf.version,
    memoryCost: kdf.memoryKiB,
    timeCost: kdf.iterations,
    parallelism: kdf.parallelism,
    salt: Buffer.from(kdf.salt, 'base64'),
    hashLength: KEY_BYTES,
  });
}

/** The parameters in one fixed order, for authentication. */
export function kdfFields(kdf: Kdf): readonly (string | number)[] {
  return [kdf.name, kdf.version, kdf.memoryKiB, kdf.iterations, kdf.parallelism, kdf.salt];
}
