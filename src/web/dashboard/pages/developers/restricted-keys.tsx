import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { Body } from '../../contract/contract.ts';
import { useAct } from '../../api/hooks.ts';
import type { RestrictedKey, Scope } from '../../contract/types.ts';
import { plural, t } from '../../i18n/t.ts';
import { Badge, Button, Card, CopyLine, Empty } from '../../ui/basics.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Check, Field, Select } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { when } from '../../format/format.ts';
import { keyUse } from '../../ui/key-use.ts';
import { createdByText } from '../../ui/created-by.ts';
import { PLUGIN_SCOPES, ScopeList, SCOPES, scopeWords, SendWarning } from '../../ui/scopes.tsx';
import { telling } from '../../ui/toast.ts';

const DAY_MS = 86_400_000;

/** Keys for plugins and programs: create, list, delete. */
export function RestrictedKeys(props: { merchantId: string; keys: readonly RestrictedKey[] }) {
  const { merchantId, keys } = props;
  const [open, setOpen] = useState(false);
  const [deleting, setDeleting] = useState<RestrictedKey | null>(null);
  const remove = useAct(
    (keyId: string) => api('DELETE', '/merchant/keys/delete', { body: { merchantId, keyId } }),
    telling(t('Key deleted'), () => setDeleting(null)),
  );
  return (
    <Card
      title={t('Restricted keys')}
      className="mt-6"
      actions={
        <Button look="primary" onClick={() => setOpen(true)}>
          {t('New restricted key')}
        </Button>
      }
    >
      <p className="mb-4 text-sm text-soft">
        {t(
          'For plugins and programs: each may do only what you tick, and can be deleted without touching the others.',
        )}
      </p>
      {keys.length === 0 ? (
        <Empty title={t('No restricted key yet')}>
          {t('Give each plugin a key of its own instead of the secret key.')}
        </Empty>
      ) : (
        <ul className="grid gap-3">
          {keys.map((key) => (
            <Row key={key.id} of={key} onDelete={() => setDeleting(key)} />
          ))}
        </ul>
      )}
      <NewRestrictedKey merchantId={merchantId} open={open} onClose={() => setOpen(false)} />
      <Confirm
        title={t('Delete this key')}
        open={deleting !== null}
        onClose={() => setDeleting(null)}
        action={t('Delete')}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => deleting !== null && remove.mutate(deleting.id)}
      >
        <p>
          {t('Requests with “{name}” (…{lastFour}) are refused from now on. You can’t undo this.', {
            name: deleting?.name ?? '',
            lastFour: deleting?.lastFour ?? '',
          })}
        </p>
      </Confirm>
    </Card>
  );
}

function Row({ of, onDelete }: { of: RestrictedKey; onDelete: () => void }) {
  const maker = createdByText(of.createdBy);
  const isOver = of.expiresAt !== null && Date.parse(of.expiresAt) <= Date.now();
  return (
    <li className="grid gap-2 rounded-xl border border-line p-4">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <p className="min-w-0 font-semibold break-words">
          {of.name}{' '}
          <code className="font-normal text-soft">
            {of.prefix}…{of.lastFour}
          </code>
        </p>
        <Button isSmall look="danger" aria-label={t('Delete {name}', { name: of.name })} onClick={onDelete}>
          {t('Delete')}
        </Button>
      </div>
      <details className="text-sm">
        <summary className="min-h-6">
          {of.scopes.includes('wallet:send') ? (
            <b className="font-semibold text-stop">{t('Can send coins')}</b>
          ) : (
            t('Cannot send coins')
          )}
          {plural(of.scopes.length, ', may do one thing', ', may do {count} things')}
        </summary>
        <div className="mt-3">
          <ScopeList scopes={of.scopes} />
        </div>
      </details>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-soft">
        <span>{keyUse(of)}</span>
        {maker !== null && <span className="break-words">{maker}</span>}
        {of.expiresAt !== null && (
          <Badge tone={isOver ? 'bad' : 'idle'}>
            {isOver
              ? t('Expired {expiresAt}', { expiresAt: when(of.expiresAt) })
              : t('Ends {expiresAt}', { expiresAt: when(of.expiresAt) })}
          </Badge>
        )}
      </p>
    </li>
  );
}

function NewRestrictedKey(props: { merchantId: string; open: boolean; onClose: () => void }) {
  const { merchantId, open, onClose } = props;
  const [sends, setSends] = useState(false);
  const create = useAct((body: Omit<Body<'POST', '/merchant/keys/create'>, 'merchantId'>) =>
    api('POST', '/merchant/keys/create', { body: { merchantId, ...body } }),
  );
  const close = (): void => {
    create.reset();
    setSends(false);
    onClose();
  };
  const { error, data } = create;
  if (data !== undefined) {
    return (
      <Dialog title={t('Your new key')} open={open} onClose={close} keepsOpen>
        <div className="grid gap-4">
          <CopyLine text={data.key.value} label={t('restricted key')} />
          <p className="text-sm text-warn">{t('Copy it now. You won’t see it again.')}</p>
          <ScopeList scopes={data.key.scopes} />
          <Button onClick={close}>{t('Done')}</Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={t('New restricted key')} open={open} onClose={close}>
      <Form
        fields={['name', 'days', ...SCOPES]}
        submit={t('Create key')}
        busy={create.isPending}
        error={error}
        onSubmit={({ name, days, ...ticked }) => {
          const scopes = SCOPES.filter((scope) => ticked[scope] !== '');
          create.mutate({ name, scopes, expiresAt: endsAfter(days) });
        }}
      >
        <Field
          label={t('Name')}
          name="name"
          hint={t('Its purpose, such as the plugin of your shop')}
          maxLength={255}
          required
        />
        <fieldset className="grid gap-1">
          <legend className="mb-1 text-sm font-medium">{t('It may')}</legend>
          {SCOPES.map((scope) => (
            <ScopeCheck
              key={scope}
              scope={scope}
              {...(scope === 'wallet:send' ? { onChange: setSends } : {})}
            />
          ))}
        </fieldset>
        {sends && <SendWarning />}
        <Select label={t('Ends')} name="days" defaultValue="">
          <option value="">{t('Never')}</option>
          <option value="30">{t('In 30 days')}</option>
          <option value="90">{t('In 90 days')}</option>
          <option value="365">{t('In a year')}</option>
        </Select>
      </Form>
    </Dialog>
  );
}

function ScopeCheck({ scope, onChange }: { scope: Scope; onChange?: (isChecked: boolean) => void }) {
  return (
    <Check
      label={scopeWords(scope)}
      name={scope}
      defaultChecked={PLUGIN_SCOPES.includes(scope)}
      onChange={(event) => onChange?.(event.target.checked)}
    />
  );
}

function endsAfter(days: string): string | null {
  return days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
}
