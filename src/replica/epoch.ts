import { readMeta, writeMeta } from '../store/meta.ts';
import type { Db } from '../store/sqlite/database.ts';
import { readSqliteMeta } from '../store/sqlite/files.ts';

const KEY = 'replica_epoch';

/**
 * The fencing epoch: each takeover by another machine begins a new one. Stored in the database, and visible
 * in the replica as the folder of that number.
 */
export interface Epoch {
  readonly number: number;
  /** `restored`: a copy that has not taken over yet; `new`: never seen in the replica; `shown`: the replica has it. */
  readonly state: 'restored' | 'new' | 'shown';
  /** Generation of the marker that a takeover wrote to the replica; null for a first machine. */
  readonly marker: string | null;
}

/** Null for a database that never had a replica. */
export async function readEpoch(db: Db): Promise<Epoch | null> {
  return parse(await readMeta(db, KEY));
}

/** Reads the epoch of a database that is not open in this process. */
export function readStoredEpoch(path: string): Epoch | null {
  return parse(readSqliteMeta(path, KEY));
}

export async function writeEpoch(db: Db, { number, state, marker }: Epoch): Promise<void> {
  await writeMeta(db, KEY, [number, state, ...(marker === null ? [] : [marker])].join(' '));
}

/**
 * Marks the database as a copy: its daemon starts only once it has taken over. No effect if there was no
 * replica.
 */
export async function markAsCopy(db: Db): Promise<void> {
  const epoch = await readEpoch(db);
  if (epoch !== null) await writeEpoch(db, { ...epoch, state: 'restored' });
}

function parse(text: string | null): Epoch | null {
  if (text === null) return null;
  const [, number = '', state, marker = null] =
    /^(\d{1,9}) (restored|new|shown)(?: ([0-9a-f]{16}))?$/.exec(text) ?? [];
  if (state !== 'restored' && state !== 'new' && state !== 'shown')
    throw new Error(`the database holds an unknown ${KEY}: ${text}`);
  return { number: Number(number), state, marker };
}
