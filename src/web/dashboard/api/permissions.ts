import { useShopId, useShops } from './hooks.ts';
import type { Scope, Shop } from '../contract/types.ts';

/** Whether the user's role in a shop includes a scope; `owner` is for permissions that no role includes. */
export function hasPermission({ role, scopes }: Shop, what: Scope | 'owner'): boolean {
  if (role === undefined || role === 'owner') return true;
  return what !== 'owner' && scopes?.includes(what) === true;
}

/**
 * The user's permissions in a shop, by default that of the address, so that actions which the server would
 * reject are not shown. Until the shops are loaded all actions are shown.
 */
export function usePermission(of?: string): (what: Scope | 'owner') => boolean {
  const addressed = useShopId();
  const shop = useShops().data?.merchants.find(({ id }) => id === (of ?? addressed));
  return (what) => shop === undefined || hasPermission(shop, what);
}

/**
 * Like usePermission, but nothing is shown until the shop is loaded: for the menu, whose entries would otherwise
 * disappear.
 */
export function useMayKnown(of: string): (what: Scope | 'owner') => boolean {
  const shop = useShops().data?.merchants.find(({ id }) => id === of);
  return (what) => shop !== undefined && hasPermission(shop, what);
}
