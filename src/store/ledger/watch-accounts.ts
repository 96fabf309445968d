import { sql, type Selectable } from 'kysely';
import type { ChainId, Coin, Mode } from '../../domain/coins.ts';
import { type KeyPath, watchedAccount } from '../../domain/keys.ts';
import type { WatchAccountRow } from '../schema/ledger.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';
import { fromStoredIndex, storedIndexes } from './address-index.ts';
import { dropProposedAddresses, releaseListedAddresses } from './watch-lists.ts';

/** An account of another wallet whose addresses a shop gives out. */
export type WatchAccount = Selectable<WatchAccountRow>;

type Wallet = ChainId & { readonly merchantId: string };

/** Stores an account that is not confirmed; a shop has at most one of these per coin. */
export async function proposeWatchAccount(
  tx: Tx,
  row: Omit<WatchAccount, 'number' | 'nextChange' | 'confirmedAt' | 'pendingId' | 'startsAt'>,
): Promise<WatchAccount> {
  for (const { number, listSize } of await unconfirmedAccounts(tx, row))
    if (listSize !== null) await dropProposedAddresses(tx, number, listSize);
  await tx
    .deleteFrom('watch_accounts')
    .where('merchantId', '=', row.merchantId)
    .where('mode', '=', row.mode)
    .where('coin', '=', row.coin)
    .where('confirmedAt', 'is', null)
    .execute();
  return tx
    .insertInto('watch_accounts')
    .values({ ...row, nextChange: 0, confirmedAt: null, pendingId: null, startsAt: null })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Deletes a list that gave no order an address, so that its addresses may be listed again. */
export async function deleteList(tx: Tx, { number, listSize }: WatchAccount): Promise<void> {
  await releaseListedAddresses(tx, number, listSize ?? 0);
  await dropProposedAddresses(tx, number, listSize ?? 0);
  await tx
    .deleteFrom('watch_accounts')
    .where('number', '=', number)
    .where('nextReceive', '=', 0)
    .executeTakeFirstOrThrow();
}

async function unconfirmedAccounts(db: Db, wallet: Wallet): Promise<WatchAccount[]> {
  return (await listWalletAccounts(db, wallet)).filter(({ confirmedAt }) => confirmedAt === null);
}

export async function updateWatchAccount(
  tx: Tx,
  number: number,
  change: Partial<Pick<WatchAccount, 'id' | 'confirmedAt' | 'pendingId' | 'startsAt' | 'descriptor'>> & {
    readonly updatedAt: number;
  },
): Promise<void> {
  await tx.updateTable('watch_accounts').set(change).where('number', '=', number).execute();
}

export async function findWatchAccount(db: Db, id: string): Promise<WatchAccount | undefined> {
  return db.selectFrom('watch_accounts').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findWatchAccountByNumber(db: Db, number: number): Promise<WatchAccount | undefined> {
  return db.selectFrom('watch_accounts').selectAll().where('number', '=', number).executeTakeFirst();
}

/** A confirmed account of any shop with one of these as its first address for payments or for change. */
export async function findSameAccount(
  db: Db,
  { coin, mode }: ChainId,
  firstKeys: readonly string[],
): Promise<WatchAccount | undefined> {
  return db
    .selectFrom('watch_accounts')
    .selectAll()
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where('confirmedAt', 'is not', null)
    .where((eb) => eb.or([eb('firstReceive', 'in', firstKeys), eb('firstChange', 'in', firstKeys)]))
    .executeTakeFirst();
}

/** All accounts of a shop in a mode, those that it uses no more included, oldest first. */
export async function listWatchAccounts(
  db: Db,
  { merchantId, mode }: { readonly merchantId: string; readonly mode: Mode },
): Promise<WatchAccount[]> {
  return db
    .selectFrom('watch_accounts')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .where('mode', '=', mode)
    .orderBy('number')
    .execute();
}

export async function listWalletAccounts(db: Db, wallet: Wallet): Promise<WatchAccount[]> {
  return (await listWatchAccounts(db, wallet)).filter(({ coin }) => coin === wallet.coin);
}

/** Every account, for recovery. */
export async function allWatchAccounts(db: Db): Promise<WatchAccount[]> {
  return db
    .selectFrom('watch_accounts')
    .selectAll()
    .where('confirmedAt', 'is not', null)
    .orderBy('number')
    .execute();
}

/** The account of each coin that new orders of a shop use at a time; coins that use the till's own are left out. */
export async function activeWatchAccounts(
  db: Db,
  of: { readonly merchantId: string; readonly mode: Mode; readonly now: number },
): Promise<ReadonlyMap<Coin, WatchAccount>> {
  const rows = await startedWatchAccounts(db, of);
  return new Map(rows.map((row) => [row.coin, row]));
}

/**
 * The accounts that have taken effect and were not ended, the latest of a coin last: of accounts with keys the latest
 * is used, of lists all of them, the earliest first.
 */
export async function startedWatchAccounts(
  db: Db,
  of: { readonly merchantId: string; readonly mode: Mode; readonly now: number },
): Promise<readonly WatchAccount[]> {
  return started(db, of);
}

const started = prepared(
  (db, param: ParamOf<{ readonly merchantId: string; readonly mode: Mode; readonly now: number }>) =>
    db
      .selectFrom('watch_accounts')
      .selectAll()
      .where('merchantId', '=', param('merchantId'))
      .where('mode', '=', param('mode'))
      .where('startsAt', '<=', param('now'))
      .orderBy('startsAt')
      .orderBy('number'),
);

/** Allocates the next index of a branch; never reused. */
export async function takeWatchIndex(tx: Tx, number: number, branch: 0 | 1): Promise<number> {
  const column = branch === 0 ? 'nextReceive' : 'nextChange';
  const row = await tx
    .updateTable('watch_accounts')
    .set((eb) => ({ [column]: eb(column, '+', 1) }))
    .where('number', '=', number)
    .returning(column)
    .executeTakeFirstOrThrow();
  return row[column] - 1;
}

/** The next index for payments of the accounts with this first address; 0 where none is watched. */
export async function nextWatchedReceive(
  db: Db,
  { coin, mode }: ChainId,
  firstReceive: string,
): Promise<number> {
  const row = await db
    .selectFrom('watch_accounts')
    .select((eb) => eb.fn.max<number | null>('nextReceive').as('next'))
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where('firstReceive', '=', firstReceive)
    .executeTakeFirst();
  return row?.next ?? 0;
}

/** Skips addresses for payments of the accounts with this first address: a send of the till went to one. */
export async function skipWatchedReceive(
  tx: Tx,
  { coin, mode }: ChainId,
  { firstReceive, below }: { readonly firstReceive: string; readonly below: number },
): Promise<void> {
  await tx
    .updateTable('watch_accounts')
    .set({ nextReceive: below })
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where('firstReceive', '=', firstReceive)
    .where('nextReceive', '<', below)
    .execute();
}

/** Skips addresses up to an index, exclusive: they may have been given out. */
export async function skipWatchIndexes(tx: Tx, number: number, branch: 0 | 1, below: number): Promise<void> {
  const column = branch === 0 ? 'nextReceive' : 'nextChange';
  await tx
    .updateTable('watch_accounts')
    .set({ [column]: sql<number>`min(${below}, coalesce(list_size, ${below}))` })
    .where('number', '=', number)
    .where(column, '<', below)
    .execute();
}

/** Every branch with the index of its next address. */
export async function watchCounters(db: Db): Promise<KeyPath[]> {
  const accounts = await allWatchAccounts(db);
  return accounts.flatMap(({ number, coin, mode, nextReceive, nextChange }) => {
    const path = { coin, mode, account: watchedAccount(number) };
    return [
      { ...path, branch: 0 as const, index: nextReceive },
      { ...path, branch: 1 as const, index: nextChange },
    ].filter(({ index }) => index > 0);
  });
}

/** No account is used for new orders of a shop any more; returns how many were used or about to be. */
export async function endWatching(
  tx: Tx,
  { merchantId, coin, mode }: { readonly merchantId: string; readonly coin?: Coin; readonly mode?: Mode },
  now: number,
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('watch_accounts')
    .set({ startsAt: null, pendingId: null, updatedAt: now })
    .where('merchantId', '=', merchantId)
    .where('startsAt', 'is not', null)
    .$if(coin !== undefined, (query) => query.where('coin', '=', coin ?? 'BTC'))
    .$if(mode !== undefined, (query) => query.where('mode', '=', mode ?? 'live'))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/**
 * In an older copy of the database, new orders use the till's own accounts until an owner confirms again: an account may
 * have been replaced since because its keys were lost.
 */
export async function markWatchRestored(tx: Tx, now: number): Promise<void> {
  await tx
    .updateTable('watch_accounts')
    .set({ startsAt: null, pendingId: null, updatedAt: now })
    .where('startsAt', 'is not', null)
    .execute();
}

/** Addresses at the end of an account's payments that received nothing: wallets find up to 20. At most `limit`. */
export async function countUnpaidAddresses(
  db: Db,
  { number, merchantId, coin, mode }: WatchAccount,
  limit: number,
): Promise<number> {
  const { from, below } = storedIndexes(number);
  const rows = await db
    .selectFrom('addresses')
    .select((eb) => [
      'idx',
      eb
        .exists(
          eb
            .selectFrom('outputs')
            .select('outputs.seq')
            .whereRef('outputs.paymentId', '=', 'addresses.paymentId')
            .whereRef('outputs.addressId', '=', 'addresses.id'),
        )
        .as('isPaid'),
    ])
    .where('merchantId', '=', merchantId)
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where('branch', '=', 0)
    .where('idx', '>=', from)
    .where('idx', '<', below)
    .orderBy('idx', 'desc')
    .limit(limit)
    .execute();
  const first = rows.findIndex(({ isPaid }) => Number(isPaid) === 1);
  return first === -1 ? rows.length : first;
}

/** How many change addresses of an account come after this one; all of them where it is null. */
export async function countChangeAfter(
  db: Db,
  { number, merchantId, coin, mode, nextChange }: WatchAccount,
  address: string | null,
): Promise<number> {
  if (address === null) return nextChange;
  const { from, below } = storedIndexes(number);
  const row = await db
    .selectFrom('addresses')
    .select('idx')
    .where('merchantId', '=', merchantId)
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where('branch', '=', 1)
    .where('idx', '>=', from)
    .where('idx', '<', below)
    .where('address', '=', address)
    .executeTakeFirst();
  return row === undefined ? nextChange : nextChange - fromStoredIndex(row.idx).index - 1;
}
