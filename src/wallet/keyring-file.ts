import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Argon2Cost } from '../domain/argon2-cost.ts';
import { base64Bytes, deriveKey, kdfFields, kdfSchema, newKdf } from './kdf.ts';

/** A keyring cannot be opened or created. The message is for the operator and holds no secret. */
export class KeyringError extends Error {
  override name = 'KeyringError';
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const headerSchema = z.strictObject({
  format: z.literal('tilld-keyring'),
  version: z.literal(1),
  createdAt: z.iso.datetime(),
  kdf: kdfSchema,
  cipher: z.strictObject({ name: z.literal('aes-256-gcm'), nonce: base64Bytes(NONCE_BYTES) }),
});
const fileSchema = headerSchema.extend({ ciphertext: base64Bytes(32), tag: base64Bytes(TAG_BYTES) });

type Header = z.infer<typeof headerSchema>;

/** Encrypts 32 bytes of BIP-39 entropy: argon2id over the passphrase, AES-256-GCM, the header authenticated. */
export async function encryptKeyring(
  entropy: Uint8Array,
  passphrase: string,
  cost: Argon2Cost,
): Promise<string> {
  const header: Header = {
    format: 'tilld-keyring',
    version: 1,
    createdAt: new Date().toISOString(),
    kdf: newKdf(cost),
    cipher: { name: 'aes-256-gcm', nonce: randomBytes(NONCE_BYTES).toString('base64') },
  };
  const key = await deriveKey(passphrase, header.kdf);
  const cipher = createCipheriv('aes-256-gcm', key, Buffer.from(header.cipher.nonce, 'base64'));
  cipher.setAAD(authenticatedBytes(header));
  const ciphertext = Buffer.concat([cipher.update(entropy), cipher.final()]);
  key.fill(0);
  const file = {
    ...header,
    ciphertext: ciphertext.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** @throws {KeyringError} foreign or damaged file, wrong passphrase. */
export async function decryptKeyring(text: string, passphrase: string): Promise<Buffer> {
  const { ciphertext, tag, ...header } = parseFile(text);
  const key = await deriveKey(passphrase, header.kdf);
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(header.cipher.nonce, 'base64'), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(authenticatedBytes(header));
  decipher.setAuthTag(Buffer.from(tag, 'base64'));
  try {
    return Buffer.concat([decipher.update(Buffer.from(ciphertext, 'base64')), decipher.final()]);
  } catch {
    throw new KeyringError('the passphrase does not open keyring.json: it is wrong, or the file was changed');
  } finally {
    key.fill(0);
  }
}

function parseFile(text: string): z.infer<typeof fileSchema> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new KeyringError('keyring.json is damaged (it is not JSON): restore it from a backup');
  }
  const parsed = fileSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const version = z
    .looseObject({ format: z.literal('tilld-keyring'), version: z.int().min(2) })
    .safeParse(json);
  if (version.success) {
    throw new KeyringError(
      `keyring.json has version ${version.data.version}, written by a newer tilld: upgrade this program`,
    );
  }
  const fields = parsed.error.issues.map((issue) => issue.path.join('.') || 'the whole file');
  throw new KeyringError(
    `keyring.json is not a keyring of tilld, or it is damaged (${[...new Set(fields)].join(', ')}): restore it from a backup`,
  );
}

/** The header in one fixed field order, whatever the order in the file. */
function authenticatedBytes({ format, version, createdAt, kdf, cipher }: Header): Buffer {
  return Buffer.from(
    JSON.stringify([format, version, createdAt, kdfFields(kdf), [cipher.name, cipher.nonce]]),
  );
}
