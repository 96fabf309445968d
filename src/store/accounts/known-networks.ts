import type { Db, Tx } from '../sqlite/database.ts';

/** When a user last signed in from a network; null if never. */
export async function lastUseOfNetwork(db: Db, userId: string, networkHash: string): Promise<number | null> {
  const row = await db
    .selectFrom('known_networks')
    .select('lastUsedAt')
    .where('userId', '=', userId)
    .where('networkHash', '=', networkHash)
    .executeTakeFirst();
  return row?.lastUsedAt ?? null;
}

/** Stores a network, and evicts the least recently used one when there are more than `keep`. */
export async function rememberNetwork(
  tx: Tx,
  network: { userId: string; hash: string; now: number; keep: number },
): Promise<void> {
  const { userId, hash, now, keep } = network;
  await tx
    .insertInto('known_networks')
    .values({ userId, networkHash: hash, lastUsedAt: now })
    .onConflict((conflict) => conflict.columns(['userId', 'networkHash']).doUpdateSet({ lastUsedAt: now }))
    .execute();
  const surplus = await tx
    .selectFrom('known_networks')
    .select('networkHash')
    .where('userId', '=', userId)
    .orderBy('lastUsedAt', 'desc')
    .orderBy('networkHash')
    .limit(keep)
    .offset(keep)
    .execute();
  if (surplus.length === 0) return;
  const hashes = surplus.map((row) => row.networkHash);
  await tx
    .deleteFrom('known_networks')
    .where('userId', '=', userId)
    .where('networkHash', 'in', hashes)
    .execute();
}

/** Whether a network is stored from which a user has signed in. */
export async function hasKnownNetwork(db: Db, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('known_networks')
    .select('userId')
    .where('userId', '=', userId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
