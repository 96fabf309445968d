import { useState } from 'react';
import { changedFields } from '../../api/changed-fields.ts';
import { api } from '../../api/client.ts';
import type { Body } from '../../contract/contract.ts';
import { useAct, useApi } from '../../api/hooks.ts';
import type { WebhookEndpoint } from '../../contract/types.ts';
import { plural, t } from '../../i18n/t.ts';
import { Badge, Button, Card, CopyLine, Empty, Loaded } from '../../ui/basics.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { EventChoice, type EventPick } from '../../ui/event-choice.tsx';
import { Check, Field } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { when } from '../../format/format.ts';
import { createdByText } from '../../ui/created-by.ts';
import { telling } from '../../ui/toast.ts';

const REFETCH_MS = 5_000;

type Open = { readonly what: 'edit' | 'secret' | 'delete'; readonly endpoint: WebhookEndpoint };
type Events = Body<'PATCH', '/merchant/webhook/endpoint/edit'>['events'];

/** Webhook endpoints: create, edit, delete, with the state of their deliveries. */
export function WebhookEndpoints({ merchantId }: { merchantId: string }) {
  const list = useApi('/merchant/webhook/endpoint/list', { merchantId }, { refetchMs: REFETCH_MS });
  const [isNew, setIsNew] = useState(false);
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  return (
    <Card
      title={t('Endpoints')}
      className="mb-6"
      actions={<Button onClick={() => setIsNew(true)}>{t('New endpoint')}</Button>}
    >
      <Loaded of={list} rows={2}>
        {({ endpoints }) =>
          endpoints.length === 0 ? (
            <Empty title={t('No endpoint yet')}>
              {t('Set the webhook URL of your shop in the settings, or add an endpoint for another program.')}
            </Empty>
          ) : (
            <ul className="grid gap-3">
              {endpoints.map((endpoint) => (
                <Row key={endpoint.id} of={endpoint} onOpen={(what) => setOpen({ what, endpoint })} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isNew && <EndpointForm merchantId={merchantId} onClose={() => setIsNew(false)} />}
      {open?.what === 'edit' && (
        <EndpointForm merchantId={merchantId} endpoint={open.endpoint} onClose={close} />
      )}
      {open?.what === 'secret' && <Secret merchantId={merchantId} of={open.endpoint} onClose={close} />}
      {open?.what === 'delete' && <Delete merchantId={merchantId} of={open.endpoint} onClose={close} />}
    </Card>
  );
}

function Row(props: { of: WebhookEndpoint; onOpen: (what: Open['what']) => void }) {
  const { of, onOpen } = props;
  const { lastSuccessAt, lastError } = of.health;
  const maker = createdByText(of.createdBy);
  return (
    <li className="grid gap-2 rounded-xl border border-line p-4">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <p className="flex min-w-0 flex-wrap items-center gap-2 font-semibold break-all">
          {of.url} <Health of={of} />
        </p>
        <div className="flex flex-wrap gap-2">
          <Button isSmall aria-label={t('Secret of {url}', { url: of.url })} onClick={() => onOpen('secret')}>
            {t('Secret')}
          </Button>
          {!of.default && (
            <>
              <Button isSmall aria-label={t('Edit {url}', { url: of.url })} onClick={() => onOpen('edit')}>
                {t('Edit')}
              </Button>
              <Button
                isSmall
                look="danger"
                aria-label={t('Delete {url}', { url: of.url })}
                onClick={() => onOpen('delete')}
              >
                {t('Delete')}
              </Button>
            </>
          )}
        </div>
      </div>
      <p className="text-xs break-words text-soft">
        {of.default ? t('The webhook URL in the settings') : (of.events?.join(', ') ?? t('All events'))}
        {lastSuccessAt === null
          ? t(', no success yet')
          : t(', last success {lastSuccessAt}', { lastSuccessAt: when(lastSuccessAt) })}
        {lastError === null ? '' : t(', last error: {lastError}', { lastError })}
      </p>
      {maker !== null && <p className="text-xs break-words text-soft">{maker}</p>}
    </li>
  );
}

function Health({ of: { active, health } }: { of: WebhookEndpoint }) {
  if (!active) return <Badge tone="idle">{t('Inactive')}</Badge>;
  if (health.gone) return <Badge tone="bad">{t('Answered 410')}</Badge>;
  if (health.failuresInARow > 0)
    return <Badge tone="bad">{plural(health.failuresInARow, 'One failed', '{count} failed in a row')}</Badge>;
  return health.lastSuccessAt === null ? (
    <Badge tone="idle">{t('Not used yet')}</Badge>
  ) : (
    <Badge tone="good">{t('Works')}</Badge>
  );
}

function EndpointForm(props: { merchantId: string; endpoint?: WebhookEndpoint; onClose: () => void }) {
  const { merchantId, endpoint, onClose } = props;
  const stored = endpoint?.events ?? null;
  const [pick, setPick] = useState<EventPick>({ isAll: stored === null, types: stored ?? [] });
  const save = useAct(
    async (fields: { url: string; events?: Events; active: boolean }): Promise<void> => {
      if (endpoint === undefined) {
        await api('POST', '/merchant/webhook/endpoint/create', { query: { merchantId }, body: fields });
      } else {
        const { url, ...others } = fields;
        const body = { endpointId: endpoint.id, ...others, ...changedFields({ url }, endpoint) };
        await api('PATCH', '/merchant/webhook/endpoint/edit', { query: { merchantId }, body });
      }
    },
    telling(t('Endpoint saved'), onClose),
  );
  return (
    <Dialog
      title={endpoint === undefined ? t('New endpoint') : t('Edit the endpoint')}
      open
      onClose={onClose}
    >
      <Form
        fields={['url', 'events', 'active']}
        submit={t('Save endpoint')}
        busy={save.isPending}
        error={save.error}
        check={() =>
          pick.isAll || pick.types.length > 0 ? {} : { events: t('Tick at least one event, or choose all.') }
        }
        onSubmit={({ url, active }) => {
          save.mutate({ url, ...changedEvents(stored, pick), active: active !== '' });
        }}
      >
        <Field label={t('Address')} name="url" type="url" defaultValue={endpoint?.url ?? ''} required />
        <EventChoice value={pick} stored={stored ?? []} onChange={setPick} />
        <Check label={t('Active')} name="active" defaultChecked={endpoint?.active ?? true} />
      </Form>
    </Dialog>
  );
}

/** Unchanged values are not sent, because the server may have stored types that it no longer offers. */
function changedEvents(stored: Events | null, { isAll, types }: EventPick): { events?: Events } {
  const isSame = isAll ? stored === null : stored?.toSorted().join() === types.toSorted().join();
  return isSame ? {} : { events: isAll ? null : (types as NonNullable<Events>) };
}

function Secret(props: { merchantId: string; of: WebhookEndpoint; onClose: () => void }) {
  const { merchantId, of, onClose } = props;
  const which = { merchantId, endpointId: of.id };
  const secret = useApi('/merchant/webhook/endpoint/secret', which, { once: true });
  const rotate = useAct(() =>
    api('POST', '/merchant/webhook/endpoint/rotate-secret', {
      query: { merchantId },
      body: { endpointId: of.id },
    }),
  );
  return (
    <Dialog title={t('Signing secret')} open onClose={onClose}>
      <div className="grid gap-4">
        <p className="text-sm break-all text-soft">{of.url}</p>
        <Loaded of={secret} rows={1}>
          {(data) => <CopyLine text={data.secret} label={t('signing secret')} />}
        </Loaded>
        <p role="status" className="text-sm text-soft">
          {rotate.isSuccess
            ? t('This is the new secret: give it to the receiver within 24 hours.')
            : t('After a rotation both secrets sign for 24 hours.')}
        </p>
        <Button busy={rotate.isPending} onClick={() => rotate.mutate()}>
          {t('Rotate')}
        </Button>
      </div>
    </Dialog>
  );
}

function Delete(props: { merchantId: string; of: WebhookEndpoint; onClose: () => void }) {
  const { merchantId, of, onClose } = props;
  const remove = useAct(
    () =>
      api('DELETE', '/merchant/webhook/endpoint/delete', {
        query: { merchantId },
        body: { endpointId: of.id },
      }),
    telling(t('Endpoint deleted'), onClose),
  );
  return (
    <Confirm
      title={t('Delete this endpoint')}
      open
      onClose={onClose}
      action={t('Delete endpoint')}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
    >
      <p className="break-all">{of.url}</p>
      <p>{t('Webhooks waiting for it fail. The shop’s other endpoints are not affected.')}</p>
    </Confirm>
  );
}
