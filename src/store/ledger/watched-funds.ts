import { sql } from 'kysely';
import type { Fund } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';
import { storedIndexes } from './address-index.ts';
import { isNotFrozen } from './frozen-outputs.ts';
import { spendableTotal, toFunds } from './spendable.ts';
import type { WatchAccount } from './watch-accounts.ts';

/** Outputs read for one send; a PSBT spends fewer. */
const MAX_READ = 1_000;

/** Confirmed, mature, unreserved outputs of a watched account, largest first. */
export async function watchedFunds(
  db: Db,
  { number, merchantId, coin, mode }: WatchAccount,
): Promise<Fund[]> {
  const { from, below } = storedIndexes(number);
  const onAccount = db
    .selectFrom('addresses as own')
    .select('own.id')
    .where('own.merchantId', '=', merchantId)
    .where('own.coin', '=', coin)
    .where('own.mode', '=', mode)
    .where('own.idx', '>=', from)
    .where('own.idx', '<', below);
  return toFunds(
    db
      .selectFrom('outputs')
      .where('outputs.merchantId', '=', merchantId)
      .where('outputs.coin', '=', coin)
      .where('outputs.mode', '=', mode)
      .where('outputs.state', '=', sql.lit('confirmed'))
      .where(sql<boolean>`outputs.watch_only = 1`)
      .where(isNotFrozen)
      .where('outputs.spentBy', 'is', null)
      .where('outputs.sendId', 'is', null)
      .where('outputs.addressId', 'in', onAccount),
    MAX_READ,
  );
}

/** Spendable money of the wallet whose keys the till has, atoms. */
export async function sumSpendableInOwnWallet(
  db: Db,
  wallet: ChainId & { readonly merchantId: string },
): Promise<bigint> {
  const { merchantId, coin, mode } = wallet;
  return (await spendableTotal(db, { merchantId, coin, mode }, 0n)).amount;
}

/** The blocks that contain these outputs, by transaction id. */
export async function findBlocksWith(
  db: Db,
  { coin, mode }: ChainId,
  funds: readonly Fund[],
): Promise<{ txid: string; blockHash: string }[]> {
  const rows = await db
    .selectFrom('outputs')
    .select(['txid', 'blockHash'])
    .distinct()
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where(
      'txid',
      'in',
      funds.map(({ ref }) => ref.txid),
    )
    .execute();
  return rows.flatMap(({ txid, blockHash }) => (blockHash === null ? [] : [{ txid, blockHash }]));
}
