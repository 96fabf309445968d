import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Holding } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';
import type { StoredOutput } from './outputs.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';

/** SQL parameters per statement, well below SQLite's limit. */
const CHUNK = 500;

/** Confirmed unspent money of each of these accounts: in a block and spent by none. */
export async function confirmedHoldings(
  db: Db,
  chain: ChainId,
  watchKeys: readonly string[],
): Promise<Map<string, Holding[]>> {
  const byAccount = new Map<string, Holding[]>();
  for (let at = 0; at < watchKeys.length; at += HOLDERS) {
    const keys = watchKeys.slice(at, at + HOLDERS);
    const rows =
      keys.length === HOLDERS
        ? await holdingRowsOfMany(db, { ...chain, ...Object.fromEntries(keys.entries()) })
        : await holdingRows(db, chain, keys).execute();
    for (const { watchKey: key, txid, vout, amount } of rows) {
      const holding = { ref: { txid, index: vout }, amount: BigInt(amount) };
      const known = byAccount.get(key);
      if (known === undefined) byAccount.set(key, [holding]);
      else known.push(holding);
    }
  }
  return byAccount;
}

/**
 * Accounts per query, the same number as per request to a node: some chains need ten thousand in every block.
 */
const HOLDERS = 100;

function holdingRows(db: Db, { coin, mode }: ChainId, watchKeys: readonly string[]) {
  return db
    .selectFrom('addresses')
    .innerJoin('outputs', 'outputs.addressId', 'addresses.id')
    .select(['addresses.watchKey', 'outputs.txid', 'outputs.vout', 'outputs.amount'])
    .where('addresses.coin', '=', coin)
    .where('addresses.mode', '=', mode)
    .where('addresses.watchKey', 'in', watchKeys)
    .where('outputs.state', '=', sql.lit('confirmed'))
    .where('outputs.spentHeight', 'is', null)
    .orderBy('outputs.height')
    .orderBy('outputs.txid')
    .orderBy('outputs.vout');
}

const holdingRowsOfMany = prepared((db, param: ParamOf<ChainId & Readonly<Record<string, string>>>) =>
  holdingRows(
    db,
    { coin: param('coin'), mode: param('mode') },
    Array.from({ length: HOLDERS }, (_, at) => param(`${at}`)),
  ),
);

/** Number of transactions in blocks known to have spent from an account. */
export async function countSpenders(db: Db, { coin, mode }: ChainId, watchKey: string): Promise<number> {
  const { count } = await db
    .selectFrom('addresses')
    .innerJoin('outputs', 'outputs.addressId', 'addresses.id')
    .select((eb) => eb.fn.count<number>('outputs.spentBy').distinct().as('count'))
    .where('addresses.coin', '=', coin)
    .where('addresses.mode', '=', mode)
    .where('addresses.watchKey', '=', watchKey)
    .where('outputs.spentHeight', 'is not', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Unspent outputs confirmed above a height, by account, with whether a send has reserved them. */
export async function unspentAbove(
  db: Db,
  chain: ChainId,
  height: number,
): Promise<{ watchKey: string; isReserved: boolean }[]> {
  const rows = await db
    .selectFrom('outputs')
    .innerJoin('addresses', 'addresses.id', 'outputs.addressId')
    .select(['addresses.watchKey', 'outputs.sendId', 'outputs.spentBy'])
    .where('outputs.coin', '=', chain.coin)
    .where('outputs.mode', '=', chain.mode)
    .where('outputs.state', '=', sql.lit('confirmed'))
    .where('outputs.height', '>', height)
    .where('outputs.spentHeight', 'is', null)
    .execute();
  return rows.map(({ watchKey, sendId, spentBy }) => ({
    watchKey,
    isReserved: sendId !== null || spentBy !== null,
  }));
}

/** Outputs per read, which takes some milliseconds. */
const OUTPUTS_PER_READ = 5_000;

/**
 * A chain's unspent outputs as of the block at a recorded height, in batches between which other work continues: on a
 * snapshot they are those of one moment.
 */
export async function* unspentAt(
  db: Db,
  chain: ChainId,
  height: number,
): AsyncGenerator<readonly Pick<StoredOutput, 'txid' | 'vout' | 'amount'>[], void> {
  const { newest } = await db
    .selectFrom('outputs')
    .select((eb) => eb.fn.max<number | null>('seq').as('newest'))
    .executeTakeFirstOrThrow();
  for (let from = 1; from <= (newest ?? 0); from += OUTPUTS_PER_READ) {
    yield await unspentBetween(db, { ...chain, height, from, below: from + OUTPUTS_PER_READ });
    await setImmediate();
  }
}

const unspentBetween = prepared(
  (db, param: ParamOf<ChainId & { height: number; from: number; below: number }>) =>
    db
      .selectFrom('outputs')
      .select(['txid', 'vout', 'amount'])
      .where('seq', '>=', param('from'))
      .where('seq', '<', param('below'))
      // By the range alone: an index on the chain would read all of its outputs for each batch.
      .where(sql`+coin`, '=', param('coin'))
      .where(sql`+mode`, '=', param('mode'))
      .where('state', '=', sql.lit('confirmed'))
      .where(sql<number>`+height`, '<=', param('height'))
      .where((eb) =>
        eb.or([eb('spentHeight', 'is', null), eb(sql<number>`+spent_height`, '>', param('height'))]),
      ),
);

/** Balance of each of these accounts as of the block at a recorded height, atoms; zero balances are left out. */
export async function balancesAt(
  db: Db,
  chain: ChainId,
  watchKeys: readonly string[],
  height: number,
): Promise<Map<string, bigint>> {
  const balances = new Map<string, bigint>();
  for (let at = 0; at < watchKeys.length; at += CHUNK) {
    const keys = watchKeys.slice(at, at + CHUNK);
    const held = heldBy(db, chain, keys, height);
    const rows = [
      ...(await held.where('outputs.spentHeight', 'is', null).execute()),
      // Found by the height of the spending: most outputs were spent long before.
      ...(await held
        .where('outputs.coin', '=', chain.coin)
        .where('outputs.mode', '=', chain.mode)
        .where('outputs.spentHeight', '>', height)
        .execute()),
    ];
    for (const { watchKey: key, amount } of rows)
      balances.set(key, (balances.get(key) ?? 0n) + BigInt(amount));
  }
  return balances;
}

/** Confirmed outputs of these accounts up to a height. */
function heldBy(db: Db, chain: ChainId, keys: readonly string[], height: number) {
  return (
    db
      .selectFrom('addresses')
      .innerJoin('outputs', 'outputs.addressId', 'addresses.id')
      .select(['addresses.watchKey', 'outputs.amount'])
      .where('addresses.coin', '=', chain.coin)
      .where('addresses.mode', '=', chain.mode)
      .where('addresses.watchKey', 'in', keys)
      .where('outputs.state', '=', sql.lit('confirmed'))
      // `+`: by the account, not by walking over all outputs in the order of their heights.
      .where(sql<number>`+outputs.height`, '<=', height)
  );
}
