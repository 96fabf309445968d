import { sql, type SelectQueryBuilder } from 'kysely';
import { accountsPerSend, OUTPUTS_PER_SEND } from '../domain/accounts.ts';
import type { Fund, OutputRef } from '../domain/chain.ts';
import type { ChainId } from '../domain/coins.ts';
import type { Db, Tx } from './database.ts';
import { reserveWholeAccounts, spendableAccounts } from './spendable-accounts.ts';
import type { Tables } from './tables.ts';

/** Whose money, on which chain. */
export interface WalletRef extends ChainId {
  readonly merchantId: string;
  /** On chains of accounts: only what this address holds in blocks, whatever is under way from it. */
  readonly from?: string | undefined;
}

type OutputQuery = SelectQueryBuilder<Tables, 'outputs', object>;

/**
 * Money that a send may use now: confirmed, mature at the chain's cursor, unspent and unreserved,
 * of all of the merchant's addresses. Largest first, at most OUTPUTS_PER_SEND of them; where accounts
 * are spent as a whole, as many as one send can draw on, each as one fund.
 */
export async function spendableFunds(db: Db, wallet: WalletRef): Promise<Fund[]> {
  const accounts = wallet.from === undefined ? accountsPerSend(wallet) : null;
  if (accounts !== null) return (await spendableAccounts(db, wallet, accounts)).map(({ fund }) => fund);
  return toFunds(available(db, wallet), limitFor(wallet));
}

/** Of the same outputs only the amounts, in atoms. */
export async function spendableAmounts(db: Db, wallet: WalletRef): Promise<bigint[]> {
  if (wallet.from === undefined && accountsPerSend(wallet) !== null) {
    return (await spendableFunds(db, wallet)).map(({ amount }) => amount);
  }
  const rows = await largest(matured(available(db, wallet)))
    .limit(limitFor(wallet))
    .select('outputs.amount')
    .execute();
  return rows.map((row) => BigInt(row.amount));
}

/** Confirmed, unspent outputs that this send already holds, whichever of its versions uses them. */
export async function reservedFunds(db: Db, sendId: string): Promise<Fund[]> {
  return toFunds(
    db
      .selectFrom('outputs')
      .where('outputs.send_id', '=', sendId)
      .where('outputs.state', '=', 'confirmed')
      .where('outputs.spent_by', 'is', null),
  );
}

/**
 * Takes outputs for one send.
 * @throws when one of them is spent or taken already: the caller read it outside this transaction.
 */
export async function reserveOutputs(
  tx: Tx,
  chain: ChainId,
  refs: readonly OutputRef[],
  sendId: string,
): Promise<void> {
  if (!tx.isTransaction) throw new Error('reserveOutputs must run in a transaction');
  for (const ref of refs) {
    const { numUpdatedRows } = await tx
      .updateTable('outputs')
      .set({ send_id: sendId })
      .where('coin', '=', chain.coin)
      .where('mode', '=', chain.mode)
      .where('txid', '=', ref.txid)
      .where('vout', '=', ref.index)
      .where('state', '=', 'confirmed')
      .where('spent_by', 'is', null)
      .where((eb) => eb.or([eb('send_id', 'is', null), eb('send_id', '=', sendId)]))
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) throw new Error(`output ${ref.txid}:${ref.index} is not free`);
  }
  if (accountsPerSend(chain) !== null) await reserveWholeAccounts(tx, sendId);
}

/** Gives back what a send holds; with `unspentOnly` what was spent stays in its name. */
export async function releaseOutputs(
  tx: Tx,
  sendId: string,
  options: { unspentOnly?: boolean } = {},
): Promise<void> {
  let update = tx.updateTable('outputs').set({ send_id: null }).where('send_id', '=', sendId);
  if (options.unspentOnly === true) update = update.where('spent_by', 'is', null);
  await update.execute();
}

/** Sends whose surplus is given back at a time. */
const MAX_RELEASED = 500;

