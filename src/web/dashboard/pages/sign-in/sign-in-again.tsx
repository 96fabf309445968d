import { useEffect, useId, useRef } from 'react';
import { createPortal } from 'react-dom';
import type { User } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../ui/basics.tsx';
import { SignInForm } from './sign-in.tsx';
import { BASE_PATH } from '../../../base-path.ts';

/**
 * Asks for the password over a page whose session expired. The page below keeps its input but cannot be read or used;
 * if another user signs in, the dashboard is reloaded.
 */
export function SignInAgain({ as }: { as: User }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  // A modal `<dialog>`, which is above the page's dialogs and makes them inert.
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
          if (user.id !== as.id) window.location.assign(`${BASE_PATH}/dashboard`);
        }}
        extra={
          <Button look="quiet" onClick={() => window.location.assign(`${BASE_PATH}/dashboard/login`)}>
            {t('Leave')}
          </Button>
        }
      />
    </dialog>,
    document.body,
  );
}
