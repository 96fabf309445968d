import { type KeyPath, watchNumber } from '../../domain/keys.ts';
import { findWatchAccountByNumber } from '../../store/ledger/watch-accounts.ts';
import { allMerchants, skipAccountsBelow } from '../../store/merchants/merchants.ts';
import { markRestored } from './lifecycle/mark-restored.ts';
import {
  type GapLimitDeps,
  noteUnknownAddresses,
  watchAccountUntil,
  watchUntil,
} from '../addresses/index.ts';

/**
 * Catches up a database that is older than the addresses issued from its seed: addresses it does not know are watched
 * and never issued again, and account numbers of merchants it does not know are skipped.
 * @param given for each branch, the index below which addresses may have been issued
 * @returns how many addresses are newly watched, and how many accounts have no known merchant
 */
export async function skipUsedAddresses(
  deps: GapLimitDeps,
  given: readonly KeyPath[],
): Promise<{ addresses: number; unknownMerchants: number }> {
  const merchants = new Map((await allMerchants(deps.db)).map((merchant) => [merchant.account, merchant]));
  const unknown = new Set<number>();
  let accountsBelow = 0;
  let addresses = 0;
  for (const path of given) {
    const { account, coin, mode, branch, index } = path;
    const watched = watchNumber(path);
    if (watched !== null) {
      const known = await findWatchAccountByNumber(deps.db, watched);
      // Another account may have been confirmed under the number of one that was only proposed.
      if (known === undefined || known.confirmedAt === null) await noteUnknownAddresses(deps.db, index);
      else addresses += await watchAccountUntil(deps, watched, branch, index);
      continue;
    }
    accountsBelow = Math.max(accountsBelow, account + 1);
    const merchant = merchants.get(account);
    if (merchant === undefined) unknown.add(account);
    else {
      const at = { merchantId: merchant.id, coin, mode, branch };
      addresses += await watchUntil(deps, merchant, at, index);
    }
  }
  await deps.db.transaction(async (tx) => skipAccountsBelow(tx, accountsBelow));
  await markRestored(deps.db, deps.clock);
  return { addresses, unknownMerchants: unknown.size };
}
