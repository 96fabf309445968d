import { sql } from 'kysely';
import type { Db } from '../sqlite/database.ts';
import { isOwn } from './address-index.ts';
import type { WalletRef } from './spendable.ts';

/** Money of a wallet that no send can use yet, by reason; atoms. */
export interface UnspendableFunds {
  /** Received, but not in a block yet. */
  readonly unconfirmed: bigint;
  /** In a block, but below the maturity that the protocol requires. */
  readonly immature: bigint;
  /** Frozen by the merchant. */
  readonly frozen: bigint;
}

/** Maximum outputs read: sums of wei do not fit 64 bits, so they are added up in code. */
const MAX_PARTS = 20_000;

/** Received money that cannot be spent yet; change of own sends is not included. */
export async function unspendableFunds(db: Db, wallet: WalletRef): Promise<UnspendableFunds> {
  const rows = await db
    .selectFrom('outputs')
    .innerJoin('addresses', 'addresses.id', 'outputs.addressId')
    .leftJoin('chain_cursors', (join) =>
      join.onRef('chain_cursors.coin', '=', 'outputs.coin').onRef('chain_cursors.mode', '=', 'outputs.mode'),
    )
    .leftJoin('frozen_outputs', (join) =>
      join
        .onRef('frozen_outputs.coin', '=', 'outputs.coin')
        .onRef('frozen_outputs.mode', '=', 'outputs.mode')
        .onRef('frozen_outputs.txid', '=', 'outputs.txid')
        .onRef('frozen_outputs.vout', '=', 'outputs.vout'),
    )
    .where('outputs.merchantId', '=', wallet.merchantId)
    .where('outputs.coin', '=', wallet.coin)
    .where('outputs.mode', '=', wallet.mode)
    .where('outputs.state', 'in', ['unconfirmed', 'confirmed'])
    .where('outputs.spentBy', 'is', null)
    .where('outputs.sendId', 'is', null)
    .where(isOwn)
    .where('addresses.purpose', '!=', 'change')
    .where((eb) =>
      eb.or([
        eb('outputs.state', '=', sql.lit('unconfirmed')),
        eb('frozen_outputs.txid', 'is not', null),
        eb(
          eb('chain_cursors.height', '-', eb.ref('outputs.height')),
          '<',
          eb('outputs.maturity', '-', eb.lit(1)),
        ),
      ]),
    )
    .select(['outputs.amount', 'outputs.state', 'frozen_outputs.txid as frozen'])
    .limit(MAX_PARTS)
    .execute();
  const sum = (kind: (row: (typeof rows)[number]) => boolean): bigint =>
    rows.filter(kind).reduce((total, { amount }) => total + BigInt(amount), 0n);
  return {
    unconfirmed: sum(({ state, frozen }) => frozen === null && state === 'unconfirmed'),
    immature: sum(({ state, frozen }) => frozen === null && state === 'confirmed'),
    frozen: sum(({ frozen }) => frozen !== null),
  };
}
