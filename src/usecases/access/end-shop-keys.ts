import { deleteKeys, insertApiKeys } from '../../store/merchants/api-keys.ts';
import { deleteRestrictedKeys } from '../../store/merchants/restricted-keys.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { newKeyPair } from './api-key.ts';

/**
 * Ends every key of a shop at once. A new pair takes the place of the old one, because a shop has a public key at all
 * times; nobody has seen its secret, so that the owner regenerates it.
 * @returns how many keys ended
 */
export async function endShopKeys(tx: Tx, merchantId: string, now: number): Promise<number> {
  const ended = (await deleteKeys(tx, merchantId)) + (await deleteRestrictedKeys(tx, merchantId));
  await insertApiKeys(tx, newKeyPair(merchantId, now).rows);
  return ended;
}
