import { deleteKeys, insertApiKeys } from '../../store/merchants/api-keys.ts';
import { disconnectCounters } from '../../store/merchants/counters.ts';
import { deleteRestrictedKeys } from '../../store/merchants/restricted-keys.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { newApiKeys } from './api-key.ts';

/**
 * Revokes every key of a shop at once, and disconnects its counters. A new pair replaces the old one, because a shop always has a public
 * key; its secret is never shown, so the owner regenerates it.
 * @returns the number of revoked keys
 */
export async function endShopKeys(tx: Tx, merchantId: string, now: number): Promise<number> {
  const ended = (await deleteKeys(tx, merchantId)) + (await deleteRestrictedKeys(tx, merchantId));
  await disconnectCounters(tx, merchantId);
  await insertApiKeys(tx, newApiKeys(merchantId, now).rows);
  return ended;
}
