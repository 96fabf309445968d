import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { requestPrivate, type ApiError } from '../../api/client.ts';
import { useAct, useApi } from '../../api/hooks.ts';
import type { Passkey, PasskeyList } from '../../api/passkey-answers.ts';
import { addPasskey, whyNoPasskeys } from '../../api/passkeys.ts';
import { t } from '../../i18n/t.ts';
import { Badge, Button, Card, Loaded } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { when } from '../../format/format.ts';
import { telling } from '../../ui/toast.ts';

const NAME_MAX = 60;

type Open = { readonly what: 'add' } | { readonly what: 'rename' | 'remove'; readonly passkey: Passkey };

/** The passkeys of the user, and ways to add, rename and remove them. */
export function Passkeys() {
  const list = useQuery<PasskeyList, ApiError>({
    queryKey: ['/auth/passkeys'],
    queryFn: () => requestPrivate('GET /auth/passkeys'),
  });
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const why = list.data === undefined ? null : whyNoPasskeys(list.data);
  const canAdd = list.data !== undefined && why === null;
  return (
    <Card
      title={t('Passkeys')}
      actions={
        canAdd && (
          <Button isSmall onClick={() => setOpen({ what: 'add' })}>
            {t('Add a passkey')}
          </Button>
        )
      }
    >
      <p className="text-sm text-soft">
        {t('Sign in and confirm by fingerprint, face or PIN of a device, without password and code.')}
      </p>
      {why !== null && <p className="mt-3 rounded-xl bg-warn-soft p-3 text-sm text-warn">{why}</p>}
      <Loaded of={list} rows={1}>
        {({ passkeys }) => (
          <>
            {passkeys.length > 0 && (
              <ul className="mt-4 divide-y divide-line">
                {passkeys.map((passkey) => (
                  <Line key={passkey.id} of={passkey} onOpen={(what) => setOpen({ what, passkey })} />
                ))}
              </ul>
            )}
            {open?.what === 'add' && <Add onClose={close} />}
            {open?.what === 'rename' && <Rename of={open.passkey} onClose={close} />}
            {open?.what === 'remove' && (
              <Remove of={open.passkey} isLast={passkeys.length === 1} onClose={close} />
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Line({ of, onOpen }: { of: Passkey; onOpen: (what: 'rename' | 'remove') => void }) {
  const { name, createdAt, lastUsedAt } = of;
  const made = t('added {when}', { when: when(createdAt) });
  const used = lastUsedAt === null ? t('not used yet') : t('last used {when}', { when: when(lastUsedAt) });
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-3 first:pt-0 last:pb-0">
      <div className="min-w-0 text-sm">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="break-all">{name}</span>
          {of.backedUp && <Badge tone="idle">{t('Synced')}</Badge>}
          {!of.usable && <Badge tone="warn">{t('For another address')}</Badge>}
        </p>
        <p className="text-soft">
          {used}, {made}
        </p>
      </div>
      <div className="flex gap-2">
        <Button isSmall onClick={() => onOpen('rename')} aria-label={t('Rename {name}', { name })}>
          {t('Rename')}
        </Button>
        <Button isSmall onClick={() => onOpen('remove')} aria-label={t('Remove {name}', { name })}>
          {t('Remove')}
        </Button>
      </div>
    </li>
  );
}

function Add({ onClose }: { onClose: () => void }) {
  const add = useAct(addPasskey, telling(t('Passkey added'), onClose));
  return (
    <Dialog title={t('Add a passkey')} open onClose={onClose}>
      <Form
        fields={['name']}
        submit={t('Continue')}
        busy={add.isPending}
        error={add.error}
        onSubmit={({ name }) => add.mutate(name)}
      >
        <p className="text-sm text-soft">
          {t('The browser asks for it next. Password and recovery codes keep working.')}
        </p>
        <NameField />
      </Form>
    </Dialog>
  );
}

function Rename({ of, onClose }: { of: Passkey; onClose: () => void }) {
  const rename = useAct(
    (name: string) => requestPrivate('PATCH /auth/passkeys', { passkeyId: of.id, name }),
    telling(t('Passkey renamed'), onClose),
  );
  return (
    <Dialog title={t('Rename the passkey')} open onClose={onClose}>
      <Form
        fields={['name']}
        submit={t('Save')}
        busy={rename.isPending}
        error={rename.error}
        onSubmit={({ name }) => rename.mutate(name)}
      >
        <NameField value={of.name} />
      </Form>
    </Dialog>
  );
}

function NameField({ value }: { value?: string }) {
  return (
    <Field
      label={t('Name')}
      name="name"
      hint={t('A name you will recognise, such as the device')}
      maxLength={NAME_MAX}
      defaultValue={value}
      autoComplete="off"
      required
    />
  );
}

function Remove({ of, isLast, onClose }: { of: Passkey; isLast: boolean; onClose: () => void }) {
  const totp = useApi('/auth/totp');
  const remove = useAct(
    (password: string) =>
      requestPrivate('DELETE /auth/passkeys', { passkeyId: of.id, ...(password === '' ? {} : { password }) }),
    telling(t('Passkey removed'), onClose),
  );
  const { error } = remove;
  // Another passkey may have been removed elsewhere since the page was loaded.
  const needsPassword = (isLast && totp.data?.enabled === false) || error?.fields['password'] !== undefined;
  return (
    <Dialog title={t('Remove the passkey?')} open onClose={onClose}>
      <Form
        fields={['password']}
        submit={t('Remove')}
        danger
        busy={remove.isPending}
        error={error}
        onSubmit={({ password }) => remove.mutate(password)}
        extra={
          <Button disabled={remove.isPending} onClick={onClose}>
            {t('Back')}
          </Button>
        }
      >
        <p className="text-sm">
          {t(
            '“{name}” can no longer be used to sign in, and every other session ends. Remove it on its device as well.',
            {
              name: of.name,
            },
          )}
        </p>
        {needsPassword && (
          <Field
            label={t('Your password')}
            name="password"
            type="password"
            autoComplete="current-password"
            required
          />
        )}
      </Form>
    </Dialog>
  );
}
