import type { Db, Tx } from '../sqlite/database.ts';

/** When a user last signed in from a network; null if never. */
export async function lastUseOfNetwork(db: Db, userId: string, networkHash: string): Promise<number | null> {
  const row = await db
    .selectFrom('known_networks')
    .select('last_used_at')
    .where('user_id', '=', userId)
    .where('network_hash', '=', networkHash)
    .executeTakeFirst();
  return row?.last_used_at ?? null;
}

/** Stores a network, and evicts the least recently used one when there are more than `keep`. */
export async function rememberNetwork(
  tx: Tx,
  network: { userId: string; hash: string; now: number; keep: number },
): Promise<void> {
  const { userId, hash, now, keep } = network;
  await tx
    .insertInto('known_networks')
    .values({ user_id: userId, network_hash: hash, last_used_at: now })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'network_hash']).doUpdateSet({ last_used_at: now }),
    )
    .execute();
  const surplus = await tx
    .selectFrom('known_networks')
    .select('network_hash')
    .where('user_id', '=', userId)
    .orderBy('last_used_at', 'desc')
    .orderBy('network_hash')
    .limit(keep)
    .offset(keep)
    .execute();
  if (surplus.length === 0) return;
  const hashes = surplus.map((row) => row.network_hash);
  await tx
    .deleteFrom('known_networks')
    .where('user_id', '=', userId)
    .where('network_hash', 'in', hashes)
    .execute();
}

/** Whether a network is stored from which a user has signed in. */
export async function hasKnownNetwork(db: Db, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('known_networks')
    .select('user_id')
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
