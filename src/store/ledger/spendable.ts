import { sql, type SelectQueryBuilder } from 'kysely';
import { accountsPerSend, OUTPUTS_PER_SEND } from '../../domain/accounts.ts';
import type { Fund } from '../../domain/chain.ts';
import { COIN_DEFINITIONS, type ChainId } from '../../domain/coins.ts';
import { isUnfrozen } from '../sends/wallet-freezes.ts';
import type { Db } from '../sqlite/database.ts';
import { isOwn, toKeyPath } from './address-index.ts';
import { isNotFrozen } from './frozen-outputs.ts';
import { accountAfterQueue } from './queued-account.ts';
import { spendableAccounts } from './spendable-accounts.ts';
import type { Tables } from '../schema/tables.ts';

/** A merchant's wallet on a chain. */
export interface WalletRef extends ChainId {
  readonly merchantId: string;
  /** On account chains: only the confirmed balance of this address, regardless of its open sends. */
  readonly from?: string | undefined;
}

type OutputQuery = SelectQueryBuilder<Tables, 'outputs', object>;

/**
 * Outputs that a send may use now: confirmed, mature at the chain's cursor, unspent and unreserved, of all of
 * the merchant's addresses. Largest first, at most `limit`; on chains where accounts are spent as a whole, as
 * many accounts as one send can draw on, each as one fund.
 */
export async function spendableFunds(
  db: Db,
  wallet: WalletRef,
  limit: number = OUTPUTS_PER_SEND,
): Promise<Fund[]> {
  const accounts = wallet.from === undefined ? accountsPerSend(wallet) : null;
  if (accounts !== null) return (await spendableAccounts(db, wallet, accounts)).map(({ fund }) => fund);
  return toFunds(available(db, wallet), wallet.from === undefined ? limit : MAX_ACCOUNT_PARTS);
}

/** The spendable balance, atoms. */
export interface SpendableTotal {
  readonly amount: bigint;
  readonly count: number;
  /** Outputs whose spending costs more than they hold; not in `amount`. */
  readonly uneconomical: bigint;
}

/**
 * The total that is spendable now, in as many sends as necessary; on chains where accounts are spent as a
 * whole, the amount that one send can draw on.
 * @param inputCost atoms that spending one output costs: outputs worth no more are uneconomical to spend
 */
export async function spendableTotal(db: Db, wallet: WalletRef, inputCost: bigint): Promise<SpendableTotal> {
  if (wallet.from === undefined && accountsPerSend(wallet) !== null) {
    const funds = await spendableFunds(db, wallet);
    return sumSpendable(((await fundsAfterQueue(db, wallet, funds)) ?? funds).map(({ amount }) => amount));
  }
  const spendable = matured(available(db, wallet));
  if (!COIN_DEFINITIONS[wallet.coin].fitsInt64) {
    const rows = await spendable.limit(MAX_ACCOUNT_PARTS).select('outputs.amount').execute();
    return sumSpendable(rows.map((row) => BigInt(row.amount)));
  }
  const atoms = sql`cast(outputs.amount as integer)`;
  const isUneconomical = sql`${atoms} <= ${inputCost}`;
  const row = await spendable
    .select([
      sql<string>`cast(coalesce(sum(case when ${isUneconomical} then 0 else ${atoms} end), 0) as text)`.as(
        'amount',
      ),
      sql<string>`cast(coalesce(sum(case when ${isUneconomical} then ${atoms} else 0 end), 0) as text)`.as(
        'uneconomical',
      ),
      sql<number>`coalesce(sum(case when ${isUneconomical} then 0 else 1 end), 0)`.as('count'),
    ])
    .executeTakeFirstOrThrow();
  return { amount: BigInt(row.amount), uneconomical: BigInt(row.uneconomical), count: row.count };
}

/**
 * On chains where accounts are spent as a whole: these accounts, with the merchant address in its state after
 * the sends in flight. A send that draws on it waits for them. Null where waiting brings nothing more.
 */
export async function fundsAfterQueue(
  db: Db,
  wallet: WalletRef,
  idle: readonly Fund[],
): Promise<readonly Fund[] | null> {
  const account = await accountAfterQueue(db, wallet);
  if (account === null) return null;
  const others = idle.filter(({ address }) => address !== account.address);
  return [account, ...others].slice(0, accountsPerSend(wallet) ?? 0);
}

function sumSpendable(amounts: readonly bigint[]): SpendableTotal {
  return {
    amount: amounts.reduce((sum, amount) => sum + amount, 0n),
    count: amounts.length,
    uneconomical: 0n,
  };
}

