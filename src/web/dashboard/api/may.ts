import { useShopId, useShops } from './hooks.ts';
import type { Scope, Shop } from '../contract/types.ts';

/** Whether the user's role in a shop includes something; `owner` is for what no role includes. */
export function mayIn({ role, scopes }: Shop, what: Scope | 'owner'): boolean {
  if (role === undefined || role === 'owner') return true;
  return what !== 'owner' && scopes?.includes(what) === true;
}

/**
 * What the user may do in a shop, that of the address unless another is given, so that nothing is offered that would be
 * refused: the server decides. Until the shops are read everything is offered.
 */
export function useMay(of?: string): (what: Scope | 'owner') => boolean {
  const addressed = useShopId();
  const shop = useShops().data?.merchants.find(({ id }) => id === (of ?? addressed));
  return (what) => shop === undefined || mayIn(shop, what);
}

/** Like useMay, but nothing is offered until the shop is read: for the menu, which would lose entries before one's eyes. */
export function useMayKnown(of: string): (what: Scope | 'owner') => boolean {
  const shop = useShops().data?.merchants.find(({ id }) => id === of);
  return (what) => shop !== undefined && mayIn(shop, what);
}
