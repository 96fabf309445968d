import { fromStoredIndex } from '../../store/ledger/address-index.ts';
import { filterWatched, insertAddresses } from '../../store/ledger/addresses.ts';
import { nextLookAheadRange, watchedBelow } from '../../store/ledger/look-ahead.ts';
import { findWatchAccountByNumber, type WatchAccount } from '../../store/ledger/watch-accounts.ts';
import { listedAddresses } from '../../store/ledger/watch-lists.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { type AllocateAddressDeps, watchPath } from './allocate-address.ts';

/** Addresses per transaction: some ten milliseconds, so that requests never wait long. */
const BATCH = 64;

export type WatchLookAheadDeps = Pick<AllocateAddressDeps, 'deriver' | 'toWatchKey'> & { readonly db: Db };

/**
 * Derives and watches some of the addresses that a restore reserved, in one transaction with the progress.
 * @returns false when none are left
 */
export async function watchLookAhead({ db, deriver, toWatchKey }: WatchLookAheadDeps): Promise<boolean> {
  return db.transaction(async (tx) => {
    const range = await nextLookAheadRange(tx);
    if (range === undefined) return false;
    const { merchantId, coin, branch, nextIndex, untilIndex, createdAt } = range;
    const merchant = await findMerchant(tx, merchantId);
    if (merchant === undefined) throw new Error(`merchant ${merchantId} does not exist`);
    const chain = { coin, mode: 'live' } as const;
    const indexes = Array.from({ length: Math.min(BATCH, untilIndex - nextIndex) }, (_, n) => nextIndex + n);
    const { number } = fromStoredIndex(nextIndex);
    const watched = number === null ? undefined : await findWatchAccountByNumber(tx, number);
    const { index: from } = fromStoredIndex(nextIndex);
    const listed = await readListed(tx, watched, { from, below: from + indexes.length });
    const rows = indexes.map((idx, at) => {
      const { index } = fromStoredIndex(idx);
      const own = { ...chain, account: merchant.account, branch, index };
      const address = deriver.address(
        watched === undefined ? own : watchPath(watched, branch, index, listed[at]),
      );
      const watchKey = toWatchKey(chain, address);
      return { ...chain, merchantId, branch, idx, address, watchKey, createdAt };
    });
    const known = await filterWatched(
      tx,
      chain,
      rows.map(({ watchKey }) => watchKey),
    );
    const isOfList = watched !== undefined && watched.listSize !== null;
    await insertAddresses(
      tx,
      (isOfList ? rows.filter(({ watchKey }) => !known.has(watchKey)) : rows).map((row) => ({
        ...row,
        purpose: 'recovered' as const,
        paymentId: null,
      })),
    );
    await watchedBelow(tx, range, nextIndex + indexes.length);
    return true;
  });
}

/** The addresses of a list in a range; none for other accounts, which derive them. */
async function readListed(
  db: Db,
  watched: WatchAccount | undefined,
  range: { readonly from: number; readonly below: number },
): Promise<readonly string[]> {
  if (watched === undefined || watched.listSize === null) return [];
  return (await listedAddresses(db, watched.number, range)).map(({ address }) => address);
}
