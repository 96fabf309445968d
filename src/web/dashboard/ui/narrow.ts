import { useSyncExternalStore } from 'react';

/** Below the width from which the style sheet's `md:` applies. */
const NARROW = globalThis.matchMedia('(width < 48rem)');

function subscribe(onChange: () => void): () => void {
  NARROW.addEventListener('change', onChange);
  return () => NARROW.removeEventListener('change', onChange);
}

/** Whether the screen is as narrow as a phone's: for tables that have other columns there. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => NARROW.matches);
}
