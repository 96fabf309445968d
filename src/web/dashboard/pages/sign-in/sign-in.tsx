import { Link, useRouter } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { api, requestPrivate, signIn, type ApiError } from '../../api/client.ts';
import type { Body } from '../../contract/contract.ts';
import { useAct } from '../../api/hooks.ts';
import { useFilters } from '../../api/search.ts';
import { hasSessionRunOut, startSession, type Session } from '../../api/session.ts';
import { parts, t } from '../../i18n/t.ts';
import { LINK, PageTitle } from '../../ui/basics.tsx';
import { Field } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { LanguageChoice } from '../../ui/language-choice.tsx';
import { PasskeySignIn } from './use-passkey.tsx';
import { BASE_PATH } from '../../../base-path.ts';

/** The frame of every page before signing in. */
export function Gate(props: { title: string; lead?: ReactNode; children: ReactNode; foot?: ReactNode }) {
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="w-full max-w-sm">
        <p className="mb-8 flex items-center justify-center gap-2.5 text-xl font-bold tracking-tight">
          <img src={`${BASE_PATH}/icon.svg`} alt="" className="size-9" />
          tilld
        </p>
        <div className="rounded-2xl border border-line bg-card p-6 shadow-lg shadow-black/5 sm:p-8">
          <PageTitle title={props.title} {...(props.lead === undefined ? {} : { lead: props.lead })} />
          {props.children}
        </div>
        {props.foot !== undefined && <div className="mt-5 text-center text-sm text-soft">{props.foot}</div>}
        <div className="mt-5 flex justify-center">
          <LanguageChoice />
        </div>
      </div>
    </main>
  );
}

