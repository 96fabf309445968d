import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { useMode } from '../../api/mode.ts';
import { usePermission } from '../../api/permissions.ts';
import { useFilters } from '../../api/search.ts';
import type { Data } from '../../contract/contract.ts';
import { fiat, short } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { Badge, Button, Card, CopyLine, Empty, LINK, Loaded, PageTitle, Problem } from '../../ui/basics.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Select } from '../../ui/form.tsx';
import { Pager } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { telling } from '../../ui/toast.ts';

type Subscription = Data<'GET', '/merchant/subscription/list'>['subscriptions'][number];
type Status = Subscription['status'];

const STATUS_NAMES: Readonly<Record<Status, string>> = {
  trialing: t('Not begun'),
  active: t('Active'),
  past_due: t('Past due'),
  paused: t('Paused'),
  cancelled: t('Ending'),
  ended: t('Ended'),
};
const TONES = {
  trialing: 'idle',
  active: 'good',
  past_due: 'warn',
  paused: 'idle',
  cancelled: 'idle',
  ended: 'idle',
} as const;
const STATUSES = Object.keys(STATUS_NAMES) as Status[];

/** The subscriptions of the shop, with what can be done about each. */
export function SubscriptionsPage() {
  const merchantId = useShopId();
  const [search, change] = useFilters();
  const status = STATUSES.find((name) => name === search['status']);
  const { viewed: mode } = useMode();
  const list = useApi('/merchant/subscription/list', {
    merchantId,
    status,
    mode,
    page: search['page'],
    limit: 12,
  });
  return (
    <>
      <PageTitle
        title={t('Subscriptions')}
        lead={t('Started by payment links of recurring prices, or by your shop.')}
      />
      <div className="mb-4 max-w-xs">
        <Select
          label={t('Status')}
          value={status ?? ''}
          onChange={(event) => change({ status: event.target.value === '' ? undefined : event.target.value })}
        >
          <option value="">{t('All')}</option>
          {STATUSES.map((name) => (
            <option key={name} value={name}>
              {STATUS_NAMES[name]}
            </option>
          ))}
        </Select>
      </div>
      <Loaded of={list}>
        {({ subscriptions, pagination }) => (
          <>
            {subscriptions.length === 0 ? (
              <Card>
                <Empty title={t('No subscriptions')} />
              </Card>
            ) : (
              <ul className="grid grid-cols-1 gap-4 md:grid-cols-2">
                {subscriptions.map((one) => (
                  <li key={one.id} className="min-w-0">
                    <SubscriptionCard of={one} />
                  </li>
                ))}
              </ul>
            )}
            <Pager of={pagination} onPage={(next) => change({ page: String(next) })} />
          </>
        )}
      </Loaded>
    </>
  );
}

function SubscriptionCard({ of: one }: { of: Subscription }) {
  const shopId = useShopId();
  const may = usePermission();
  return (
    <Card className="h-full">
      <div className="mb-3 flex items-start justify-between gap-3">
        <h2 className="font-semibold">
          <code title={one.id}>{short(one.id)}</code>
        </h2>
        <Badge tone={TONES[one.status]}>{STATUS_NAMES[one.status]}</Badge>
      </div>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
        <Fact name={t('Entitled until')} at={one.activeUntil} />
        <Fact name={t('Next invoice')} at={one.nextInvoiceAt} />
        {one.credit !== '0' && (
          <>
            <dt className="text-soft">{t('Credit')}</dt>
            <dd>{fiat(one.credit, one.currency)}</dd>
          </>
        )}
      </dl>
      {one.cancelAtPeriodEnd && <p className="mt-2 text-sm text-warn">{t('Ends with the paid period')}</p>}
      <p className="mt-2 text-sm">
        <Link
          to="/shop/$shopId/payments"
          params={{ shopId }}
          search={{ customerId: one.customerId }}
          className={LINK}
        >
          {t('Payments of the customer')}
        </Link>
      </p>
      {typeof one.portalUrl === 'string' && (
        <div className="mt-3">
          <CopyLine text={one.portalUrl} label={t('address of the page of {id}', { id: short(one.id) })} />
        </div>
      )}
      {may('subscriptions:write') && <Actions of={one} />}
    </Card>
  );
}

