import { sql } from 'kysely';
import type { BlockRef } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Db, Tx } from '../sqlite/database.ts';

/** Records the last block that is in the ledger when an order gets an address; nothing before the first block. */
export async function recordAddressTip(tx: Tx, { coin, mode }: ChainId, addressId: number): Promise<void> {
  await sql`INSERT INTO address_tips (address_id, height, hash)
    SELECT ${addressId}, height, hash FROM chain_cursors WHERE coin = ${coin} AND mode = ${mode}`.execute(tx);
}

/** The last block that was in the ledger when an order got an address; undefined where unknown. */
export async function findAddressTip(db: Db, addressId: number): Promise<BlockRef | undefined> {
  return db
    .selectFrom('address_tips')
    .select(['height', 'hash'])
    .where('addressId', '=', addressId)
    .executeTakeFirst();
}