/** Merchants with at least this many spendable outputs, and the sum of these; in random order. */
export async function merchantsWithManyOutputs(
  db: Db,
  chain: ChainId,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<{ merchantId: string; account: number; amount: bigint }[]> {
  const rows = await db
    .selectFrom('outputs')
    .innerJoin('merchants', 'merchants.id', 'outputs.merchantId')
    .where('outputs.coin', '=', chain.coin)
    .where('outputs.mode', '=', chain.mode)
    .where('outputs.state', '=', sql.lit('confirmed'))
    .where('outputs.spentBy', 'is', null)
    .where('outputs.sendId', 'is', null)
    .where(isOwn)
    .where(isNotFrozen)
    .where(isUnfrozen('outputs.merchant_id'))
    .groupBy(['outputs.merchantId', 'merchants.account'])
    .having(sql<number>`count(*)`, '>=', from)
    .select(['outputs.merchantId', 'merchants.account'])
    .select(sql<string>`cast(sum(cast(outputs.amount as integer)) as text)`.as('amount'))
    .orderBy(sql`random()`)
    .limit(limit)
    .execute();
  return rows.map(({ merchantId, account, amount }) => ({
    merchantId,
    account,
    amount: BigInt(amount),
  }));
}

/**
 * Unconfirmed transactions whose outputs a send has reserved: `unconfirmed`, such as own change in flight,
 * and `gone`, which a fork or the network dropped and may restore. On chains where accounts are spent as a
 * whole, a transaction counts as gone only once its expiry is proven, which is final.
 */
export async function unminedInputs(
  db: Db,
  send: ChainId & { readonly id: string },
): Promise<{ readonly unconfirmed: readonly string[]; readonly gone: readonly string[] }> {
  const rows = await db
    .selectFrom('outputs')
    .select(['txid', 'state'])
    .distinct()
    .where('sendId', '=', send.id)
    .where('state', 'in', accountsPerSend(send) === null ? ['unconfirmed', 'gone'] : ['unconfirmed'])
    .execute();
  const of = (wanted: 'unconfirmed' | 'gone') =>
    rows.flatMap(({ txid, state }) => (state === wanted ? [txid] : []));
  return { unconfirmed: of('unconfirmed'), gone: of('gone') };
}

/** Maximum parts read for one account, whose balance is one sum. */
const MAX_ACCOUNT_PARTS = 20_000;

function available(db: Db, wallet: WalletRef): OutputQuery {
  return wallet.from === undefined ? unclaimed(db, wallet) : heldBy(db, wallet, wallet.from);
}

function heldBy(db: Db, { merchantId, coin, mode }: WalletRef, address: string): OutputQuery {
  const account = db
    .selectFrom('addresses')
    .select('addresses.id')
    .where('addresses.merchantId', '=', merchantId)
    .where('addresses.coin', '=', coin)
    .where('addresses.mode', '=', mode)
    .where('addresses.address', '=', address);
  return db
    .selectFrom('outputs')
    .where('outputs.addressId', 'in', account)
    .where('outputs.state', '=', sql.lit('confirmed'))
    .where(isOwn)
    .where('outputs.spentHeight', 'is', null);
}

/** Literals, not parameters: only then can the planner prove that the partial index applies. */
function unclaimed(db: Db, wallet: WalletRef): OutputQuery {
  return db
    .selectFrom('outputs')
    .where('outputs.merchantId', '=', wallet.merchantId)
    .where('outputs.coin', '=', wallet.coin)
    .where('outputs.mode', '=', wallet.mode)
    .where('outputs.state', '=', sql.lit('confirmed'))
    .where(isOwn)
    .where(isNotFrozen)
    .where('outputs.spentBy', 'is', null)
    .where('outputs.sendId', 'is', null);
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

/** Decimal text without leading zeros sorts numerically by length first. */
function largest(query: ReturnType<typeof matured>) {
  return query
    .orderBy((eb) => eb.fn<number>('length', ['outputs.amount']), 'desc')
    .orderBy('outputs.amount', 'desc');
}

export async function toFunds(query: OutputQuery, limit = OUTPUTS_PER_SEND): Promise<Fund[]> {
  const rows = await largest(matured(query))
    .orderBy('outputs.txid')
    .orderBy('outputs.vout')
    .limit(limit)
    .innerJoin('addresses', 'addresses.id', 'outputs.addressId')
    .innerJoin('merchants', 'merchants.id', 'outputs.merchantId')
    .select(['outputs.coin', 'outputs.mode', 'outputs.txid', 'outputs.vout', 'outputs.amount'])
    .select(['addresses.address', 'addresses.branch', 'addresses.idx', 'merchants.account'])
    .execute();
  return rows.map(({ coin, mode, account, branch, ...row }) => ({
    ref: { txid: row.txid, index: row.vout },
    amount: BigInt(row.amount),
    address: row.address,
    keyPath: toKeyPath({ coin, mode }, { account, branch, idx: row.idx }),
  }));
}
