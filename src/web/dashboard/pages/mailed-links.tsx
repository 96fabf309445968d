import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api } from '../api/client.ts';
import type { Body } from '../api/contract.ts';
import { useAct } from '../api/hooks.ts';
import { useFilters } from '../api/search.ts';
import { t } from '../i18n/t.ts';
import { Button, LINK, Problem } from '../ui/basics.tsx';
import { Field } from '../ui/form.tsx';
import { Form } from '../ui/whole-form.tsx';
import { Gate } from './sign-in.tsx';

const toSignIn = (
  <Link to="/login" className={LINK}>
    {t('Go to sign in')}
  </Link>
);

/** The token of a mailed link, taken out of the address at once so that it stays in no history. */
function useMailedToken(): string {
  const [{ token = '' }] = useFilters();
  const [kept] = useState(token);
  const navigate = useNavigate();
  useEffect(() => {
    if (token !== '') void navigate({ to: '.', search: {}, replace: true });
  }, [token, navigate]);
  return kept;
}

export function ForgotPage() {
  const forgot = useAct((body: Body<'POST', '/auth/forgot-password'>) =>
    api('POST', '/auth/forgot-password', { body }),
  );
  return (
    <Gate title={t('Forgot the password')} lead={t('We mail you a link to set a new one.')} foot={toSignIn}>
      {forgot.data === undefined ? (
        <Form
          fields={['email']}
          submit={t('Send the link')}
          busy={forgot.isPending}
          error={forgot.error}
          onSubmit={(values) => forgot.mutate(values)}
        >
          <Field label={t('Email')} name="email" type="email" autoComplete="username" required />
        </Form>
      ) : (
        <p role="status" lang="en">
          {forgot.data.message}.
        </p>
      )}
    </Gate>
  );
}

export function ResetPage() {
  const token = useMailedToken();
  const reset = useAct(({ password }: { password: string }) =>
    api('POST', '/auth/reset-password', { body: { token, password } }),
  );
  return (
    <Gate title={t('Set a new password')} foot={toSignIn}>
      {reset.data === undefined ? (
        <Form
          fields={['password']}
          submit={t('Set password')}
          busy={reset.isPending}
          error={reset.error}
          onSubmit={(values) => reset.mutate(values)}
        >
          <Field
            label={t('New password')}
            name="password"
            type="password"
            autoComplete="new-password"
            hint={t('8 characters or more. Every other session ends.')}
            minLength={8}
            maxLength={128}
            required
          />
        </Form>
      ) : (
        <p role="status">{t('The password was changed: sign in with the new one.')}</p>
      )}
    </Gate>
  );
}

export function VerifyPage() {
  const token = useMailedToken();
  const verify = useAct(() => api('POST', '/auth/verify-email', { body: { token } }));
  return (
    <Gate title={t('Verify your email')} foot={toSignIn}>
      {verify.isSuccess ? (
        <p role="status">{t('Your address is verified.')}</p>
      ) : (
        <div className="grid gap-4">
          {verify.error !== null && <Problem error={verify.error} />}
          <Button look="primary" busy={verify.isPending} onClick={() => verify.mutate()}>
            {t('Verify now')}
          </Button>
        </div>
      )}
    </Gate>
  );
}
