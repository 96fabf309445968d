import { Link } from '@tanstack/react-router';
import { useApi, useShopId } from '../../api/hooks.ts';
import { useMode } from '../../api/mode.ts';
import { usePermission } from '../../api/permissions.ts';
import { useFilters } from '../../api/search.ts';
import { fiat, short } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { Badge, Card, CopyLine, Empty, LINK, Loaded, PageTitle } from '../../ui/basics.tsx';
import { Select } from '../../ui/form.tsx';
import { Pager } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { SubscriptionActions } from './subscription-actions.tsx';
import { SubscriptionFigures } from './subscription-figures.tsx';
import { periodPrice, STATUS_NAMES, STATUSES, TONES, type Subscription } from './subscription-status.ts';

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
      <SubscriptionFigures />
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
          <Link
            to="/shop/$shopId/subscriptions/$subscriptionId"
            params={{ shopId, subscriptionId: one.id }}
            className={LINK}
          >
            <code title={one.id}>{short(one.id)}</code>
          </Link>
        </h2>
        <Badge tone={TONES[one.status]}>{STATUS_NAMES[one.status]}</Badge>
      </div>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
        <dt className="text-soft">{t('Price')}</dt>
        <dd>{periodPrice(one)}</dd>
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
      {may('subscriptions:write') && (
        <div className="mt-3">
          <SubscriptionActions of={one} isSmall />
        </div>
      )}
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
