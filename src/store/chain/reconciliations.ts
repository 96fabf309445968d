import { z } from 'zod';
import { COINS, MODES, type ChainId } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';
import { writeMeta } from '../meta.ts';

const PREFIX = 'reconciled.';
const UNKNOWN_PREFIX = 'unreconciled.';
const chain = { coin: z.enum(COINS), mode: z.enum(MODES), at: z.number() };
const compared = z.object({ ...chain, height: z.number(), differences: z.number() });
const unknown = z.object({ ...chain, reason: z.string() });

/** The last comparison of a chain with the ledger: its time, its block and the size of the differences. */
export type StoredReconciliation = z.infer<typeof compared>;
/** A later comparison that could not be made. */
export type StoredUnreconciled = z.infer<typeof unknown>;

export async function writeReconciliation(db: Db, result: StoredReconciliation): Promise<void> {
  const name = `${result.coin}.${result.mode}`;
  await db.transaction(async (tx) => {
    await writeMeta(tx, `${PREFIX}${name}`, JSON.stringify(result));
    await tx.deleteFrom('meta').where('key', '=', `${UNKNOWN_PREFIX}${name}`).execute();
  });
}

/** Stores that the newest attempt had no result; the last result stays. */
export async function writeUnreconciled(db: Db, result: StoredUnreconciled): Promise<void> {
  await writeMeta(db, `${UNKNOWN_PREFIX}${result.coin}.${result.mode}`, JSON.stringify(result));
}

/** The last comparison of every chain that was ever compared. */
export async function readReconciliations(db: Db): Promise<StoredReconciliation[]> {
  return (await read(db, PREFIX)).map((value) => compared.parse(value));
}

/** The chains whose newest attempt had no result. */
export async function readUnreconciled(db: Db): Promise<StoredUnreconciled[]> {
  return (await read(db, UNKNOWN_PREFIX)).map((value) => unknown.parse(value));
}

async function read(db: Db, prefix: string): Promise<unknown[]> {
  const rows = await db.selectFrom('meta').select('value').where('key', 'like', `${prefix}%`).execute();
  return rows.map((row): unknown => JSON.parse(row.value));
}

/** The last comparison of one chain; undefined when it was never compared. */
export async function lastReconciliation(
  db: Db,
  { coin, mode }: ChainId,
): Promise<StoredReconciliation | undefined> {
  const all = await readReconciliations(db);
  return all.find((result) => result.coin === coin && result.mode === mode);
}
