import { z } from 'zod';
import { COINS, MODES, type ChainId } from '../domain/coins.ts';
import type { Db } from './database.ts';
import { writeMeta } from './meta.ts';

const PREFIX = 'reconciled.';
const schema = z.object({
  coin: z.enum(COINS),
  mode: z.enum(MODES),
  at: z.number(),
  height: z.number(),
  differences: z.number(),
});

/** The last comparison of a chain with the ledger: when, at which block, and how many outputs differed. */
export type StoredReconciliation = z.infer<typeof schema>;

export async function writeReconciliation(db: Db, result: StoredReconciliation): Promise<void> {
  await writeMeta(db, `${PREFIX}${result.coin}.${result.mode}`, JSON.stringify(result));
}

/** The last comparison of every chain that was ever compared. */
export async function readReconciliations(db: Db): Promise<StoredReconciliation[]> {
  const rows = await db.selectFrom('meta').select('value').where('key', 'like', `${PREFIX}%`).execute();
  return rows.map((row) => schema.parse(JSON.parse(row.value)));
}

/** When a chain was last compared, ms; null when never. */
export async function lastReconciledAt(db: Db, { coin, mode }: ChainId): Promise<number | null> {
  const all = await readReconciliations(db);
  return all.find((result) => result.coin === coin && result.mode === mode)?.at ?? null;
}
