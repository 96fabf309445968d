import { sql } from 'kysely';
import type { Fund, OutputRef } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';
import { isOwn, toKeyPath } from './address-index.ts';
import { isNotFrozen } from './frozen-outputs.ts';

/** Maximum unconfirmed outputs read for one wallet. */
const MAX_CHANGE = 200;

/**
 * Unconfirmed change of own sends that may be spent, largest first: a node has accepted the transaction, and
 * it was never replaced, so that no other version of it can be mined. The same rule as Bitcoin Core's.
 */
export async function unconfirmedChange(
  db: Db,
  wallet: ChainId & { readonly merchantId: string },
): Promise<Fund[]> {
  const rows = await db
    .selectFrom('outputs')
    .innerJoin('addresses', 'addresses.id', 'outputs.addressId')
    .innerJoin('merchants', 'merchants.id', 'outputs.merchantId')
    .innerJoin('send_versions', (join) =>
      join
        .onRef('send_versions.coin', '=', 'outputs.coin')
        .onRef('send_versions.mode', '=', 'outputs.mode')
        .onRef('send_versions.txid', '=', 'outputs.txid'),
    )
    .innerJoin('sends', 'sends.id', 'send_versions.sendId')
    .where('outputs.coin', '=', wallet.coin)
    .where('outputs.mode', '=', wallet.mode)
    .where('outputs.state', '=', sql.lit('unconfirmed'))
    .where('outputs.merchantId', '=', wallet.merchantId)
    .where('outputs.spentBy', 'is', null)
    .where('outputs.sendId', 'is', null)
    .where(isOwn)
    .where(isNotFrozen)
    .where('addresses.purpose', '=', 'change')
    .where('sends.status', '=', sql.lit('broadcast'))
    .where('sends.height', 'is', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('send_versions as others')
            .select('others.version')
            .whereRef('others.sendId', '=', 'sends.id')
            .whereRef('others.version', '<>', 'send_versions.version'),
        ),
      ),
    )
    .select(['outputs.coin', 'outputs.mode', 'outputs.txid', 'outputs.vout', 'outputs.amount'])
    .select(['addresses.address', 'addresses.branch', 'addresses.idx', 'merchants.account'])
    .orderBy((eb) => eb.fn<number>('length', ['outputs.amount']), 'desc')
    .orderBy('outputs.amount', 'desc')
    .orderBy('outputs.txid')
    .limit(MAX_CHANGE)
    .execute();
  return rows.map(({ coin, mode, account, branch, ...row }) => ({
    ref: { txid: row.txid, index: row.vout },
    amount: BigInt(row.amount),
    address: row.address,
    keyPath: toKeyPath({ coin, mode }, { account, branch, idx: row.idx }),
  }));
}

/** The unconfirmed change output of one transaction, spent or not. */
export async function findChangeOutput(
  db: Db,
  chain: ChainId,
  txid: string,
): Promise<{ fund: Fund; heldBy: string | null; isFrozen: boolean } | null> {
  const row = await db
    .selectFrom('outputs')
    .innerJoin('addresses', 'addresses.id', 'outputs.addressId')
    .innerJoin('merchants', 'merchants.id', 'outputs.merchantId')
    .where('outputs.coin', '=', chain.coin)
    .where('outputs.mode', '=', chain.mode)
    .where('outputs.txid', '=', txid)
    .where('outputs.state', '=', sql.lit('unconfirmed'))
    .where('addresses.purpose', '=', 'change')
    .select((eb) => eb.not(isNotFrozen(eb)).as('isFrozen'))
    .select(['outputs.vout', 'outputs.amount', 'outputs.sendId'])
    .select(['addresses.address', 'addresses.branch', 'addresses.idx', 'merchants.account'])
    .executeTakeFirst();
  if (row === undefined) return null;
  const keyPath = toKeyPath(chain, row);
  const ref: OutputRef = { txid, index: row.vout };
  const fund = { ref, amount: BigInt(row.amount), address: row.address, keyPath };
  return { fund, heldBy: row.sendId, isFrozen: Boolean(row.isFrozen) };
}
