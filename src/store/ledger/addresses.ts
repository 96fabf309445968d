import { setImmediate } from 'node:timers/promises';
import { sql, type Selectable } from 'kysely';
import type { OpenKey } from '../../domain/chain.ts';
import type { ChainId, Coin } from '../../domain/coins.ts';
import type { KeyPath } from '../../domain/keys.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, preparedInserts, preparedList, type ParamOf } from '../sqlite/prepared.ts';
import type { AddressRow } from '../schema/ledger.ts';
import { foreign } from './address-index.ts';

/** One stored address, as read back. */
export type StoredAddress = Selectable<AddressRow>;

/** The scope of an address index: merchant, coin, mode and branch. */
export interface AddressBranch extends ChainId {
  readonly merchantId: string;
  readonly branch: 0 | 1;
}

/** SQL parameters per statement, well below SQLite's limit. */
const CHUNK = 500;

/**
 * Allocates the next index of a branch on each of these chains, starting at 0 and never reused. The counter rows are
 * written first, so two transactions cannot read the same value.
 */
export async function allocateAddressIndexes(
  tx: Tx,
  at: Omit<AddressBranch, 'coin'>,
  coins: readonly Coin[],
): Promise<{ coin: Coin; index: number }[]> {
  const { merchantId, mode, branch } = at;
  const rows = await takeIndexes(
    tx,
    coins.map((coin) => ({ merchantId, coin, mode, branch, nextIndex: 1 })),
  );
  return rows.map((row) => ({ coin: row.coin, index: row.nextIndex - 1 }));
}

const takeIndexes = preparedInserts(
  'address_counters',
  ['coin', 'nextIndex'],
  sql` on conflict (merchant_id, coin, mode, branch) do update set next_index = address_counters.next_index + 1`,
);

/** The index of the next address of a branch, without allocating it. */
export async function nextAddressIndex(db: Db, at: AddressBranch): Promise<number> {
  const row = await db
    .selectFrom('address_counters')
    .select('nextIndex')
    .where('merchantId', '=', at.merchantId)
    .where('coin', '=', at.coin)
    .where('mode', '=', at.mode)
    .where('branch', '=', at.branch)
    .executeTakeFirst();
  return row?.nextIndex ?? 0;
}

/** Every branch that has addresses, with the next index of each. */
export async function addressCounters(db: Db): Promise<KeyPath[]> {
  const rows = await db
    .selectFrom('address_counters')
    .innerJoin('merchants', 'merchants.id', 'address_counters.merchantId')
    .select(['merchants.account', 'coin', 'mode', 'branch', 'nextIndex as index'])
    .execute();
  return rows;
}

function announceAddress(tx: Tx, ids: Iterable<number>): void {
  const { onNewAddresses } = tx.database;
  if (onNewAddresses === null) return;
  const newest = Math.max(...ids);
  tx.afterCommit(() => onNewAddresses(newest));
}

/** @param rows all of one mode @returns them with their ids */
export async function insertAddresses(
  tx: Tx,
  rows: readonly Omit<StoredAddress, 'id'>[],
): Promise<StoredAddress[]> {
  const ids = new Map<string, number>();
  for (const { id, coin, watchKey } of await insertRows(tx, rows)) ids.set(`${coin} ${watchKey}`, id);
  announceAddress(tx, ids.values());
  return rows.map((row) => {
    const id = ids.get(`${row.coin} ${row.watchKey}`);
    if (id === undefined) throw new Error(`no ${row.coin} address was stored`);
    return { ...row, id };
  });
}

const insertRows = preparedInserts('addresses', ['id', 'coin', 'watchKey']);

/**
 * The watched subset of these keys, with their rows. The cost depends on the given keys, not on the number of
 * watched ones.
 */
export async function findWatched(
  db: Db,
  chain: ChainId,
  watchKeys: readonly string[],
): Promise<StoredAddress[]> {
  const watched: StoredAddress[] = [];
  for (let at = 0; at < watchKeys.length; at += CHUNK) {
    const keys = watchKeys.slice(at, at + CHUNK);
    const [only] = keys;
    // A block that pays us usually pays only one address.
    const rows =
      keys.length === 1 && only !== undefined
        ? await watchedAs(db, { ...chain, watchKey: only })
        : await watchedAmong(db, chain, keys).execute();
    for (const row of rows) watched.push(row);
  }
  return watched;
}

function watchedAmong(db: Db, { coin, mode }: ChainId, watchKeys: readonly string[]) {
  return db
    .selectFrom('addresses')
    .selectAll()
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where('watchKey', 'in', watchKeys);
}

const watchedAs = prepared((db, param: ParamOf<ChainId & { watchKey: string }>) =>
  watchedAmong(db, { coin: param('coin'), mode: param('mode') }, [param('watchKey')]),
);

