import { useSyncExternalStore } from 'react';
import { t } from './i18n/t.ts';

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

/**
 * Warns that the shown data is no longer updated. A browser that reports to be online may still reach
 * nothing.
 */
export function OfflineNote() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div role="status">
      {!isOnline && (
        <p className="mb-4 rounded-xl bg-warn-soft px-4 py-2 text-sm font-medium text-warn">
          {t('You are offline. What you see may be out of date.')}
        </p>
      )}
    </div>
  );
}
