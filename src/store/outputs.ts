import { sql, type Selectable } from 'kysely';
import type { Credit, Holding, OutputRef } from '../domain/chain.ts';
import type { ChainId } from '../domain/coins.ts';
import type { Db, Tx } from './database.ts';
import { prepared, type SlotOf } from './prepared.ts';
import type { OutputRow } from './tables.ts';

/** One output that paid us, as the ledger holds it. */
export type StoredOutput = Selectable<OutputRow>;

/** SQL parameters per statement, well below SQLite's limit. */
const CHUNK = 500;

/** An output to be written: a known one keeps its place. */
export type ObservedOutput = Omit<StoredOutput, 'seq'> & Partial<Pick<StoredOutput, 'seq'>>;

/** Writes an output as observed now; what its spending side knows is left alone. */
export async function putOutput(tx: Tx, row: ObservedOutput): Promise<void> {
  await put(tx, row);
}

const put = prepared((db, slot: SlotOf<Omit<StoredOutput, 'seq'>>) => {
  const observed = {
    amount: slot('amount'),
    state: slot('state'),
    height: slot('height'),
    block_hash: slot('block_hash'),
    maturity: slot('maturity'),
    late_due: slot('late_due'),
    updated_at: slot('updated_at'),
  };
  return db
    .insertInto('outputs')
    .values({
      ...observed,
      coin: slot('coin'),
      mode: slot('mode'),
      txid: slot('txid'),
      vout: slot('vout'),
      address_id: slot('address_id'),
      merchant_id: slot('merchant_id'),
      payment_id: slot('payment_id'),
      first_seen_at: slot('first_seen_at'),
      late: slot('late'),
      spent_by: slot('spent_by'),
      spent_height: slot('spent_height'),
      send_id: slot('send_id'),
    })
    .onConflict((conflict) => conflict.columns(['coin', 'mode', 'txid', 'vout']).doUpdateSet(observed));
});

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

const ofPayment = prepared((db, slot: SlotOf<{ paymentId: string }>) =>
  db
    .selectFrom('outputs')
    .selectAll()
    .where('payment_id', '=', slot('paymentId'))
    .orderBy('first_seen_at')
    .orderBy('txid')
    .orderBy('vout'),
);

/** Outputs of these transactions that paid us. */
export async function outputsOfTransactions(
  db: Db,
  chain: ChainId,
  txids: readonly string[],
): Promise<StoredOutput[]> {
  const found: StoredOutput[] = [];
  for (let at = 0; at < txids.length; at += CHUNK) {
    const rows = await db
      .selectFrom('outputs')
      .selectAll()
      .where('coin', '=', chain.coin)
      .where('mode', '=', chain.mode)
      .where('txid', 'in', txids.slice(at, at + CHUNK))
      .execute();
    for (const row of rows) found.push(row);
  }
  return found;
}

/** Transactions that paid us on any chain, page by page in the order in which their outputs were first written. */
export async function txidsAfter(
  db: Db,
  after: number,
  limit: number,
): Promise<Pick<StoredOutput, 'seq' | 'coin' | 'mode' | 'txid'>[]> {
  return paidAfter(db, { after, limit });
}

const paidAfter = prepared((db, slot: SlotOf<{ after: number; limit: number }>) =>
  db
    .selectFrom('outputs')
    .select(['seq', 'coin', 'mode', 'txid'])
    .where('seq', '>', slot('after'))
    .orderBy('seq')
    .limit(sql.val(slot('limit'))),
);

/** Everything we count on that no block holds. */
export async function unconfirmedOutputs(db: Db, chain: ChainId): Promise<StoredOutput[]> {
  return db
    .selectFrom('outputs')
    .selectAll()
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('state', '=', 'unconfirmed')
    .execute();
}

/** What each of these accounts holds in blocks: confirmed and spent by no block. */
export async function holdingsOf(
  db: Db,
  chain: ChainId,
  watchKeys: readonly string[],
): Promise<Map<string, Holding[]>> {
  const held = new Map<string, Holding[]>();
  for (let at = 0; at < watchKeys.length; at += HOLDERS) {
    const keys = watchKeys.slice(at, at + HOLDERS);
    const rows =
      keys.length === HOLDERS
        ? await holdingRowsOfMany(db, { ...chain, ...Object.fromEntries(keys.entries()) })
        : await holdingRows(db, chain, keys).execute();
    for (const { watch_key: key, txid, vout, amount } of rows) {
      const holding = { ref: { txid, index: vout }, amount: BigInt(amount) };
      const known = held.get(key);
      if (known === undefined) held.set(key, [holding]);
      else known.push(holding);
    }
  }
  return held;
}

/** Accounts asked about at a time, as many as are asked of a node: ten thousand in every block of some chains. */
const HOLDERS = 100;

function holdingRows(db: Db, { coin, mode }: ChainId, watchKeys: readonly string[]) {
  return db
    .selectFrom('addresses')
    .innerJoin('outputs', 'outputs.address_id', 'addresses.id')
    .select(['addresses.watch_key', 'outputs.txid', 'outputs.vout', 'outputs.amount'])
    .where('addresses.coin', '=', coin)
    .where('addresses.mode', '=', mode)
    .where('addresses.watch_key', 'in', watchKeys)
    .where('outputs.state', '=', 'confirmed')
    .where('outputs.spent_height', 'is', null)
    .orderBy('outputs.height')
    .orderBy('outputs.txid')
    .orderBy('outputs.vout');
}

