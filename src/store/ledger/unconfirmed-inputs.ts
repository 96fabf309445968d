import { sql } from 'kysely';
import type { Debit, OutputRef } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, preparedList, type ParamOf } from '../sqlite/prepared.ts';

/** SQL parameters per statement, well below SQLite's limit. */
const CHUNK = 300;

/** An input of an unconfirmed transaction, and whether its parent is unconfirmed as well. */
export interface UnconfirmedInput extends OutputRef {
  readonly isParentOpen: boolean;
}

/**
 * Stores the inputs of an unconfirmed payment to us, because another spend of one of them is a double spend.
 */
export async function rememberInputs(
  tx: Tx,
  chain: ChainId,
  spender: string,
  inputs: readonly UnconfirmedInput[],
): Promise<void> {
  const { coin, mode } = chain;
  for (let at = 0; at < inputs.length; at += CHUNK) {
    await tx
      .insertInto('unconfirmed_inputs')
      .values(
        inputs.slice(at, at + CHUNK).map(({ txid, index, isParentOpen }) => ({
          coin,
          mode,
          txid,
          vout: index,
          spender,
          parentOpen: isParentOpen,
        })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['coin', 'mode', 'txid', 'vout', 'spender'])
          .doUpdateSet((eb) => ({ parentOpen: eb.ref('excluded.parentOpen') }))
          .whereRef('unconfirmed_inputs.parentOpen', '<>', 'excluded.parentOpen'),
      )
      .execute();
  }
}

/** Unconfirmed payments to us that had unconfirmed parents when last seen. */
export async function spendersOfOpenParents(db: Db, chain: ChainId): Promise<Set<string>> {
  const rows = await db
    .selectFrom('unconfirmed_inputs')
    .select('spender')
    .distinct()
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('parentOpen', '=', true)
    .execute();
  return new Set(rows.map((row) => row.spender));
}

/** Outputs of these transactions that unconfirmed payments to us spend, with the spender. */
export async function spentByUnconfirmed(db: Db, chain: ChainId, txids: readonly string[]): Promise<Debit[]> {
  const debits: Debit[] = [];
  for (let at = 0; at < txids.length; at += CHUNK) {
    const rows = await db
      .selectFrom('unconfirmed_inputs')
      .select(['txid', 'vout', 'spender'])
      .where('coin', '=', chain.coin)
      .where('mode', '=', chain.mode)
      .where('txid', 'in', txids.slice(at, at + CHUNK))
      .execute();
    debits.push(...rows.map(({ txid, vout, spender }) => ({ ref: { txid, index: vout }, byTxid: spender })));
  }
  return debits;
}

/** Outpoints of these transactions that unconfirmed payments to us spend. */
export async function contestedOutpoints(
  db: Db,
  chain: ChainId,
  txids: readonly string[],
): Promise<OutputRef[]> {
  return (await selectContested(db, chain, txids)).map(({ txid, vout }) => ({ txid, index: vout }));
}

const selectContested = preparedList((db, param: ParamOf<ChainId>, txids) =>
  db
    .selectFrom('unconfirmed_inputs')
    .select(['txid', 'vout'])
    .where('coin', '=', param('coin'))
    .where('mode', '=', param('mode'))
    .where('txid', 'in', txids),
);

/** Transactions whose outputs unconfirmed payments to us spend, `limit` at most. */
export async function contestedTxids(db: Db, chain: ChainId, limit: number): Promise<string[]> {
  const rows = await contested(db, { ...chain, limit });
  return rows.map((row) => row.txid);
}

const contested = prepared((db, param: ParamOf<ChainId & { limit: number }>) =>
  db
    .selectFrom('unconfirmed_inputs')
    .select('txid')
    .distinct()
    .where('coin', '=', param('coin'))
    .where('mode', '=', param('mode'))
    .limit(param('limit')),
);

/** Deletes the inputs of transactions that are no longer unconfirmed; their parents' inputs follow in later calls. */
export async function forgetSettledInputs(tx: Tx, chain: ChainId): Promise<void> {
  await forgetSettled(tx, chain);
}

const forgetSettled = prepared((db, param: ParamOf<ChainId>) =>
  db
    .deleteFrom('unconfirmed_inputs')
    .where('coin', '=', param('coin'))
    .where('mode', '=', param('mode'))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('outputs')
            .select('outputs.txid')
            .whereRef('outputs.coin', '=', 'unconfirmed_inputs.coin')
            .whereRef('outputs.mode', '=', 'unconfirmed_inputs.mode')
            .whereRef('outputs.txid', '=', 'unconfirmed_inputs.spender')
            // Money that an open send draws on stays watched, because a block may prove that it never
            // returns.
            .where((or) =>
              or.or([
                or('outputs.state', '=', sql.lit('unconfirmed')),
                or.and([or('outputs.state', '=', sql.lit('gone')), or('outputs.sendId', 'is not', null)]),
              ]),
            ),
        ),
      ),
    )
    // An unconfirmed parent is kept as long as its spender.
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('unconfirmed_inputs as child')
            .select('child.txid')
            .whereRef('child.coin', '=', 'unconfirmed_inputs.coin')
            .whereRef('child.mode', '=', 'unconfirmed_inputs.mode')
            .whereRef('child.txid', '=', 'unconfirmed_inputs.spender'),
        ),
      ),
    ),
);
