import { Toast } from '@base-ui/react/toast';
import { useEffect } from 'react';
import { direction } from '../i18n/language.ts';
import { t } from '../i18n/t.ts';
import { showToastsBy } from './toast.ts';

const SHOWN_MS = 5_000;

const manager = Toast.createToastManager();

/** The region of messages: a polite live region, reachable by F6, visible while hovered or focused. */
export function ToastView() {
  useEffect(() => showToastsBy((text) => manager.add({ description: text })), []);
  return (
    <Toast.Provider toastManager={manager} timeout={SHOWN_MS} limit={1}>
      <Toast.Portal>
        <Toast.Viewport
          aria-label={t('Notes')}
          className="fixed inset-x-4 bottom-4 z-20 mx-auto w-auto max-w-sm outline-none sm:start-auto sm:end-6 sm:mx-0 sm:w-96"
        >
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      // A message without a question is not a dialog.
      role="group"
      aria-modal={undefined}
      swipeDirection={['down', direction === 'rtl' ? 'left' : 'right']}
      className="toast absolute inset-x-0 bottom-0 flex items-center justify-between gap-3 rounded-xl border border-line bg-ink py-1.5 ps-4 pe-1.5 text-sm text-card shadow-2xl"
    >
      <Toast.Description className="min-w-0 break-words" />
      <Toast.Close
        aria-label={t('Dismiss')}
        // It is always visible and operable, so screen readers must always see it.
        aria-hidden={undefined}
        className="grid size-9 shrink-0 place-items-center rounded-lg hover:bg-card/15"
      >
        <span aria-hidden="true">✕</span>
      </Toast.Close>
    </Toast.Root>
  ));
}
