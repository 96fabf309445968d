import { fromStoredIndex } from '../../store/ledger/address-index.ts';
import { insertAddresses } from '../../store/ledger/addresses.ts';
import { nextLookAheadRange, watchedBelow } from '../../store/ledger/look-ahead.ts';
import { findWatchAccountByNumber } from '../../store/ledger/watch-accounts.ts';
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
    const rows = indexes.map((idx) => {
      const { index } = fromStoredIndex(idx);
      const own = { ...chain, account: merchant.account, branch, index };
      const address = deriver.address(watched === undefined ? own : watchPath(watched, branch, index));
      const watchKey = toWatchKey(chain, address);
      return { ...chain, merchantId, branch, idx, address, watchKey, createdAt };
    });
    await insertAddresses(
      tx,
      rows.map((row) => ({ ...row, purpose: 'recovered' as const, paymentId: null })),
    );
    await watchedBelow(tx, range, nextIndex + indexes.length);
    return true;
  });
}
