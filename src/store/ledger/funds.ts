import { outputKey, type Fund, type OutputRef } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';
import { toKeyPath } from './address-index.ts';

/** An output of ours with the send that has reserved it. */
export interface ReservedFund {
  readonly fund: Fund;
  readonly heldBy: string | null;
}

/** Transaction ids per statement, well below SQLite's parameter limit. */
const CHUNK = 500;

/** These outputs, spent or not; those that are not ours are left out. */
export async function findFunds(db: Db, chain: ChainId, refs: readonly OutputRef[]): Promise<ReservedFund[]> {
  const wanted = new Set(refs.map(outputKey));
  const txids = [...new Set(refs.map(({ txid }) => txid))];
  const funds: ReservedFund[] = [];
  for (let at = 0; at < txids.length; at += CHUNK) {
    const rows = await db
      .selectFrom('outputs')
      .innerJoin('addresses', 'addresses.id', 'outputs.addressId')
      .innerJoin('merchants', 'merchants.id', 'outputs.merchantId')
      .where('outputs.coin', '=', chain.coin)
      .where('outputs.mode', '=', chain.mode)
      .where('outputs.txid', 'in', txids.slice(at, at + CHUNK))
      .select(['outputs.txid', 'outputs.vout', 'outputs.amount', 'outputs.sendId'])
      .select(['addresses.address', 'addresses.branch', 'addresses.idx', 'merchants.account'])
      .execute();
    for (const row of rows) {
      const ref = { txid: row.txid, index: row.vout };
      if (!wanted.has(outputKey(ref))) continue;
      const keyPath = toKeyPath(chain, row);
      const fund = { ref, amount: BigInt(row.amount), address: row.address, keyPath };
      funds.push({ fund, heldBy: row.sendId });
    }
  }
  return funds;
}

/** The outputs of a transaction that paid us, spent or not. */
export async function fundsMadeBy(db: Db, chain: ChainId, txid: string): Promise<ReservedFund[]> {
  const rows = await db
    .selectFrom('outputs')
    .select('vout')
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('txid', '=', txid)
    .execute();
  return findFunds(
    db,
    chain,
    rows.map(({ vout: index }) => ({ txid, index })),
  );
}