/** Confirmed sends up to a height that still hold outputs which the confirmed version did not use. */
export async function sendsWithSurplus(db: Db, chain: ChainId, upToHeight: number): Promise<string[]> {
  const rows = await db
    .selectFrom('outputs')
    .innerJoin('sends', 'sends.id', 'outputs.send_id')
    .where('outputs.coin', '=', chain.coin)
    .where('outputs.mode', '=', chain.mode)
    .where('outputs.send_id', 'is not', null)
    .where('outputs.spent_by', 'is', null)
    .where('sends.status', '=', 'confirmed')
    .where('sends.height', '<=', upToHeight)
    .select('outputs.send_id as id')
    .distinct()
    .limit(MAX_RELEASED)
    .execute();
  return rows.flatMap((row) => (row.id === null ? [] : [row.id]));
}

/** Whether a send holds money that no block holds any more: a reorg took it out and may bring it back. */
export async function holdsUnconfirmed(db: Db, sendId: string): Promise<boolean> {
  const row = await db
    .selectFrom('outputs')
    .select('txid')
    .where('send_id', '=', sendId)
    .where('state', '=', 'unconfirmed')
    .executeTakeFirst();
  return row !== undefined;
}

/** What an account holds is one sum, however many parts it came in. */
const MAX_ACCOUNT_PARTS = 20_000;

function limitFor({ from }: WalletRef): number {
  return from === undefined ? OUTPUTS_PER_SEND : MAX_ACCOUNT_PARTS;
}

function available(db: Db, wallet: WalletRef): OutputQuery {
  return wallet.from === undefined ? unclaimed(db, wallet) : heldBy(db, wallet, wallet.from);
}

function heldBy(db: Db, { merchantId, coin, mode }: WalletRef, address: string): OutputQuery {
  const account = db
    .selectFrom('addresses')
    .select('addresses.id')
    .where('addresses.merchant_id', '=', merchantId)
    .where('addresses.coin', '=', coin)
    .where('addresses.mode', '=', mode)
    .where('addresses.address', '=', address);
  return db
    .selectFrom('outputs')
    .where('outputs.address_id', 'in', account)
    .where('outputs.state', '=', sql.lit('confirmed'))
    .where('outputs.spent_height', 'is', null);
}

/** Literals, not parameters: only so does the planner prove that the partial index fits. */
function unclaimed(db: Db, wallet: WalletRef): OutputQuery {
  return db
    .selectFrom('outputs')
    .where('outputs.merchant_id', '=', wallet.merchantId)
    .where('outputs.coin', '=', wallet.coin)
    .where('outputs.mode', '=', wallet.mode)
    .where('outputs.state', '=', sql.lit('confirmed'))
    .where('outputs.spent_by', 'is', null)
    .where('outputs.send_id', 'is', null);
}

function matured(query: OutputQuery) {
  return query
    .innerJoin('chain_cursors', (join) =>
      join.onRef('chain_cursors.coin', '=', 'outputs.coin').onRef('chain_cursors.mode', '=', 'outputs.mode'),
    )
    .where((eb) =>
      eb(
        eb('chain_cursors.height', '-', eb.ref('outputs.height')),
        '>=',
        eb('outputs.maturity', '-', eb.lit(1)),
      ),
    );
}

/** Decimal text without leading zeros sorts as a number by its length first. */
function largest(query: ReturnType<typeof matured>) {
  return query
    .orderBy((eb) => eb.fn<number>('length', ['outputs.amount']), 'desc')
    .orderBy('outputs.amount', 'desc');
}

async function toFunds(query: OutputQuery, limit = OUTPUTS_PER_SEND): Promise<Fund[]> {
  const rows = await largest(matured(query))
    .orderBy('outputs.txid')
    .orderBy('outputs.vout')
    .limit(limit)
    .innerJoin('addresses', 'addresses.id', 'outputs.address_id')
    .innerJoin('merchants', 'merchants.id', 'outputs.merchant_id')
    .select(['outputs.coin', 'outputs.mode', 'outputs.txid', 'outputs.vout', 'outputs.amount'])
    .select(['addresses.address', 'addresses.branch', 'addresses.idx', 'merchants.account'])
    .execute();
  return rows.map(({ coin, mode, account, branch, ...row }) => ({
    ref: { txid: row.txid, index: row.vout },
    amount: BigInt(row.amount),
    address: row.address,
    keyPath: { coin, mode, account, branch, index: row.idx },
  }));
}
