import { useEffect, useId, useRef } from 'react';
import { createPortal } from 'react-dom';
import type { User } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../ui/basics.tsx';
import { SignInForm } from './sign-in.tsx';

/**
 * Asks for the password over a page whose session ran out. The page below stays as it is, with
 * everything typed in it, but cannot be read or used; whoever signs in as somebody else starts anew.
 */
export function SignInAgain({ as }: { as: User }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  // The browser's own dialog: it also stands above the page's dialogs and makes them inert.
  useEffect(() => dialog.current?.showModal(), []);
  return createPortal(
    <dialog
      ref={dialog}
      aria-labelledby={title}
      onCancel={(event) => event.preventDefault()}
      className="m-auto w-[min(24rem,calc(100vw-2rem))] rounded-2xl border border-line bg-card p-6 text-ink shadow-2xl backdrop:bg-black/70 backdrop:backdrop-blur-xl"
    >
      <h2 id={title} className="mb-4 text-lg font-bold">
        {t('Sign in')}
      </h2>
      <SignInForm
        email={as.email}
        onDone={({ user }) => {
          if (user.id !== as.id) window.location.assign('/dashboard');
        }}
        extra={
          <Button look="quiet" onClick={() => window.location.assign('/dashboard/login')}>
            {t('Leave')}
          </Button>
        }
      />
    </dialog>,
    document.body,
  );
}
