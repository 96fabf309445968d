import { useShopId, useShops } from './hooks.ts';
import type { Scope } from './types.ts';

/**
 * What the user may do in a shop, that of the address unless another is given, so that nothing is offered that would be
 * refused: the server decides. `owner` is for what no role includes. Until the shops are read everything is offered.
 */
export function useMay(of?: string): (what: Scope | 'owner') => boolean {
  const addressed = useShopId();
  const shop = useShops().data?.merchants.find(({ id }) => id === (of ?? addressed));
  return (what) => {
    if (shop?.role === undefined || shop.role === 'owner') return true;
    return what !== 'owner' && shop.scopes?.includes(what) === true;
  };
}
