import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import type { Counter } from '../../contract/types.ts';
import { plural, t } from '../../i18n/t.ts';
import { when } from '../../format/format.ts';
import { Badge, Button, Card, Empty, Loaded, PageTitle } from '../../ui/basics.tsx';
import { createdByText } from '../../ui/created-by.ts';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { telling } from '../../ui/toast.ts';
import { ConnectDevice } from './counter-connect.tsx';
import { EditCounter } from './counter-form.tsx';

const LIVE_MS = 15_000;

type Opened =
  | { readonly kind: 'edit'; readonly counter: Counter | null }
  | { readonly kind: 'connect'; readonly counter: Counter };

function openedTitle(opened: Opened | null): string {
  if (opened?.kind === 'connect') return t('Connect a device to {name}', { name: opened.counter.name });
  return opened?.counter ? t('Edit counter') : t('New counter');
}

/** Devices that charge customers and may do nothing else. */
export function CountersPage() {
  const merchantId = useShopId();
  const may = usePermission();
  const list = useApi('/merchant/counter/list', { merchantId }, { refetchMs: LIVE_MS });
  const [opened, setOpened] = useState<Opened | null>(null);
  const [deleting, setDeleting] = useState<Counter | null>(null);
  const close = (): void => setOpened(null);
  return (
    <>
      <PageTitle
        title={t('Counters')}
        lead={t(
          'Phones that charge customers in your shop. Each can only charge and see its own payments of the day.',
        )}
        actions={
          may('catalog:write') && (
            <Button look="primary" onClick={() => setOpened({ kind: 'edit', counter: null })}>
              {t('New counter')}
            </Button>
          )
        }
      />
      <Loaded of={list}>
        {({ counters }) =>
          counters.length === 0 ? (
            <Card>
              <Empty title={t('No counter yet')}>
                {t('Create one, connect a phone by its QR code, and charge your first customer.')}
              </Empty>
            </Card>
          ) : (
            <ul className="grid grid-cols-1 gap-4 md:grid-cols-2">
              {counters.map((counter) => (
                <li key={counter.id} className="min-w-0">
                  <CounterCard counter={counter} onOpen={setOpened} onDelete={() => setDeleting(counter)} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Dialog title={openedTitle(opened)} open={opened !== null} onClose={close}>
        {opened?.kind === 'edit' && (
          <EditCounter
            counter={opened.counter}
            onDone={(counter) =>
              opened.counter === null && may('owner') ? setOpened({ kind: 'connect', counter }) : close()
            }
          />
        )}
        {opened?.kind === 'connect' && <ConnectDevice counter={opened.counter} />}
      </Dialog>
      <DeleteCounter counter={deleting} onClose={() => setDeleting(null)} />
    </>
  );
}

function DeleteCounter({ counter, onClose }: { counter: Counter | null; onClose: () => void }) {
  const remove = useAct(
    (counterId: string) => api('DELETE', '/merchant/counter/delete', { body: { counterId } }),
    telling(t('Counter deleted'), onClose),
  );
  return (
    <Confirm
      title={t('Delete this counter')}
      open={counter !== null}
      onClose={onClose}
      action={t('Delete')}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => counter !== null && remove.mutate(counter.id)}
    >
      <p>
        {t('The device of “{name}” is disconnected at once. Its payments stay. You can’t undo this.', {
          name: counter?.name ?? '',
        })}
      </p>
    </Confirm>
  );
}

function CounterCard(props: {
  readonly counter: Counter;
  readonly onOpen: (opened: Opened) => void;
  readonly onDelete: () => void;
}) {
  const { counter, onOpen } = props;
  const may = usePermission();
  const maker = createdByText(counter.createdBy);
  const isConnected = counter.connectedAt !== null;
  return (
    <Card className="h-full">
      <div className="mb-3 flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="font-semibold break-words">{counter.name}</h2>
          <p className="text-sm break-words text-soft">{settings(counter)}</p>
          <p className="text-sm">{deviceUse(counter)}</p>
          {maker !== null && <p className="text-xs break-words text-soft">{maker}</p>}
        </div>
        <Badge tone={isConnected ? 'good' : 'idle'}>{isConnected ? t('Connected') : t('No device')}</Badge>
      </div>
      {may('catalog:write') && (
        <div className="flex flex-wrap gap-x-1 gap-y-2">
          {may('owner') && (
            <Button isSmall className="me-1" onClick={() => onOpen({ kind: 'connect', counter })}>
              {isConnected ? t('Connect another device') : t('Connect a device')}
            </Button>
          )}
          <Button look="quiet" isSmall onClick={() => onOpen({ kind: 'edit', counter })}>
            {t('Edit')}
          </Button>
          <Button look="quiet" isSmall onClick={props.onDelete}>
            {t('Delete')}
          </Button>
        </div>
      )}
    </Card>
  );
}

function settings({ currency, tips, favourites }: Counter): string {
  const parts = [
    currency,
    tips.length === 0 ? t('no tips') : t('tips {tips}', { tips: tips.map((tip) => `${tip} %`).join(', ') }),
    plural(favourites.length, '{count} favourite', '{count} favourites'),
  ];
  return parts.join(' · ');
}

function deviceUse({ connectedAt, lastUsedAt }: Counter): string {
  if (connectedAt === null) return t('No device is connected.');
  return lastUsedAt === null
    ? t('Connected {connectedAt}, not used yet', { connectedAt: when(connectedAt) })
    : t('Last used {lastUsedAt}', { lastUsedAt: when(lastUsedAt) });
}
