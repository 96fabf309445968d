import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import type { ApiError } from '../api/client.ts';
import { loadLater } from '../load-later.ts';
import { t } from '../i18n/t.ts';
import { Button, Problem } from './basics.tsx';
import type { DialogProps } from './dialog-view.tsx';

// The library of dialogs is as large as a page: it is loaded after the first one.
const View = lazyRouteComponent(
  loadLater(async () => import('./dialog-view.tsx')),
  'DialogView',
);

/** Traps the keyboard focus, closes on Escape, restores the focus. */
export function Dialog(props: DialogProps) {
  const [wasOpen, setWasOpen] = useState(props.open);
  if (props.open && !wasOpen) setWasOpen(true);
  if (!wasOpen) return null;
  return (
    <Suspense fallback={null}>
      <View {...props} />
    </Suspense>
  );
}

interface ConfirmProps extends DialogProps {
  /** The label of the button that executes the action. */
  readonly action: string;
  readonly busy: boolean;
  readonly error: ApiError | null;
  readonly onConfirm: () => void;
}

/** Asks for confirmation of an irreversible action. */
export function Confirm(props: ConfirmProps) {
  const { action, busy, error, onConfirm, children, ...dialog } = props;
  return (
    <Dialog {...dialog}>
      <div className="grid gap-5">
        <div className="grid gap-2 text-sm">{children}</div>
        {error !== null && <Problem error={error} />}
        <div className="flex flex-wrap gap-2">
          <Button look="danger" busy={busy} onClick={onConfirm}>
            {action}
          </Button>
          <Button disabled={busy} onClick={dialog.onClose}>
            {t('Back')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
