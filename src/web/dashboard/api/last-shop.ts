import { useEffect } from 'react';
import { useShopId, useShops } from './hooks.ts';

const STORED_AS = 'tilld.last-shop';

function stored(): string {
  try {
    return sessionStorage.getItem(STORED_AS) ?? '';
  } catch {
    return '';
  }
}

/**
 * The shop in the address, else the last one that was open in this tab, so that pages without a shop keep its
 * menu.
 */
export function useFrameShopId(isListOfShops: boolean): string {
  const shopId = useShopId();
  const shops = useShops().data?.merchants ?? [];
  const isKnown = shops.some(({ id }) => id === shopId);
  useEffect(() => {
    if (!isKnown) return;
    try {
      sessionStorage.setItem(STORED_AS, shopId);
    } catch {
      // Without it, pages without a shop show the menu without one.
    }
  }, [isKnown, shopId]);
  if (shopId !== '' || isListOfShops) return shopId;
  const last = stored();
  return shops.some(({ id }) => id === last) ? last : '';
}
