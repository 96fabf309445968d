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
  readonly children: ReactNode;
}

const FIELD = 'input:not([type="hidden"]), select, textarea';

/** Traps the keyboard focus, closes on Escape, restores the focus. */
export function DialogView(props: DialogProps) {
  const body = useRef<HTMLDivElement>(null);
  /** A form starts in its first field, except by touch, where a keyboard on the screen would cover the dialog. */
  const findStart = (by: string): HTMLElement | true => {
    if (by === 'touch') return true;
    const marked = body.current?.querySelector<HTMLElement>('[data-starts-here]');
    return marked ?? body.current?.querySelector<HTMLElement>(FIELD) ?? true;
  };
  const change = (open: boolean): void => {
    // Events of a sign-in or step-up dialog above it must not close it.
    if (!open && props.keepsOpen !== true && session() !== null && pendingStepUp() === null) props.onClose();
  };
  return (
    <Base.Root open={props.open} onOpenChange={change}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 bg-black/45" />
        <Base.Popup
          initialFocus={findStart}
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
          <div ref={body}>{props.children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
