import { sql } from 'kysely';
import { outputKey, type OutputRef } from '../../domain/chain.ts';
import type { ChainId, Coin, Mode } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';

export interface WalletOutputsPage {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly coin: Coin;
  readonly page: number;
  readonly limit: number;
}

/** An unspent output of a wallet with the columns that decide whether a send may use it. */
export interface WalletOutputRow {
  readonly txid: string;
  readonly vout: number;
  readonly amount: string;
  readonly address: string;
  readonly state: 'unconfirmed' | 'confirmed' | 'gone';
  readonly height: number | null;
  readonly maturity: number;
  readonly sendId: string | null;
  readonly spentBy: string | null;
  readonly paymentId: string | null;
  readonly purpose: string;
  readonly frozen: string | null;
  readonly watchOnly: boolean;
}

type Wallet = ChainId & { readonly merchantId: string };

/** Outputs that no block has spent, newest first. */
export async function pageWalletOutputs(
  db: Db,
  { page, limit, ...wallet }: WalletOutputsPage,
): Promise<{ rows: WalletOutputRow[]; total: number }> {
  const rows = await withHolds(unspent(db, wallet))
    .orderBy('outputs.firstSeenAt', 'desc')
    .orderBy('outputs.seq', 'desc')
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  const count = await unspent(db, wallet)
    .select(sql<number>`count(*)`.as('total'))
    .executeTakeFirst();
  return { rows, total: count?.total ?? 0 };
}

/** These outputs of a wallet, as far as no block has spent them; a few hundred at most. */
export async function findWalletOutputs(
  db: Db,
  wallet: Wallet,
  refs: readonly OutputRef[],
): Promise<WalletOutputRow[]> {
  if (refs.length === 0) return [];
  const wanted = new Set(refs.map(outputKey));
  const txids = [...new Set(refs.map(({ txid }) => txid))];
  const rows = await withHolds(unspent(db, wallet)).where('outputs.txid', 'in', txids).execute();
  return rows.filter(({ txid, vout: index }) => wanted.has(outputKey({ txid, index })));
}

function unspent(db: Db, { merchantId, mode, coin }: Wallet) {
  return db
    .selectFrom('outputs')
    .where('outputs.merchantId', '=', merchantId)
    .where('outputs.mode', '=', mode)
    .where('outputs.coin', '=', coin)
    .where('outputs.state', 'in', ['unconfirmed', 'confirmed'])
    .where('outputs.spentHeight', 'is', null);
}

function withHolds(outputs: ReturnType<typeof unspent>) {
  return outputs
    .innerJoin('addresses', 'addresses.id', 'outputs.addressId')
    .leftJoin('frozen_outputs', (join) =>
      join
        .onRef('frozen_outputs.coin', '=', 'outputs.coin')
        .onRef('frozen_outputs.mode', '=', 'outputs.mode')
        .onRef('frozen_outputs.txid', '=', 'outputs.txid')
        .onRef('frozen_outputs.vout', '=', 'outputs.vout'),
    )
    .select(['outputs.txid', 'outputs.vout', 'outputs.amount', 'addresses.address', 'outputs.state'])
    .select(['outputs.height', 'outputs.maturity', 'outputs.sendId', 'outputs.spentBy'])
    .select(['outputs.watchOnly', 'outputs.paymentId', 'addresses.purpose', 'frozen_outputs.txid as frozen']);
}
