import { insertAddresses } from '../../store/ledger/addresses.ts';
import { nextLookAheadRange, watchedBelow } from '../../store/ledger/look-ahead.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import type { AllocateAddressDeps } from './allocate-address.ts';

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
    const { merchant_id, coin, branch, next_index, until_index, created_at } = range;
    const merchant = await findMerchant(tx, merchant_id);
    if (merchant === undefined) throw new Error(`merchant ${merchant_id} does not exist`);
    const chain = { coin, mode: 'live' } as const;
    const indexes = Array.from(
      { length: Math.min(BATCH, until_index - next_index) },
      (_, n) => next_index + n,
    );
    const rows = indexes.map((index) => {
      const address = deriver.address({ ...chain, account: merchant.account, branch, index });
      const watch_key = toWatchKey(chain, address);
      return { ...chain, merchant_id, branch, idx: index, address, watch_key, created_at };
    });
    await insertAddresses(
      tx,
      rows.map((row) => ({ ...row, purpose: 'recovered' as const, payment_id: null })),
    );
    await watchedBelow(tx, range, next_index + indexes.length);
    return true;
  });
}