const holdingRowsOfMany = prepared((db, slot: SlotOf<ChainId & Readonly<Record<string, string>>>) =>
  holdingRows(
    db,
    { coin: slot('coin'), mode: slot('mode') },
    Array.from({ length: HOLDERS }, (_, at) => slot(`${at}`)),
  ),
);

/** Everything we count on that no block holds, by the address it paid. */
export async function unsettledCredits(db: Db, chain: ChainId): Promise<Pick<Credit, 'ref' | 'watchKey'>[]> {
  const rows = await db
    .selectFrom('outputs')
    .innerJoin('addresses', 'addresses.id', 'outputs.address_id')
    .select(['outputs.txid', 'outputs.vout', 'addresses.watch_key'])
    .where('outputs.coin', '=', chain.coin)
    .where('outputs.mode', '=', chain.mode)
    .where('outputs.state', '=', sql.lit('unconfirmed'))
    .execute();
  return rows.map((row) => ({ ref: { txid: row.txid, index: row.vout }, watchKey: row.watch_key }));
}

/** Outputs confirmed above a height: what a reorg down to it unconfirms. */
export async function outputsAbove(db: Db, chain: ChainId, height: number): Promise<StoredOutput[]> {
  return db
    .selectFrom('outputs')
    .selectAll()
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('height', '>', height)
    .execute();
}

/** Outputs that were confirmed and unspent after the block of a height that the ledger has read. */
export async function unspentAt(
  db: Db,
  chain: ChainId,
  height: number,
): Promise<Pick<StoredOutput, 'txid' | 'vout' | 'amount'>[]> {
  return db
    .selectFrom('outputs')
    .select(['txid', 'vout', 'amount'])
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('state', '=', 'confirmed')
    .where('height', '<=', height)
    .where((eb) => eb.or([eb('spent_height', 'is', null), eb('spent_height', '>', height)]))
    .execute();
}

/** What each of these accounts held after the block of a height that the ledger has read, atoms; 0 left out. */
export async function heldAt(
  db: Db,
  chain: ChainId,
  watchKeys: readonly string[],
  height: number,
): Promise<Map<string, bigint>> {
  const held = new Map<string, bigint>();
  for (let at = 0; at < watchKeys.length; at += CHUNK) {
    const rows = await db
      .selectFrom('addresses')
      .innerJoin('outputs', 'outputs.address_id', 'addresses.id')
      .select(['addresses.watch_key', 'outputs.amount'])
      .where('addresses.coin', '=', chain.coin)
      .where('addresses.mode', '=', chain.mode)
      .where('addresses.watch_key', 'in', watchKeys.slice(at, at + CHUNK))
      .where('outputs.state', '=', 'confirmed')
      .where('outputs.height', '<=', height)
      .where((eb) => eb.or([eb('spent_height', 'is', null), eb('spent_height', '>', height)]))
      .execute();
    for (const { watch_key: key, amount } of rows) held.set(key, (held.get(key) ?? 0n) + BigInt(amount));
  }
  return held;
}

/**
 * Payments with money in blocks above a height that at a tip still gathers confirmations, or that the
 * network's own word settles: those to which a newer tip may make a difference.
 */
export async function paymentsWithMoneyAbove(
  db: Db,
  chain: ChainId,
  height: number,
  tip: number = height,
): Promise<string[]> {
  const rows = await paymentsInBlocks(db, { ...chain, height, next: tip + 1 });
  return rows.flatMap((row) => (row.payment_id === null ? [] : [row.payment_id]));
}

const paymentsInBlocks = prepared((db, slot: SlotOf<ChainId & { height: number; next: number }>) =>
  db
    .selectFrom('outputs')
    .innerJoin('payment_options', (join) =>
      join
        .onRef('payment_options.payment_id', '=', 'outputs.payment_id')
        .onRef('payment_options.coin', '=', 'outputs.coin'),
    )
    .select('outputs.payment_id')
    .distinct()
    .where('outputs.coin', '=', slot('coin'))
    .where('outputs.mode', '=', slot('mode'))
    .where('outputs.height', '>', slot('height'))
    .where((eb) =>
      eb.or([
        eb('payment_options.required_finality', 'is not', null),
        eb(eb('outputs.height', '+', eb.ref('payment_options.required_confirmations')), '>', slot('next')),
        eb(eb('outputs.height', '+', eb.ref('outputs.maturity')), '>', slot('next')),
      ]),
    ),
);

/** Payments, by id after `after`, with late money whose price at the current rate is not known yet. */
export async function paymentsWithUnquotedMoney(
  db: Db,
  chain: ChainId,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await unquoted(db, chain)
    .select('payment_id')
    .distinct()
    .where('payment_id', '>', after)
    .orderBy('payment_id')
    .limit(limit)
    .execute();
  return rows.flatMap((row) => (row.payment_id === null ? [] : [row.payment_id]));
}

/** A payment's late money whose price at the current rate is not known yet. */
export async function unquotedOutputsOf(db: Db, chain: ChainId, paymentId: string): Promise<StoredOutput[]> {
  return unquoted(db, chain).selectAll().where('payment_id', '=', paymentId).execute();
}

/** Written out, not bound: only so does the planner prove that the partial index fits. */
function unquoted(db: Db, chain: ChainId) {
  return db
    .selectFrom('outputs')
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where(sql<boolean>`late = 1 and late_due is null and state <> 'gone'`);
}
