import { sql } from 'kysely';
import { accountsPerSend, OUTPUTS_PER_SEND } from '../../domain/accounts.ts';
import type { Fund, OutputRef } from '../../domain/chain.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { toFunds, type WalletRef } from './spendable.ts';
import type { ChainId } from '../../domain/coins.ts';
import { reserveWholeAccounts } from './spendable-accounts.ts';

/** Confirmed, unspent outputs reserved by this send for any of its versions. */
export async function reservedFunds(db: Db, sendId: string, limit = OUTPUTS_PER_SEND): Promise<Fund[]> {
  return toFunds(
    db
      .selectFrom('outputs')
      .where('outputs.sendId', '=', sendId)
      .where('outputs.state', '=', sql.lit('confirmed'))
      .where('outputs.spentBy', 'is', null),
    limit,
  );
}
/** Atoms of a wallet that are reserved by sends gathering their outputs. */
export async function reservedForPreparing(db: Db, wallet: WalletRef): Promise<bigint> {
  const rows = await db
    .selectFrom('sends')
    .innerJoin('outputs', 'outputs.sendId', 'sends.id')
    .where('sends.coin', '=', wallet.coin)
    .where('sends.mode', '=', wallet.mode)
    .where('sends.status', '=', sql.lit('preparing'))
    .where('sends.merchantId', '=', wallet.merchantId)
    .where('outputs.spentBy', 'is', null)
    .where('outputs.state', '!=', sql.lit('gone'))
    .select('outputs.amount')
    .execute();
  return rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}
/**
 * Outputs reserved by this send whose fate no block has decided yet: unspent ones that are in no block, and
 * those spent by an unknown unconfirmed transaction.
 */
export async function unconfirmedReserved(
  db: Db,
  sendId: string,
): Promise<{ readonly ref: OutputRef; readonly amount: bigint }[]> {
  const rows = await db
    .selectFrom('outputs')
    .where('sendId', '=', sendId)
    .where('state', '<>', sql.lit('gone'))
    .where((eb) =>
      eb.or([
        eb.and([eb('state', '=', sql.lit('unconfirmed')), eb('spentBy', 'is', null)]),
        eb.and([eb('spentBy', 'is not', null), eb('spentHeight', 'is', null)]),
      ]),
    )
    .select(['txid', 'vout', 'amount'])
    .execute();
  return rows.map(({ txid, vout, amount }) => ({ ref: { txid, index: vout }, amount: BigInt(amount) }));
}
/** Whether an unconfirmed transaction spends an output that a send has reserved. */
export async function isSpentUnconfirmed(db: Db, sendId: string): Promise<boolean> {
  const row = await db
    .selectFrom('outputs')
    .select('seq')
    .where('sendId', '=', sendId)
    .where('spentBy', 'is not', null)
    .where('spentHeight', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
/**
 * Reserves outputs for one send.
 * @param wholeId the send that may have reserved them and for which this one gathers them
 * @throws when one is spent or reserved in the meantime, because the caller read it outside this transaction.
 */
export async function reserveOutputs(
  tx: Tx,
  chain: ChainId,
  refs: readonly OutputRef[],
  sendId: string,
  wholeId: string | null = null,
): Promise<void> {
  if (!tx.isTransaction) throw new Error('reserveOutputs must run in a transaction');
  for (const ref of refs) {
    const { numUpdatedRows } = await tx
      .updateTable('outputs')
      .set({ sendId })
      .where('coin', '=', chain.coin)
      .where('mode', '=', chain.mode)
      .where('txid', '=', ref.txid)
      .where('vout', '=', ref.index)
      .where('state', '!=', sql.lit('gone'))
      .where('spentBy', 'is', null)
      .where((eb) => eb.or([eb('sendId', 'is', null), eb('sendId', 'in', [sendId, wholeId ?? sendId])]))
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) throw new Error(`output ${ref.txid}:${ref.index} is not free`);
  }
  if (accountsPerSend(chain) !== null) await reserveWholeAccounts(tx, sendId);
}
/**
 * Reserves an output of ours for a send, spent or not, because another transaction of that send created it.
 */
export async function reserveMade(
  tx: Tx,
  ref: OutputRef,
  send: ChainId & { readonly id: string },
): Promise<void> {
  await tx
    .updateTable('outputs')
    .set({ sendId: send.id })
    .where('coin', '=', send.coin)
    .where('mode', '=', send.mode)
    .where('txid', '=', ref.txid)
    .where('vout', '=', ref.index)
    .where('sendId', 'is', null)
    .execute();
}
/**
 * Releases a send's outputs; with `unspentOnly` the spent ones stay reserved. Those of a part are reserved again for the
 * send that it gathered them for, while that is being prepared.
 */
export async function releaseOutputs(
  tx: Tx,
  sendId: string,
  options: { unspentOnly?: boolean } = {},
): Promise<void> {
  const whole = tx
    .selectFrom('sends as part')
    .innerJoin('sends as whole', 'whole.id', 'part.partOf')
    .where('part.id', '=', sendId)
    .where('whole.status', '=', sql.lit('preparing'))
    .select('whole.id');
  let update = tx
    .updateTable('outputs')
    .set((eb) => ({ sendId: eb.selectFrom(whole.as('whole')).select('whole.id') }))
    .where('sendId', '=', sendId);
  if (options.unspentOnly === true) update = update.where('spentBy', 'is', null);
  await update.execute();
}
/** Maximum sends whose surplus is released per call. */
const MAX_RELEASED = 500;
/** Confirmed sends up to a height that still reserve outputs which the confirmed version did not use. */
export async function sendsWithSurplus(db: Db, chain: ChainId, upToHeight: number): Promise<string[]> {
  const rows = await db
    .selectFrom('outputs')
    .innerJoin('sends', 'sends.id', 'outputs.sendId')
    .where('outputs.coin', '=', chain.coin)
    .where('outputs.mode', '=', chain.mode)
    .where('outputs.sendId', 'is not', null)
    .where('outputs.spentBy', 'is', null)
    .where('sends.status', '=', sql.lit('confirmed'))
    .where('sends.height', '<=', upToHeight)
    .select('outputs.sendId as id')
    .distinct()
    .limit(MAX_RELEASED)
    .execute();
  return rows.flatMap((row) => (row.id === null ? [] : [row.id]));
}
