import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api, requestPrivate, type ApiError, type ResetReview } from '../../api/client.ts';
import type { Body } from '../../contract/contract.ts';
import { useAct } from '../../api/hooks.ts';
import { useFilters } from '../../api/search.ts';
import { t } from '../../i18n/t.ts';
import { Button, LINK, Problem } from '../../ui/basics.tsx';
import { Check, Field } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { Gate } from './sign-in.tsx';
import { SignedInGate } from './signed-in-gate.tsx';

const toSignIn = (
  <Link to="/login" className={LINK}>
    {t('Go to sign in')}
  </Link>
);

/** The token of an emailed link, removed from the address at once so that it is not in the browser history. */
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
    <Gate title={t('Forgot the password')} lead={t('We email you a link to set a new one.')} foot={toSignIn}>
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

/** What a new password revokes, and what else the reader may revoke with it. */
function AccessNote({ of }: { of: ResetReview }) {
  const { isConfirmed, passkeys, keys, shops } = of;
  if (!isConfirmed) {
    return (
      <p role="note" className="rounded-xl bg-warn-soft p-3 text-sm text-warn">
        {t(
          'This address has never been confirmed, so another person may have created this account. A new password ends all other access: passkeys, two-factor sign-in, and the keys, people and webhooks of its shops.',
        )}{' '}
        {t('Passkeys: {passkeys}. Keys: {keys}. Shops: {shops}.', {
          passkeys: passkeys.length,
          keys: keys.length,
          shops: shops.length === 0 ? '0' : shops.join(', '),
        })}
      </p>
    );
  }
  return (
    <>
      {passkeys.length > 0 && (
        <Check
          label={t('Also remove my passkeys: {names}', {
            names: passkeys.map(({ name }) => name).join(', '),
          })}
          name="endPasskeys"
        />
      )}
      {(keys.length > 0 || shops.length > 0) && (
        <Check
          label={t('Also end all API keys of my shops: {names}', {
            names: [...shops, ...keys.map(({ name, lastFour }) => `${name} …${lastFour}`)].join(', '),
          })}
          name="endKeys"
        />
      )}
    </>
  );
}

export function ResetPage() {
  const token = useMailedToken();
  const review = useQuery<ResetReview, ApiError>({
    queryKey: ['/auth/reset-password/review', token],
    queryFn: () => requestPrivate('POST /auth/reset-password/review', { token }),
    enabled: token !== '',
    retry: false,
  });
  const reset = useAct((body: Omit<Body<'POST', '/auth/reset-password'>, 'token'>) =>
    api('POST', '/auth/reset-password', { body: { token, ...body } }),
  );
  return (
    <Gate title={t('Set a new password')} foot={toSignIn}>
      {reset.data === undefined ? (
        <Form
          fields={['password', 'endPasskeys', 'endKeys']}
          submit={t('Set password')}
          busy={reset.isPending}
          error={reset.error}
          onSubmit={({ password, endPasskeys, endKeys }) =>
            reset.mutate({ password, endPasskeys: endPasskeys !== '', endKeys: endKeys !== '' })
          }
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
          {review.data !== undefined && <AccessNote of={review.data} />}
        </Form>
      ) : (
        <p role="status">{t('The password was changed: sign in with the new one.')}</p>
      )}
    </Gate>
  );
}

/** For the signed-in account only: a click alone must not confirm an account that another person registered. */
export function VerifyPage() {
  const token = useMailedToken();
  const verify = useAct(() => api('POST', '/auth/verify-email', { body: { token } }));
  return (
    <SignedInGate title={t('Verify your email')}>
      {verify.isSuccess ? (
        <p role="status">
          {t('Your address is verified.')}{' '}
          <Link to="/" className={LINK}>
            {t('Go to your shops')}
          </Link>
        </p>
      ) : (
        <div className="grid gap-4">
          {verify.error !== null && <Problem error={verify.error} />}
          <Button look="primary" busy={verify.isPending} onClick={() => verify.mutate()}>
            {t('Verify now')}
          </Button>
        </div>
      )}
    </SignedInGate>
  );
}
