import type { Selectable } from 'kysely';
import type { Coin } from '../../domain/coins.ts';
import type { LookAheadRangeRow } from '../schema/ledger.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { toStoredIndex } from './address-index.ts';
import { nextAddressIndex, type AddressBranch } from './addresses.ts';
import { skipWatchIndexes, type WatchAccount } from './watch-accounts.ts';

/** Addresses of a branch that are reserved and not watched yet. */
export type LookAheadRange = Selectable<LookAheadRangeRow>;

/**
 * Reserves the next addresses of a live branch, so that none of them is issued, and records that they must
 * still be watched. Derives nothing.
 */
export async function reserveAddresses(
  tx: Tx,
  at: Omit<AddressBranch, 'mode'>,
  { count, createdAt }: { readonly count: number; readonly createdAt: number },
): Promise<void> {
  const { merchantId, coin, branch } = at;
  const nextIndex = await nextAddressIndex(tx, { ...at, mode: 'live' });
  const untilIndex = nextIndex + count;
  await tx
    .insertInto('address_counters')
    .values({ merchantId, coin, mode: 'live', branch, nextIndex: untilIndex })
    .onConflict((conflict) => conflict.doUpdateSet({ nextIndex: untilIndex }))
    .execute();
  await tx
    .insertInto('look_ahead_ranges')
    .values({ merchantId, coin, branch, nextIndex, untilIndex, createdAt })
    .execute();
}

/** Like reserveAddresses, for a branch of a watched account; at most to the end of a list. @returns how many */
export async function reserveWatchAddresses(
  tx: Tx,
  { number, merchantId, coin, nextReceive, nextChange, listSize }: WatchAccount,
  of: { readonly branch: 0 | 1; readonly count: number; readonly createdAt: number },
): Promise<number> {
  const { branch, createdAt } = of;
  const first = branch === 0 ? nextReceive : nextChange;
  const count = Math.min(of.count, (listSize ?? Infinity) - first);
  if (count <= 0) return 0;
  await skipWatchIndexes(tx, number, branch, first + count);
  const [nextIndex, untilIndex] = [toStoredIndex(number, first), toStoredIndex(number, first + count)];
  await tx
    .insertInto('look_ahead_ranges')
    .values({ merchantId, coin, branch, nextIndex, untilIndex, createdAt })
    .execute();
  return count;
}

/** The next range to watch, chain by chain; undefined when all are watched. */
export async function nextLookAheadRange(db: Db): Promise<LookAheadRange | undefined> {
  return db
    .selectFrom('look_ahead_ranges')
    .selectAll()
    .orderBy('coin')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

/** Records that a range is watched below an index; deletes a range that is completely watched. */
export async function watchedBelow(tx: Tx, range: LookAheadRange, index: number): Promise<void> {
  if (index < range.untilIndex)
    await tx.updateTable('look_ahead_ranges').set({ nextIndex: index }).where('id', '=', range.id).execute();
  else await tx.deleteFrom('look_ahead_ranges').where('id', '=', range.id).execute();
}

/** Reserved addresses of each chain that are not watched yet. */
export async function countLookAhead(db: Db): Promise<ReadonlyMap<Coin, number>> {
  const rows = await db
    .selectFrom('look_ahead_ranges')
    .select(({ fn, eb }) => ['coin', fn.sum<number>(eb('untilIndex', '-', eb.ref('nextIndex'))).as('left')])
    .groupBy('coin')
    .execute();
  return new Map(rows.map(({ coin, left }) => [coin, left]));
}
