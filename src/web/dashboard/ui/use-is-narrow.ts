import { useSyncExternalStore } from 'react';

/** Below the width at which `md:` of the style sheet applies. */
const NARROW = globalThis.matchMedia('(width < 48rem)');

function subscribe(onChange: () => void): () => void {
  NARROW.addEventListener('change', onChange);
  return () => NARROW.removeEventListener('change', onChange);
}

/** Whether the screen is as narrow as a phone's, for tables that have other columns then. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => NARROW.matches);
}
