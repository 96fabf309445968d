import { sql, type Selectable } from 'kysely';
import type { Credit, OutputRef } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, preparedList, type ParamOf } from '../sqlite/prepared.ts';
import type { OutputRow } from '../schema/ledger.ts';
import { isWatchOnly } from './address-index.ts';
import { storeTotals } from './volume-totals.ts';

/** One stored output that paid us. */
export type StoredOutput = Selectable<OutputRow>;

/** SQL parameters per statement, well below SQLite's limit. */
const CHUNK = 500;

type Optional = 'watchOnly' | 'seq' | 'awaitedDepth' | 'position' | 'confirmedAt' | 'rate' | 'rateAt';

/** An output to store; an existing one keeps its `seq`, its position and its rate at receipt. */
export type ObservedOutput = Omit<StoredOutput, Optional> & Partial<Pick<StoredOutput, Optional>>;

/** Inserts or updates an output as observed, without the columns about its spending. */
export async function upsertOutput(tx: Tx, row: ObservedOutput): Promise<void> {
  const observed = {
    ...row,
    awaitedDepth: row.awaitedDepth ?? 0,
    position: row.position ?? 0,
    confirmedAt: row.confirmedAt ?? null,
    rate: row.rate ?? null,
    rateAt: row.rateAt ?? null,
  };
  if (row.paymentId === null) await put(tx, observed);
  else await storeTotals(tx, row.paymentId, () => put(tx, observed));
}

const put = prepared((db, param: ParamOf<Omit<StoredOutput, 'seq' | 'watchOnly'>>) => {
  const observed = {
    amount: param('amount'),
    state: param('state'),
    height: param('height'),
    blockHash: param('blockHash'),
    maturity: param('maturity'),
    lateDue: param('lateDue'),
    updatedAt: param('updatedAt'),
    awaitedDepth: param('awaitedDepth'),
    confirmedAt: param('confirmedAt'),
    late: param('late'),
    position: param('position'),
  };
  return db
    .insertInto('outputs')
    .values({
      ...observed,
      coin: param('coin'),
      mode: param('mode'),
      txid: param('txid'),
      vout: param('vout'),
      addressId: param('addressId'),
      merchantId: param('merchantId'),
      paymentId: param('paymentId'),
      firstSeenAt: param('firstSeenAt'),
      spentBy: param('spentBy'),
      spentHeight: param('spentHeight'),
      sendId: param('sendId'),
      rate: param('rate'),
      rateAt: param('rateAt'),
      // The address decides, whatever the caller knows of it.
      watchOnly: (eb) =>
        eb.fn.coalesce(
          eb.selectFrom('addresses').select(isWatchOnly).where('addresses.id', '=', param('addressId')),
          sql.lit(false),
        ),
    })
    .onConflict((conflict) => conflict.columns(['coin', 'mode', 'txid', 'vout']).doUpdateSet(observed));
});

/** Stores the depth that a payment waits for on an output. */
export async function setAwaitedDepth(
  tx: Tx,
  { coin, mode }: ChainId,
  { txid, index }: OutputRef,
  depth: number,
): Promise<void> {
  await tx
    .updateTable('outputs')
    .set({ awaitedDepth: depth })
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where('txid', '=', txid)
    .where('vout', '=', index)
    .execute();
}

export async function findOutput(db: Db, chain: ChainId, ref: OutputRef): Promise<StoredOutput | undefined> {
  return db
    .selectFrom('outputs')
    .selectAll()
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('txid', '=', ref.txid)
    .where('vout', '=', ref.index)
    .executeTakeFirst();
}

export async function outputsOfPayment(db: Db, paymentId: string): Promise<StoredOutput[]> {
  return ofPayment(db, { paymentId });
}

const ofPayment = prepared((db, param: ParamOf<{ paymentId: string }>) =>
  db
    .selectFrom('outputs')
    .selectAll()
    .where('paymentId', '=', param('paymentId'))
    .orderBy('position')
    .orderBy('seq'),
);

/** Outputs of these transactions that paid us. */
export async function outputsOfTransactions(
  db: Db,
  chain: ChainId,
  txids: readonly string[],
): Promise<StoredOutput[]> {
  const outputs: StoredOutput[] = [];
  for (let at = 0; at < txids.length; at += CHUNK) {
    const rows = await db
      .selectFrom('outputs')
      .selectAll()
      .where('coin', '=', chain.coin)
      .where('mode', '=', chain.mode)
      .where('txid', 'in', txids.slice(at, at + CHUNK))
      .execute();
    for (const row of rows) outputs.push(row);
  }
  return outputs;
}

/** Outpoints of these transactions that paid us, from an index alone. */
export async function ownOutpoints(db: Db, chain: ChainId, txids: readonly string[]): Promise<OutputRef[]> {
  return (await selectOutpoints(db, chain, txids)).map(({ txid, vout }) => ({ txid, index: vout }));
}

const selectOutpoints = preparedList((db, param: ParamOf<ChainId>, txids) =>
  db
    .selectFrom('outputs')
    .select(['txid', 'vout'])
    .where('coin', '=', param('coin'))
    .where('mode', '=', param('mode'))
    .where('txid', 'in', txids),
);

/** Transactions that paid us on any chain, page by page in the order of first sight. */
export async function txidsAfter(
  db: Db,
  after: number,
  limit: number,
): Promise<Pick<StoredOutput, 'seq' | 'coin' | 'mode' | 'txid'>[]> {
  return paidAfter(db, { after, limit });
}

const paidAfter = prepared((db, param: ParamOf<{ after: number; limit: number }>) =>
  db
    .selectFrom('outputs')
    .select(['seq', 'coin', 'mode', 'txid'])
    .where('seq', '>', param('after'))
    .orderBy('seq')
    .limit(param('limit')),
);

/** Unconfirmed outputs that still count. */
export async function unconfirmedOutputs(db: Db, chain: ChainId): Promise<StoredOutput[]> {
  return db
    .selectFrom('outputs')
    .selectAll()
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('state', '=', sql.lit('unconfirmed'))
    .execute();
}

/** Unconfirmed outputs that still count, with the address each paid. */
export async function unsettledCredits(
  db: Db,
  { coin, mode }: ChainId,
): Promise<Pick<Credit, 'ref' | 'watchKey'>[]> {
  const rows = await unsettledRows(db, { coin, mode });
  return rows.map((row) => ({ ref: { txid: row.txid, index: row.vout }, watchKey: row.watchKey }));
}

const unsettledRows = prepared((db, param: ParamOf<ChainId>) =>
  db
    .selectFrom('outputs')
    .innerJoin('addresses', 'addresses.id', 'outputs.addressId')
    .select(['outputs.txid', 'outputs.vout', 'addresses.watchKey'])
    .where('outputs.coin', '=', param('coin'))
    .where('outputs.mode', '=', param('mode'))
    .where('outputs.state', '=', sql.lit('unconfirmed')),
);

/** Outputs confirmed above a height: those that a reorg down to it unconfirms. */
export async function outputsAbove(db: Db, chain: ChainId, height: number): Promise<StoredOutput[]> {
  return db
    .selectFrom('outputs')
    .selectAll()
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('height', '>', height)
    .execute();
}
