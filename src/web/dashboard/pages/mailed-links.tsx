import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api } from '../api/client.ts';
import type { Body } from '../api/contract.ts';
import { useAct } from '../api/hooks.ts';
import { useFilters } from '../api/search.ts';
import { Button, LINK, Problem } from '../ui/basics.tsx';
import { Field, fieldError, Form } from '../ui/form.tsx';
import { Gate } from './sign-in.tsx';

const toSignIn = (
  <Link to="/login" className={LINK}>
    Go to sign in
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
    <Gate title="Forgot the password" lead="We mail you a link to set a new one." foot={toSignIn}>
      {forgot.data === undefined ? (
        <Form
          fields={['email']}
          submit="Send the link"
          busy={forgot.isPending}
          error={forgot.error}
          onSubmit={(values) => forgot.mutate(values)}
        >
          <Field label="Email" name="email" type="email" autoComplete="username" required />
        </Form>
      ) : (
        <p role="status">{forgot.data.message}.</p>
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
    <Gate title="Set a new password" foot={toSignIn}>
      {reset.data === undefined ? (
        <Form
          fields={['password']}
          submit="Set password"
          busy={reset.isPending}
          error={reset.error}
          onSubmit={(values) => reset.mutate(values)}
        >
          <Field
            label="New password"
            name="password"
            type="password"
            autoComplete="new-password"
            hint="8 characters or more. Every other session ends."
            minLength={8}
            maxLength={128}
            required
            {...fieldError(reset.error, 'password')}
          />
        </Form>
      ) : (
        <p role="status">{reset.data.message}.</p>
      )}
    </Gate>
  );
}

export function VerifyPage() {
  const token = useMailedToken();
  const verify = useAct(() => api('POST', '/auth/verify-email', { body: { token } }));
  return (
    <Gate title="Verify your email" foot={toSignIn}>
      {verify.isSuccess ? (
        <p role="status">Your address is verified.</p>
      ) : (
        <div className="grid gap-4">
          {verify.error !== null && <Problem error={verify.error} />}
          <Button look="primary" busy={verify.isPending} onClick={() => verify.mutate()}>
            Verify now
          </Button>
        </div>
      )}
    </Gate>
  );
}
