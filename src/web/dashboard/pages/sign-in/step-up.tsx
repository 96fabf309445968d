import { useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { requestPrivate, type ApiError } from '../../api/client.ts';
import { useAct } from '../../api/hooks.ts';
import { lostSession, useSession } from '../../api/session.ts';
import { usePendingStepUp, type Proof } from '../../api/step-up.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../ui/basics.tsx';
import { Field } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { PasskeyStepUp } from './use-passkey.tsx';

/** Asks for the step-up that a request waits for; the request is then sent again. */
export function StepUp() {
  const pending = usePendingStepUp();
  return pending === null ? null : <Question proof={pending.proof} onAnswer={pending.answer} />;
}

function Question(props: { proof: Proof; onAnswer: (isProven: boolean) => void }) {
  const { onAnswer } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const [needsCode, setNeedsCode] = useState(props.proof === 'code');
  const confirm = useAct(
    (proof: { password: string } | { code: string }) => requestPrivate('POST /auth/step-up', proof),
    () => onAnswer(true),
  );
  const { error } = confirm;
  // The second factor was enabled since the dialog opened.
  if (error?.code === 'SECOND_FACTOR_REQUIRED' && !needsCode) setNeedsCode(true);
  useEndWithSession(onAnswer);
  // A modal `<dialog>`, which is above the page's dialogs and makes them inert.
  useEffect(() => dialog.current?.showModal(), []);
  return createPortal(
    <dialog
      ref={dialog}
      aria-labelledby={title}
      onCancel={(event) => {
        event.preventDefault();
        onAnswer(false);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // A dialog below must not handle it.
        event.preventDefault();
        event.stopPropagation();
        onAnswer(false);
      }}
      className="m-auto w-[min(24rem,calc(100vw-2rem))] rounded-2xl border border-line bg-card p-6 text-ink shadow-2xl backdrop:bg-black/45"
    >
      <h2 id={title} className="mb-2 text-lg font-bold">
        {t('Confirm that it is you')}
      </h2>
      <p className="mb-4 text-sm text-soft">
        {t(
          'This concerns money, keys, or where payers and notifications go. You are not asked again for five minutes.',
        )}
      </p>
      <Form
        fields={['password', 'code']}
        submit={t('Confirm')}
        busy={confirm.isPending}
        error={shown(error)}
        onSubmit={({ password, code }) => confirm.mutate(needsCode ? { code } : { password })}
        extra={
          <Button look="quiet" disabled={confirm.isPending} onClick={() => onAnswer(false)}>
            {t('Cancel')}
          </Button>
        }
      >
        {needsCode ? CODE : PASSWORD}
      </Form>
      <PasskeyStepUp onDone={() => onAnswer(true)} />
    </dialog>,
    document.body,
  );
}

/** The user signed out in another tab, so the step-up is cancelled. */
function useEndWithSession(onAnswer: (isProven: boolean) => void): void {
  const isOut = useSession() === null && lostSession() === null;
  useEffect(() => {
    if (isOut) onAnswer(false);
  }, [isOut, onAnswer]);
}

const CODE = (
  <Field
    label={t('Code')}
    name="code"
    autoComplete="one-time-code"
    inputMode="numeric"
    hint={t('From your authenticator app, or one of your recovery codes. Each works once.')}
    required
    autoFocus
  />
);

const PASSWORD = (
  <Field
    label={t('Your password')}
    name="password"
    type="password"
    autoComplete="current-password"
    required
    autoFocus
  />
);

/** Not an error message: the new field for the code says that it is needed. */
function shown(error: ApiError | null): ApiError | null {
  return error?.code === 'SECOND_FACTOR_REQUIRED' ? null : error;
}
