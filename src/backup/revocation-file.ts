import {
  closeSync,
  existsSync,
  fsyncSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Revocation } from '../store/revocations.ts';
import { BackupError } from './backup-error.ts';

const TITLE = 'tilld revocations 1';
const lineSchema = z.tuple([
  z.string().regex(/^[0-9a-f]{16}$/),
  // A newer release may have more kinds than this one.
  z.string().regex(/^[a-z][a-z-]*$/),
  z.string().regex(/^[\w/:-]+$/),
  z.coerce.number().int().nonnegative(),
]);

/** Path of the list: next to the keyring, named after its seed. */
export function revocationPath(dataDir: string, fingerprint: string): string {
  return join(dataDir, `revocations.${fingerprint}`);
}

/**
 * Reads a list of revocations; null if it does not exist. Text after the last line end was being written at a
 * power cut.
 * @throws {BackupError} if the file is damaged.
 */
export function readRevocations(path: string): Revocation[] | null {
  if (!existsSync(path)) return null;
  const text = readFileSync(path, 'latin1');
  const [title, ...lines] = text.slice(0, text.lastIndexOf('\n')).split('\n');
  const damaged = new BackupError(`${path} is damaged, or not a list of revocations`);
  if (title !== TITLE) throw damaged;
  return lines.map((line) => {
    const parsed = lineSchema.safeParse(line.split(' '));
    if (!parsed.success) throw damaged;
    const [id, kind, subject, at] = parsed.data;
    return { id, kind, subject, at };
  });
}

/** Replaces the list atomically, also across a power cut. */
export function writeRevocations(path: string, list: readonly Revocation[]): void {
  const temporary = `${path}.tmp`;
  const file = openSync(temporary, 'w', 0o600);
  try {
    writeSync(file, `${TITLE}\n${list.map(formatLine).join('')}`, 0, 'latin1');
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Appends to the list and waits for the disk. */
export function appendRevocations(path: string, list: readonly Revocation[]): void {
  const file = openSync(path, 'a', 0o600);
  try {
    writeSync(file, list.map(formatLine).join(''), null, 'latin1');
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}

function formatLine({ id, kind, subject, at }: Revocation): string {
  return `${id} ${kind} ${subject} ${at}\n`;
}
