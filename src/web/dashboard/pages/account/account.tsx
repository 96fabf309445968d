import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { Body } from '../../contract/contract.ts';
import { useAct, useApi } from '../../api/hooks.ts';
import { plural, t } from '../../i18n/t.ts';
import { Badge, Button, Card, Copy, CopyLine, PageTitle, Problem, Loaded } from '../../ui/basics.tsx';
import { EmailText } from '../../ui/email-text.tsx';
import { Field } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { LanguageChoice } from '../../ui/language-choice.tsx';
import { Qr } from '../../ui/qr.tsx';
import { Passkeys } from './passkeys.tsx';
import { AuditLog } from '../settings/audit.tsx';
import { Sessions } from './sessions.tsx';

export function AccountPage() {
  return (
    <>
      <PageTitle title={t('Account')} />
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
        <div className="grid grid-cols-1 content-start gap-6">
          <Email />
          <Password />
          <Card title={t('Language')}>
            <LanguageChoice />
          </Card>
        </div>
        <div className="grid grid-cols-1 content-start gap-6">
          <SecondFactor />
          <Passkeys />
          <Sessions />
        </div>
      </div>
      <div className="mt-6">
        <AuditLog query={null} />
      </div>
    </>
  );
}

function Email() {
  const me = useApi('/auth/me');
  const resend = useAct(() => api('POST', '/auth/resend-verification'));
  return (
    <Card title={t('Email')}>
      <Loaded of={me} rows={1}>
        {({ user }) => (
          <div className="grid gap-3">
            <p className="flex flex-wrap items-center gap-2">
              <b>
                <EmailText of={user.email} />
              </b>
              <Badge tone={user.isVerified ? 'good' : 'warn'}>
                {user.isVerified ? t('Verified') : t('Not verified')}
              </Badge>
            </p>
            {resend.error !== null && <Problem error={resend.error} />}
            {!user.isVerified && (
              <Button busy={resend.isPending} onClick={() => resend.mutate()} className="justify-self-start">
                {t('Email the link again')}
              </Button>
            )}
            {resend.data?.sent === true && (
              <p role="status" className="text-sm">
                {resend.data.by === 'mail'
                  ? t('A new link is on its way. The previous link no longer works.')
                  : t(
                      'This server has no mail server: the new link is in its log. Ask the operator of this server.',
                    )}
              </p>
            )}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function Password() {
  const change = useAct((body: Body<'POST', '/auth/change-password'>) =>
    api('POST', '/auth/change-password', { body }),
  );
  const { error } = change;
  return (
    <Card title={t('Password')}>
      <Form
        fields={['currentPassword', 'newPassword']}
        submit={t('Change password')}
        busy={change.isPending}
        error={error}
        onSubmit={(values) => change.mutate(values)}
        extra={
          change.isSuccess && (
            <span role="status" className="text-sm text-accent">
              {t('Changed')}
            </span>
          )
        }
      >
        <Field
          label={t('Current password')}
          name="currentPassword"
          type="password"
          autoComplete="current-password"
          required
        />
        <Field
          label={t('New password')}
          name="newPassword"
          type="password"
          autoComplete="new-password"
          hint={t('Every other session ends')}
          minLength={8}
          maxLength={128}
          required
        />
      </Form>
    </Card>
  );
}

function SecondFactor() {
  const status = useApi('/auth/totp');
  const [codes, setCodes] = useState<readonly string[]>([]);
  return (
    <Card title={t('Second factor')}>
      {codes.length > 0 && (
        <div role="status" className="mb-5 grid gap-3">
          <p className="text-sm text-warn">
            {t(
              'Save these recovery codes now. You won’t see them again. Each signs you in once without the app.',
            )}
          </p>
          <pre className="rounded-xl border border-line bg-well p-3 text-sm">{codes.join('\n')}</pre>
          <Copy text={codes.join('\n')} label={t('Copy recovery codes')} />
        </div>
      )}
      <Loaded of={status} rows={2}>
        {({ enabled, recoveryCodesLeft }) =>
          enabled ? <SwitchOff codesLeft={recoveryCodesLeft} /> : <SwitchOn onCodes={setCodes} />
        }
      </Loaded>
    </Card>
  );
}

function SwitchOn({ onCodes }: { onCodes: (codes: readonly string[]) => void }) {
  const setup = useAct((body: Body<'POST', '/auth/totp/setup'>) => api('POST', '/auth/totp/setup', { body }));
  const enable = useAct(
    (body: Body<'POST', '/auth/totp/enable'>) => api('POST', '/auth/totp/enable', { body }),
    ({ recoveryCodes }) => onCodes(recoveryCodes),
  );
  if (setup.data === undefined) {
    return (
      <Form
        fields={['password']}
        submit={t('Set up')}
        busy={setup.isPending}
        error={setup.error}
        onSubmit={(values) => setup.mutate(values)}
      >
        <p className="text-sm text-soft">
          {t('A code of an authenticator app, besides the password, at every sign-in.')}
        </p>
        <Field
          label={t('Password')}
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
      </Form>
    );
  }
  return (
    <div className="grid gap-4">
      <Qr text={setup.data.uri} label={t('QR code for the authenticator app')} />
      <CopyLine text={setup.data.secret} label={t('secret')} />
      <Form
        fields={['code']}
        submit={t('Switch on')}
        busy={enable.isPending}
        error={enable.error}
        onSubmit={(values) => enable.mutate(values)}
      >
        <Field
          label={t('Code from the app')}
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
        />
      </Form>
    </div>
  );
}

function SwitchOff({ codesLeft }: { codesLeft: number }) {
  const disable = useAct((body: Body<'POST', '/auth/totp/disable'>) =>
    api('POST', '/auth/totp/disable', { body }),
  );
  return (
    <Form
      fields={['password', 'code']}
      submit={t('Switch off')}
      danger
      busy={disable.isPending}
      error={disable.error}
      onSubmit={(values) => disable.mutate(values)}
    >
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <Badge tone="good">{t('On')}</Badge>{' '}
        {plural(codesLeft, '{count} recovery code left', '{count} recovery codes left')}
      </p>
      <Field label={t('Password')} name="password" type="password" autoComplete="current-password" required />
      <Field label={t('Code')} name="code" autoComplete="one-time-code" required />
    </Form>
  );
}