/** The watched subset of these keys, from an index alone. */
export async function filterWatched(
  db: Db,
  chain: ChainId,
  watchKeys: readonly string[],
): Promise<ReadonlySet<string>> {
  return new Set((await watchedIn(db, chain, watchKeys)).map((row) => row.watchKey));
}

const watchedIn = preparedList((db, param: ParamOf<ChainId>, watchKeys) =>
  db
    .selectFrom('addresses')
    .select('watchKey')
    .where('coin', '=', param('coin'))
    .where('mode', '=', param('mode'))
    .where('watchKey', 'in', watchKeys),
);

/** The highest address id over all chains, 0 while there is none. */
export async function newestAddressId(db: Db): Promise<number> {
  return (await newestId(db, {}))[0]?.newest ?? 0;
}

const newestId = prepared((db) =>
  db.selectFrom('addresses').select((eb) => eb.fn.max<number | null>('id').as('newest')),
);

/** A chain's addresses in a range of ids. */
export async function addressesBetween(
  db: Db,
  { coin, mode }: ChainId,
  { from, below }: { readonly from: number; readonly below: number },
): Promise<OpenKey[]> {
  const rows = await between(db, { coin, mode, from, below });
  return rows.map((row) => ({ watchKey: row.watchKey, since: row.createdAt, ...foreign(row.idx) }));
}

const between = prepared((db, param: ParamOf<ChainId & { from: number; below: number }>) =>
  db
    .selectFrom('addresses')
    .select(['watchKey', 'createdAt', 'idx'])
    .where('id', '>=', param('from'))
    .where('id', '<', param('below'))
    .where('coin', '=', param('coin'))
    .where('mode', '=', param('mode'))
    .orderBy('id'),
);

/** The accounts of these payments on a chain. At most a few hundred ids at a time. */
export async function accountsOfPaymentsOn(
  db: Db,
  chain: ChainId,
  paymentIds: readonly string[],
): Promise<{ watchKey: string; paymentId: string }[]> {
  const rows = await db
    .selectFrom('addresses')
    .select(['watchKey', 'paymentId'])
    .where('paymentId', 'in', paymentIds)
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .execute();
  return rows.flatMap(({ watchKey, paymentId }) => (paymentId === null ? [] : [{ watchKey, paymentId }]));
}

/** All watch keys of a chain, page by page in the order of creation. */
export async function watchKeysAfter(
  db: Db,
  chain: ChainId,
  after: number,
  limit: number,
): Promise<{ position: number; watchKey: string }[]> {
  const rows = await keysAfter(db, { ...chain, after, limit });
  return rows.map((row) => ({ position: row.id, watchKey: row.watchKey }));
}

const keysAfter = prepared((db, param: ParamOf<ChainId & { after: number; limit: number }>) =>
  db
    .selectFrom('addresses')
    .select(['id', 'watchKey'])
    .where('coin', '=', param('coin'))
    .where('mode', '=', param('mode'))
    .where('id', '>', param('after'))
    .orderBy('id')
    .limit(param('limit')),
);

/** Whether an address was given out for a payment of a merchant on a chain. */
export async function hasPaymentAddress(db: Db, at: Omit<AddressBranch, 'branch'>): Promise<boolean> {
  const row = await db
    .selectFrom('addresses')
    .select('id')
    .where('merchantId', '=', at.merchantId)
    .where('coin', '=', at.coin)
    .where('mode', '=', at.mode)
    .where('branch', '=', 0)
    .where('purpose', 'in', ['payment', 'recovered'])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The merchant's own address on a chain: the first of its receiving branch. */
export async function merchantAddress(
  db: Db,
  at: Omit<AddressBranch, 'branch'>,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('addresses')
    .select('address')
    .where('merchantId', '=', at.merchantId)
    .where('coin', '=', at.coin)
    .where('mode', '=', at.mode)
    .where('branch', '=', 0)
    .where('idx', '=', 0)
    .executeTakeFirst();
  return row?.address;
}

/** The first address of every merchant on every live chain, with its account. */
export async function merchantAddresses(db: Db): Promise<(StoredAddress & { account: number })[]> {
  return db
    .selectFrom('addresses')
    .innerJoin('merchants', 'merchants.id', 'addresses.merchantId')
    .selectAll('addresses')
    .select('merchants.account')
    .where('addresses.mode', '=', 'live')
    .where('addresses.branch', '=', 0)
    .where('addresses.idx', '=', 0)
    .execute();
}

/** Watch keys per read, which takes some milliseconds. */
const KEYS_PER_READ = 1_000;

/** All watch keys of a chain, read in batches between which other work continues. */
export async function watchedKeys(db: Db, chain: ChainId): Promise<string[]> {
  const keys: string[] = [];
  for (let after = 0; ;) {
    const batch = await watchKeysAfter(db, chain, after, KEYS_PER_READ);
    for (const { watchKey } of batch) keys.push(watchKey);
    const last = batch.at(-1);
    if (last === undefined || batch.length < KEYS_PER_READ) return keys;
    after = last.position;
    await setImmediate();
  }
}