/** The requested page, if it is an address of the dashboard itself. */
function useEnter(): () => void {
  const router = useRouter();
  const [{ next }] = useFilters();
  const safe = next !== undefined && /^\/(?![/\\])/.test(next) && !next.startsWith('/login') ? next : '';
  const dashboard = `${BASE_PATH}/dashboard`;
  const path = safe.startsWith(dashboard) ? safe.slice(dashboard.length) : safe.replace(/^\/dashboard/, '');
  return () => router.history.replace(dashboard + path.replace(/^\/(?=$|[?#])/, ''));
}

const RUN_OUT = t(
  'Your session has ended. Sign in again to continue where you were; a session ends after 12 hours without use.',
);

/** Asks for email and password, and for the code if it is required. */
export function SignInForm(props: { email?: string; onDone: (session: Session) => void; extra: ReactNode }) {
  const [needsCode, setNeedsCode] = useState(false);
  const login = useAct(signIn, (answer) => {
    startSession(answer);
    props.onDone(answer);
  });
  const asksForCode = login.error?.code === 'SECOND_FACTOR_REQUIRED';
  if (asksForCode && !needsCode) setNeedsCode(true);
  return (
    <>
      {hasSessionRunOut() && (
        <p role="status" className="mb-4 rounded-xl bg-warn-soft p-3 text-sm text-warn">
          {RUN_OUT}
        </p>
      )}
      <Form
        fields={['email', 'password', 'code']}
        submit={t('Sign in')}
        busy={login.isPending}
        error={asksForCode ? null : login.error}
        onSubmit={({ code, ...body }) => login.mutate(code === '' ? body : { ...body, code })}
        extra={props.extra}
      >
        <Field
          label={t('Email')}
          name="email"
          type="email"
          autoComplete="username"
          defaultValue={props.email}
          required
        />
        <Field
          label={t('Password')}
          name="password"
          type="password"
          autoComplete="current-password"
          autoFocus={props.email !== undefined}
          required
        />
        {needsCode && (
          <Field
            label={t('Code')}
            name="code"
            autoComplete="one-time-code"
            inputMode="numeric"
            hint={t('From your authenticator app, or one of your recovery codes')}
            required
            autoFocus
          />
        )}
      </Form>
      <PasskeySignIn onDone={props.onDone} />
    </>
  );
}

export function SignInPage() {
  const enter = useEnter();
  const [{ next }] = useFilters();
  return (
    <Gate
      title={t('Sign in')}
      foot={
        <>
          {parts('New here? {link}', {
            link: (
              <Link to="/register" search={next === undefined ? {} : { next }} className={LINK}>
                {t('Create an account')}
              </Link>
            ),
          })}
        </>
      }
    >
      <SignInForm
        onDone={enter}
        extra={
          <Link to="/forgot-password" className={`text-sm ${LINK}`}>
            {t('Forgot the password?')}
          </Link>
        }
      />
    </Gate>
  );
}

/** The token of the user's invitation: it permits registration where it is otherwise closed. */
function invitationIn(next: string | undefined): { invitation?: string } {
  const invitation = /\/join\?token=(\w+)/.exec(next ?? '')?.[1];
  return invitation === undefined ? {} : { invitation };
}

/** The setup token in the address, from the server's log: it permits the first account where registration is closed. */
function setupIn(fragment: string): string | null {
  return /^#setup=(\w+)$/.exec(fragment)?.[1] ?? null;
}

function useRegister(next: string | undefined, onDone: () => void) {
  return useAct(
    async (body: Body<'POST', '/auth/register'>) => {
      await api('POST', '/auth/register', { body: { ...body, ...invitationIn(next) } });
      // The account exists: if this sign-in fails, the user signs in on the usual page.
      const { email, password } = body;
      const session = await signIn({ email, password }).catch(() => null);
      // The password was just typed, so creating the first shop needs no step-up. If this fails, it asks for one.
      if (session !== null) await requestPrivate('POST /auth/step-up', { password }).catch(() => null);
      return session;
    },
    (session) => {
      if (session !== null) startSession(session);
      onDone();
    },
  );
}

/** Whether the server requires its setup token: for the first account, where registration is closed. */
function useNeedsSetup(error: ApiError | null): boolean {
  const [needsSetup, setNeedsSetup] = useState(false);
  if (!needsSetup && error !== null && 'setupToken' in error.fields) setNeedsSetup(true);
  return needsSetup;
}

function SetupTokenField({ given }: { given: string | null }) {
  return (
    <Field
      label={t('Setup token')}
      name="setupToken"
      autoComplete="off"
      defaultValue={given ?? ''}
      hint={t(
        'The log of the server shows it since its last start: only its operator makes the first account.',
      )}
      required
    />
  );
}

export function RegisterPage() {
  const enter = useEnter();
  const [{ next }] = useFilters();
  const [setup] = useState(() => setupIn(window.location.hash));
  const register = useRegister(next, enter);
  const { error } = register;
  const needsSetup = useNeedsSetup(error);
  return (
    <Gate
      title={t('Create an account')}
      lead={t('For the person who runs the shop. Payers need none.')}
      foot={
        <>
          {parts('Already have an account? {link}', {
            link: (
              <Link to="/login" search={next === undefined ? {} : { next }} className={LINK}>
                {t('Sign in')}
              </Link>
            ),
          })}
        </>
      }
    >
      <Form
        fields={['email', 'password', 'setupToken']}
        submit={t('Create account')}
        busy={register.isPending}
        error={error}
        onSubmit={({ setupToken, ...values }) => {
          const given = needsSetup ? setupToken : setup;
          register.mutate(given === null || given === '' ? values : { ...values, setupToken: given });
        }}
      >
        <Field label={t('Email')} name="email" type="email" autoComplete="username" required />
        <Field
          label={t('Password')}
          name="password"
          type="password"
          autoComplete="new-password"
          hint={t('8 characters or more')}
          minLength={8}
          maxLength={128}
          required
        />
        {needsSetup && <SetupTokenField given={setup} />}
      </Form>
    </Gate>
  );
}
