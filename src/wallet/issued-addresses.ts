import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { COINS } from '../domain/coins.ts';
import type { AddressDeriver, KeyPath } from '../domain/keys.ts';
import type { Logger } from '../domain/ports.ts';

/** A branch of the wallet tree, and the index below which its addresses may have been issued. */
export type IssuedBranch = KeyPath;

/** The file cannot be used. The message is for the operator. */
class IssuedAddressesError extends Error {
  override name = 'IssuedAddressesError';
}

/** Indexes of a branch reserved at a time: one flush to the disk serves as many payments. */
const STEP = 500;
const TITLE = 'tilld given addresses 1\nnewest ';
const DIGITS = 15;
const HEAD_BYTES = TITLE.length + DIGITS + 1;
/** Higher than any address id: marks that the database is older and has not been caught up yet. */
const BEHIND = 10 ** DIGITS - 1;

const lineSchema = z.tuple([
  z.coerce.number().int().nonnegative(),
  z.enum(COINS),
  z.enum(['live', 'sandbox']),
  z.enum(['0', '1']).transform((branch): 0 | 1 => (branch === '0' ? 0 : 1)),
  z.coerce.number().int().nonnegative(),
]);

/**
 * Records outside the database which addresses were issued, so that an older copy of the database, restored
 * manually, does not issue them to other customers. The file contains two facts. For each branch, an index
 * below which addresses may have been issued: it is raised in steps and flushed before any address at or
 * above it is derived. And the id of the newest address, written after each commit without a flush: exact
 * after `kill -9`, it identifies an older database.
 */
export class IssuedAddresses {
  readonly #file: number;
  readonly #logger: Pick<Logger, 'error'>;
  readonly #limits: Map<string, IssuedBranch>;
  #newest: number;
  #size: number;
  #isTold = false;

  private constructor(file: number, content: Content, logger: Pick<Logger, 'error'>) {
    this.#file = file;
    this.#logger = logger;
    this.#limits = content.limits;
    this.#newest = content.newest;
    this.#size = Buffer.byteLength(formatFile(content));
  }

  /**
   * Opens the file, or creates it from the database.
   * @param known addresses issued by the database; may be more than in the file, which earlier versions did not write
   * @throws {IssuedAddressesError} when the file is damaged.
   */
  static open(path: string, known: readonly IssuedBranch[], logger: Pick<Logger, 'error'>): IssuedAddresses {
    const text = existsSync(path) ? readFileSync(path, 'latin1') : null;
    const content =
      text === null ? { newest: 0, limits: new Map<string, IssuedBranch>() } : parse(path, text);
    for (const branch of known) raise(content.limits, branch);
    const whole = formatFile(content);
    if (whole !== text) replace(path, whole);
    return new IssuedAddresses(openSync(path, 'r+'), content, logger);
  }

  /** Every branch with the index below which addresses may have been issued. */
  get branches(): readonly IssuedBranch[] {
    return [...this.#limits.values()];
  }

  /** Whether addresses were issued beyond this id, the database's newest. */
  isAheadOf(newestId: number): boolean {
    return this.#newest > newestId;
  }

  /** Marks the database as older for the next start, too, until `recordIssued` reports that it is caught up. */
  markBehind(): void {
    this.#writeNewest(BEHIND);
    fdatasyncSync(this.#file);
    this.#newest = BEHIND;
  }

  /** Call it before deriving an address to issue. @throws if it cannot be recorded. */
  reserve(path: KeyPath): void {
    const key = branchKey(path);
    const limit = this.#limits.get(key)?.index ?? 0;
    if (path.index < limit) return;
    const raised = { ...path, index: path.index + STEP };
    this.#append(formatLine(raised));
    this.#limits.set(key, raised);
  }

  /** Call it once addresses are committed, with the highest id among them. */
  recordIssued(newestId: number): void {
    try {
      this.#writeNewest(newestId);
      this.#newest = newestId;
      this.#isTold = false;
    } catch (err) {
      // The payment is stored. Until writes succeed again, detection of an older database is less exact.
      if (!this.#isTold)
        this.#logger.error({ err }, 'recording issued addresses outside the database failed');
      this.#isTold = true;
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  #writeNewest(newestId: number): void {
    writeSync(this.#file, digits(newestId), TITLE.length, 'latin1');
  }

  #append(line: string): void {
    const bytes = Buffer.from(line, 'latin1');
    try {
      const written = writeSync(this.#file, bytes, 0, bytes.length, this.#size);
      if (written < bytes.length) throw Object.assign(new Error('no space for a line'), { code: 'ENOSPC' });
      fdatasyncSync(this.#file);
    } catch (error) {
      ftruncateSync(this.#file, this.#size);
      throw error;
    }
    this.#size += bytes.length;
  }
}

/** Wraps a deriver so that each address is recorded outside the database before it is first used. */
export function withReservedAddresses(deriver: AddressDeriver, issued: IssuedAddresses): AddressDeriver {
  return {
    address: (path) => {
      issued.reserve(path);
      return deriver.address(path);
    },
  };
}

interface Content {
  readonly newest: number;
  readonly limits: Map<string, IssuedBranch>;
}

/** Text after the last line end was being written at a power cut: no address was issued on it. */
function parse(path: string, text: string): Content {
  const damaged = new IssuedAddressesError(
    `${path} is damaged. It prevents addresses from being assigned twice after an older database was restored. If tilld.sqlite in the same directory is the latest, remove the file and start again; otherwise restore a backup (tillctl restore)`,
  );
  const head = text.slice(0, HEAD_BYTES);
  const number = head.slice(TITLE.length, -1);
  if (!head.startsWith(TITLE) || !/^\d+$/.test(number) || !head.endsWith('\n')) throw damaged;
  const limits = new Map<string, IssuedBranch>();
  for (const line of text.slice(HEAD_BYTES, text.lastIndexOf('\n')).split('\n')) {
    if (line === '') continue;
    const parsed = lineSchema.safeParse(line.split(' '));
    if (!parsed.success) throw damaged;
    const [account, coin, mode, branch, index] = parsed.data;
    raise(limits, { account, coin, mode, branch, index });
  }
  return { newest: Number(number), limits };
}

function raise(limits: Map<string, IssuedBranch>, branch: IssuedBranch): void {
  const key = branchKey(branch);
  if ((limits.get(key)?.index ?? -1) < branch.index) limits.set(key, branch);
}

function formatFile({ newest, limits }: Content): string {
  return `${TITLE}${digits(newest)}\n${[...limits.values()].map(formatLine).join('')}`;
}

function formatLine(branch: IssuedBranch): string {
  return `${branchKey(branch)} ${branch.index}\n`;
}

function branchKey({ account, coin, mode, branch }: KeyPath): string {
  return `${account} ${coin} ${mode} ${branch}`;
}

function digits(newestId: number): string {
  return String(newestId).padStart(DIGITS, '0');
}

/** Replaces the file atomically, also across a power cut. */
function replace(path: string, text: string): void {
  const temporary = `${path}.tmp`;
  const file = openSync(temporary, 'w', 0o600);
  try {
    writeSync(file, text, 0, 'latin1');
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
