import { sql } from 'kysely';
import type { ChainId } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';
import { storedIndexes } from './address-index.ts';
import { joinParts, type PartSums, sumParts } from './atom-sums.ts';
import type { WatchAccount } from './watch-accounts.ts';

/** What an account holds: in blocks and unspent, and seen but not in a block; atoms. */
export async function watchBalance(
  db: Db,
  { number, merchantId, coin, mode }: WatchAccount,
): Promise<{ readonly confirmed: bigint; readonly unconfirmed: bigint }> {
  const { from, below } = storedIndexes(number);
  const rows = await sql<PartSums & { readonly state: string }>`SELECT state, ${sumParts} FROM (
    SELECT outputs.state, outputs.amount AS digits, 1 AS sign
      FROM outputs JOIN addresses ON addresses.id = outputs.address_id
      WHERE outputs.merchant_id = ${merchantId} AND outputs.coin = ${coin} AND outputs.mode = ${mode}
        AND outputs.watch_only = 1 AND outputs.state IN ('confirmed', 'unconfirmed')
        AND outputs.spent_by IS NULL AND addresses.idx >= ${from} AND addresses.idx < ${below})
    GROUP BY state`.execute(db);
  const sum = (wanted: string): bigint => {
    const row = rows.rows.find(({ state }) => state === wanted);
    return row === undefined ? 0n : joinParts(row);
  };
  return { confirmed: sum('confirmed'), unconfirmed: sum('unconfirmed') };
}

/** Confirmed money of a wallet on all of its watched accounts, atoms. */
export async function sumWatchOnly(
  db: Db,
  { merchantId, coin, mode }: ChainId & { readonly merchantId: string },
): Promise<bigint> {
  const { rows } = await sql<PartSums>`SELECT ${sumParts} FROM (
    SELECT amount AS digits, 1 AS sign FROM outputs
      WHERE merchant_id = ${merchantId} AND coin = ${coin} AND mode = ${mode} AND state = 'confirmed'
        AND spent_by IS NULL AND send_id IS NULL AND watch_only = 1)
    HAVING COUNT(*) > 0`.execute(db);
  const [row] = rows;
  return row === undefined ? 0n : joinParts(row);
}
