import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Argon2Cost } from '../domain/argon2-cost.ts';
import { base64Bytes, deriveKey, kdfSchema, newKdf } from '../wallet/kdf.ts';
import { BackupError } from './backup-error.ts';

/** Files of a backup, in this order. */
export const ARCHIVED = ['keyring.json', 'tilld.sqlite'] as const;

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CHECK_BYTES = 16;
const MAX_HEADER_BYTES = 4096;
const CHUNK_BYTES = 1024 * 1024;
/** AES-GCM must not encrypt more than 64 GiB under one nonce (NIST SP 800-38D). */
const MAX_BYTES = 60 * 1024 ** 3;

const headerSchema = z.strictObject({
  format: z.literal('tilld-backup'),
  version: z.literal(1),
  createdAt: z.iso.datetime(),
  kdf: kdfSchema,
  /** Distinguishes a wrong passphrase from a damaged file before the content is read. */
  check: base64Bytes(CHECK_BYTES),
  cipher: z.strictObject({ name: z.literal('aes-256-gcm'), nonce: base64Bytes(NONCE_BYTES) }),
  files: z
    .array(z.strictObject({ name: z.enum(ARCHIVED), size: z.int().nonnegative() }))
    .length(ARCHIVED.length),
});
type Header = z.infer<typeof headerSchema>;

/**
 * Encrypts the files of a folder into one new file of mode 0600, synced to the disk: a JSON header line,
 * then one AES-256-GCM stream that authenticates the header too, then its tag. Uses constant memory for
 * files of any size.
 */
export async function encryptArchive(options: {
  readonly dir: string;
  readonly target: string;
  readonly passphrase: string;
  readonly cost: Argon2Cost;
  readonly createdAt: Date;
}): Promise<void> {
  const { dir, target, passphrase, cost, createdAt } = options;
  const files = await Promise.all(
    ARCHIVED.map(async (name) => ({ name, size: (await stat(join(dir, name))).size })),
  );
  if (sumBytes(files) > MAX_BYTES)
    throw new BackupError('the database is larger than a backup can hold (60 GiB)');
  const kdf = newKdf(cost);
  const key = await deriveKey(passphrase, kdf);
  const nonce = randomBytes(NONCE_BYTES);
  const header: Header = {
    format: 'tilld-backup',
    version: 1,
    createdAt: createdAt.toISOString(),
    kdf,
    check: keyCheck(key).toString('base64'),
    cipher: { name: 'aes-256-gcm', nonce: nonce.toString('base64') },
    files,
  };
  const head = Buffer.from(`${JSON.stringify(header)}\n`);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  key.fill(0);
  cipher.setAAD(head);
  const out = await open(target, 'wx', 0o600);
  try {
    await out.writeFile(head);
    for (const { name } of files) {
      for await (const chunk of createReadStream(join(dir, name), { highWaterMark: CHUNK_BYTES })) {
        await out.writeFile(cipher.update(chunk as Buffer));
      }
    }
    await out.writeFile(Buffer.concat([cipher.final(), cipher.getAuthTag()]));
    await out.sync();
  } finally {
    await out.close();
  }
}

/**
 * Decrypts an archive into a folder that has none of its files yet. Do not trust the files before this
 * returns, because only the tag at the end authenticates them.
 * @param options.isKeyringOnly does not extract the database. The tag at the end is then not read;
 * openKeyring authenticates the keyring by its own tag.
 * @throws {BackupError} wrong passphrase; foreign, damaged or incomplete file.
 */
export async function decryptArchive(options: {
  readonly source: string;
  readonly dir: string;
  readonly passphrase: string;
  readonly isKeyringOnly?: boolean;
}): Promise<{ createdAt: Date }> {
  const { source, dir, passphrase, isKeyringOnly = false } = options;
  const file = await open(source, 'r').catch((error: unknown) => {
    throw new BackupError(`cannot read ${source}: ${error instanceof Error ? error.message : String(error)}`);
  });
  try {
    const { header, head } = await readHeader(file, source);
    const { size } = await file.stat();
    if (size !== head.length + sumBytes(header.files) + TAG_BYTES) {
      throw new BackupError(`${source} is damaged: its length is wrong`);
    }
    const key = await deriveKey(passphrase, header.kdf);
    if (!timingSafeEqual(keyCheck(key), Buffer.from(header.check, 'base64'))) {
      throw new BackupError(`the passphrase does not open ${source}`);
    }
    const nonce = Buffer.from(header.cipher.nonce, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    key.fill(0);
    decipher.setAAD(head);
    decipher.setAuthTag(await readAt(file, size - TAG_BYTES, TAG_BYTES));
    let at = head.length;
    for (const { name, size: length } of header.files) {
      await writeOut(join(dir, name), file, { at, length }, (chunk) => decipher.update(chunk));
      if (isKeyringOnly && name === 'keyring.json') return { createdAt: new Date(header.createdAt) };
      at += length;
    }
    finish(decipher, source);
    return { createdAt: new Date(header.createdAt) };
  } finally {
    await file.close();
  }
}

async function readHeader(file: FileHandle, source: string): Promise<{ header: Header; head: Buffer }> {
  const start = await readAt(file, 0, MAX_HEADER_BYTES);
  const end = start.indexOf('\n');
  const foreign = new BackupError(`${source} is not a backup of tilld, or its beginning is damaged`);
  if (end === -1) throw foreign;
  const head = start.subarray(0, end + 1);
  const json = parseJson(head.toString('utf8'));
  const parsed = headerSchema.safeParse(json);
  if (parsed.success) return { header: parsed.data, head };
  const newer = z.looseObject({ format: z.literal('tilld-backup'), version: z.int().min(2) }).safeParse(json);
  if (newer.success) {
    throw new BackupError(
      `${source} has version ${newer.data.version}, written by a newer tilld: upgrade this program`,
    );
  }
  throw foreign;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function writeOut(
  path: string,
  from: FileHandle,
  range: { at: number; length: number },
  transform: (chunk: Buffer) => Buffer,
): Promise<void> {
  const out = await open(path, 'wx', 0o600);
  try {
    for (let done = 0; done < range.length; done += CHUNK_BYTES) {
      const chunk = await readAt(from, range.at + done, Math.min(CHUNK_BYTES, range.length - done));
      await out.writeFile(transform(chunk));
    }
    await out.sync();
  } finally {
    await out.close();
  }
}

function finish(decipher: { final(): Buffer }, source: string): void {
  try {
    decipher.final();
  } catch {
    throw new BackupError(`${source} is damaged: its checksum is wrong`);
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function keyCheck(key: Buffer): Buffer {
  return createHmac('sha256', key).update('tilld-backup key check').digest().subarray(0, CHECK_BYTES);
}

function sumBytes(files: Header['files']): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
