import type { Debit, OutputRef } from '../domain/chain.ts';
import type { ChainId } from '../domain/coins.ts';
import type { Db, Tx } from './database.ts';

/** SQL parameters per statement, well below SQLite's limit. */
const CHUNK = 300;

/** Remembers what an unconfirmed transaction that pays us spends: whoever spends that otherwise undoes it. */
export async function rememberInputs(
  tx: Tx,
  chain: ChainId,
  spender: string,
  inputs: readonly OutputRef[],
): Promise<void> {
  const { coin, mode } = chain;
  for (let at = 0; at < inputs.length; at += CHUNK) {
    await tx
      .insertInto('unconfirmed_inputs')
      .values(
        inputs.slice(at, at + CHUNK).map(({ txid, index }) => ({ coin, mode, txid, vout: index, spender })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Of these outputs (by their transactions), those that unconfirmed payments to us spend, with the spender. */
export async function spentByUnconfirmed(db: Db, chain: ChainId, txids: readonly string[]): Promise<Debit[]> {
  const found: Debit[] = [];
  for (let at = 0; at < txids.length; at += CHUNK) {
    const rows = await db
      .selectFrom('unconfirmed_inputs')
      .select(['txid', 'vout', 'spender'])
      .where('coin', '=', chain.coin)
      .where('mode', '=', chain.mode)
      .where('txid', 'in', txids.slice(at, at + CHUNK))
      .execute();
    found.push(...rows.map(({ txid, vout, spender }) => ({ ref: { txid, index: vout }, byTxid: spender })));
  }
  return found;
}

/** Forgets the inputs of transactions of which nothing is unconfirmed any more. */
export async function forgetSettledInputs(tx: Tx, chain: ChainId): Promise<void> {
  await tx
    .deleteFrom('unconfirmed_inputs')
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('outputs')
            .select('outputs.txid')
            .whereRef('outputs.coin', '=', 'unconfirmed_inputs.coin')
            .whereRef('outputs.mode', '=', 'unconfirmed_inputs.mode')
            .whereRef('outputs.txid', '=', 'unconfirmed_inputs.spender')
            .where('outputs.state', '=', 'unconfirmed'),
        ),
      ),
    )
    .execute();
}
