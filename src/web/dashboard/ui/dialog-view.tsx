import { Dialog as Base } from '@base-ui/react/dialog';
import { useRef, type ReactNode } from 'react';
import { session } from '../api/session.ts';
import { pendingStepUp } from '../api/step-up.ts';
import { t } from '../i18n/t.ts';
import { Button } from './basics.tsx';

export interface DialogProps {
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  /** For content that is shown only once: closed only by its own button, not by a key or a click outside. */
  readonly keepsOpen?: boolean;
  /** Focuses its first field instead of the close button. */
  readonly startsInField?: boolean;
  readonly children: ReactNode;
}

/** Traps the keyboard focus, closes on Escape, restores the focus. */
export function DialogView(props: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  const field = (): HTMLElement | null => popup.current?.querySelector('input') ?? null;
  const change = (open: boolean): void => {
    // Events of a sign-in or step-up dialog above it must not close it.
    if (!open && props.keepsOpen !== true && session() !== null && pendingStepUp() === null) props.onClose();
  };
  return (
    <Base.Root open={props.open} onOpenChange={change}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 bg-black/45" />
        <Base.Popup
          ref={popup}
          {...(props.startsInField === true ? { initialFocus: field } : {})}
          className="fixed top-1/2 left-1/2 max-h-[calc(100dvh-2rem)] w-[min(30rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-2xl border border-line bg-card p-6 shadow-2xl"
        >
          <div className="mb-4 flex items-start justify-between gap-4">
            <Base.Title className="text-lg font-bold">{props.title}</Base.Title>
            {props.keepsOpen !== true && (
              <Base.Close
                render={<Button look="quiet" aria-label={t('Close')} className="-mt-1 -me-2 !px-3" />}
              >
                <span aria-hidden="true">✕</span>
              </Base.Close>
            )}
          </div>
          {props.children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