function Fact({ name, at }: { name: string; at: string | null }) {
  if (at === null) return null;
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd>
        <Time at={at} />
      </dd>
    </>
  );
}

type Asked = 'cancel' | 'rotate';

function Actions({ of: one }: { of: Subscription }) {
  const { status, cancelAtPeriodEnd } = one;
  const body = { subscriptionId: one.id };
  const [asked, setAsked] = useState<Asked | null>(null);
  const pause = useAct(() => api('POST', '/merchant/subscription/pause', { body }));
  const resume = useAct(() => api('POST', '/merchant/subscription/resume', { body }));
  const keep = useAct(() =>
    api('PATCH', '/merchant/subscription/edit', { body: { ...body, cancelAtPeriodEnd: false } }),
  );
  const isOver = status === 'cancelled' || status === 'ended';
  const mayPause = status === 'active' || status === 'past_due';
  const error = pause.error ?? resume.error ?? keep.error;
  return (
    <>
      {error !== null && <Problem error={error} />}
      <div className="mt-3 flex flex-wrap gap-x-1 gap-y-2">
        {mayPause && (
          <Button isSmall busy={pause.isPending} onClick={() => pause.mutate()}>
            {t('Pause')}
          </Button>
        )}
        {status === 'paused' && (
          <Button isSmall busy={resume.isPending} onClick={() => resume.mutate()}>
            {t('Resume')}
          </Button>
        )}
        {!isOver && !cancelAtPeriodEnd && (
          <Button look="quiet" isSmall onClick={() => setAsked('cancel')}>
            {t('Cancel subscription')}
          </Button>
        )}
        {!isOver && cancelAtPeriodEnd && (
          <Button look="quiet" isSmall busy={keep.isPending} onClick={() => keep.mutate()}>
            {t('Undo the cancellation')}
          </Button>
        )}
        <Button look="quiet" isSmall onClick={() => setAsked('rotate')}>
          {t('New page address')}
        </Button>
      </div>
      <CancelIt of={one} open={asked === 'cancel'} onClose={() => setAsked(null)} />
      <RotateIt of={one} open={asked === 'rotate'} onClose={() => setAsked(null)} />
    </>
  );
}

interface Asking {
  readonly of: Subscription;
  readonly open: boolean;
  readonly onClose: () => void;
}

function CancelIt({ of: { id: subscriptionId }, open, onClose }: Asking) {
  const cancel = useAct(
    () => api('POST', '/merchant/subscription/cancel', { body: { subscriptionId, atPeriodEnd: true } }),
    onClose,
  );
  return (
    <Confirm
      title={t('Cancel subscription')}
      open={open}
      onClose={onClose}
      action={t('Cancel subscription')}
      busy={cancel.isPending}
      error={cancel.error}
      onConfirm={() => cancel.mutate()}
    >
      <p>{t('It ends with the paid period, or now if a payment is due. Nothing is refunded.')}</p>
    </Confirm>
  );
}

function RotateIt({ of: { id: subscriptionId }, open, onClose }: Asking) {
  const rotate = useAct(
    () => api('POST', '/merchant/subscription/portal/rotate', { body: { subscriptionId } }),
    telling(t('The page has a new address'), onClose),
  );
  return (
    <Confirm
      title={t('New page address')}
      open={open}
      onClose={onClose}
      action={t('New page address')}
      busy={rotate.isPending}
      error={rotate.error}
      onConfirm={() => rotate.mutate()}
    >
      <p>{t('The present address of the page stops working. Send the new one to the payer.')}</p>
    </Confirm>
  );
}
