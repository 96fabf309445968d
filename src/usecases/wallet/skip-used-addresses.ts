import type { KeyPath } from '../../domain/keys.ts';
import { allMerchants, skipAccountsBelow } from '../../store/merchants/merchants.ts';
import { writeMeta } from '../../store/meta.ts';
import { watchUntil, type GapLimitDeps } from './gap-limit.ts';

/**
 * Brings a database up that is older than the addresses that were given out: those it does not know are watched
 * and never given out again, and the account numbers of merchants that it does not know are left out.
 * @param given for each branch, the index below which addresses may have been given out
 * @returns how many addresses are watched in addition, and how many accounts no merchant is known of
 */
export async function skipUsedAddresses(
  deps: GapLimitDeps,
  given: readonly KeyPath[],
): Promise<{ addresses: number; unknownMerchants: number }> {
  const merchants = new Map((await allMerchants(deps.db)).map((merchant) => [merchant.account, merchant]));
  const unknown = new Set<number>();
  let accountsBelow = 0;
  let addresses = 0;
  for (const { account, coin, mode, branch, index } of given) {
    accountsBelow = Math.max(accountsBelow, account + 1);
    const merchant = merchants.get(account);
    if (merchant === undefined) unknown.add(account);
    else {
      const at = { merchantId: merchant.id, coin, mode, branch };
      addresses += await watchUntil(deps, merchant, at, index);
    }
  }
  await deps.db.transaction(async (tx) => skipAccountsBelow(tx, accountsBelow));
  // What is read of the chains from here on is new to this database, as after a restore.
  await writeMeta(deps.db, 'restored_at', String(deps.clock.now()));
  return { addresses, unknownMerchants: unknown.size };
}
