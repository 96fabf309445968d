import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { customerName, isErased } from '../../api/customers-by-id.ts';
import { useApi, useShopId } from '../../api/hooks.ts';
import { useFollowMode } from '../../api/mode.ts';
import { usePermission } from '../../api/permissions.ts';
import { fiat, short } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { INVOICE_PROBLEM_TEXTS } from '../../ui/attention-words.ts';
import { Badge, Card, CopyLine, Empty, LINK, Loaded, PageTitle } from '../../ui/basics.tsx';
import { EmailText } from '../../ui/email-text.tsx';
import { words } from '../../ui/labels.ts';
import { Time } from '../../ui/time.tsx';
import { SubscriptionActions } from './subscription-actions.tsx';
import { Invoices } from './subscription-invoices.tsx';
import { periodPrice, STATUS_NAMES, statusMeaning, TONES, type Subscription } from './subscription-status.ts';

const LIVE_MS = 10_000;

/** One subscription: its state, its invoices with their payments, what happened, and what can be done. */
export function SubscriptionPage() {
  const merchantId = useShopId();
  const { subscriptionId = '' } = useParams({ strict: false });
  const read = useApi('/merchant/subscription/get', { merchantId, subscriptionId }, { refetchMs: LIVE_MS });
  return (
    <>
      <p className="mb-3 text-sm">
        <Link to="/shop/$shopId/subscriptions" params={{ shopId: merchantId }} className={LINK}>
          {t('Subscriptions')}
        </Link>
      </p>
      {read.error?.status === 404 ? (
        <>
          <PageTitle title={t('No such subscription')} />
          <Empty title={t('This shop has no subscription at this address')} />
        </>
      ) : (
        <Loaded of={read} rows={6}>
          {(one) => <Whole of={one} />}
        </Loaded>
      )}
    </>
  );
}

function Whole({ of: one }: { of: Subscription }) {
  const may = usePermission();
  useFollowMode({ sandbox: one.mode === 'sandbox' });
  const problem = one.invoiceProblem ?? null;
  return (
    <>
      <PageTitle
        title={t('Subscription')}
        lead={<code className="break-all">{one.id}</code>}
        {...(may('subscriptions:write') ? { actions: <SubscriptionActions of={one} /> } : {})}
      />
      {problem !== null && (
        <div role="status" className="mb-6 grid gap-1 rounded-2xl bg-warn-soft p-4 text-sm text-warn">
          <p className="font-semibold">{t('The next invoice cannot be made')}</p>
          <p>{INVOICE_PROBLEM_TEXTS[problem.reason]()}</p>
        </div>
      )}
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <aside aria-label={t('Facts')} className="grid grid-cols-1 content-start gap-6 lg:order-2">
          <Facts of={one} />
        </aside>
        <div className="grid grid-cols-1 content-start gap-6">
          <Invoices of={one} />
          {typeof one.portalUrl === 'string' && (
            <Card title={t('Page of the payer')}>
              <p className="mb-3 text-sm text-soft">
                {t(
                  'Everyone who has this address can pay and, if you allow it, cancel. Treat it as a password.',
                )}
              </p>
              <CopyLine
                text={one.portalUrl}
                label={t('address of the page of {id}', { id: short(one.id) })}
              />
            </Card>
          )}
          {may('events:read') && <History of={one} />}
        </div>
      </div>
    </>
  );
}

function Row(props: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 py-1.5 text-sm">
      <dt className="shrink-0 text-soft">{props.name}</dt>
      <dd className="min-w-0 text-end font-medium break-words">{props.children}</dd>
    </div>
  );
}

function Moment({ name, at }: { name: string; at: string | null }) {
  if (at === null) return null;
  return (
    <Row name={name}>
      <Time at={at} exact="minute" />
    </Row>
  );
}

function Facts({ of: one }: { of: Subscription }) {
  const may = usePermission();
  const merchantId = useShopId();
  const products = useApi(
    '/merchant/product/list',
    { merchantId, limit: 100 },
    { enabled: may('catalog:read'), once: true },
  );
  const product = products.data?.products.find(({ id }) => id === one.productId)?.name;
  return (
    <Card>
      <p className="money text-2xl font-bold tracking-tight">{periodPrice(one)}</p>
      <div className="mt-2 mb-3 grid justify-items-start gap-2 text-sm">
        <Badge tone={TONES[one.status]}>{STATUS_NAMES[one.status]}</Badge>
        <p className="text-soft">{statusMeaning(one)}</p>
      </div>
      <dl className="divide-y divide-line">
        <Row name={t('Product')}>{product ?? <code title={one.productId}>{short(one.productId)}</code>}</Row>
        {one.quantity > 1 && <Row name={t('Quantity')}>{one.quantity}</Row>}
        <Row name={t('Customer')}>
          <Customer of={one} />
        </Row>
        <Moment name={t('Entitled until')} at={one.activeUntil} />
        <Moment name={t('Next invoice')} at={one.nextInvoiceAt} />
        <Row name={t('Credit')}>{fiat(one.credit, one.currency)}</Row>
        <Moment name={t('Created')} at={one.createdAt} />
        <Row name={t('Mode')}>{one.mode === 'sandbox' ? t('Sandbox') : t('Live')}</Row>
      </dl>
    </Card>
  );
}

function Customer({ of: { customerId, email } }: { of: Subscription }) {
  const shopId = useShopId();
  const may = usePermission();
  const { data } = useApi(
    '/merchant/customer/get',
    { merchantId: shopId, customerId },
    { enabled: may('customers:read') },
  );
  const name = data === undefined ? null : customerName(data);
  const address = email ?? (data === undefined || isErased(data) ? null : data.email);
  return (
    <>
      {name !== null && <span className="block wrap-anywhere">{name}</span>}
      {address !== null && (
        <span className="block wrap-anywhere">
          <EmailText of={address} />
        </span>
      )}
      <Link
        to="/shop/$shopId/payments"
        params={{ shopId }}
        search={{ customerId }}
        title={customerId}
        className={`block py-1 text-xs ${LINK}`}
      >
        {t('All payments of this customer')}
      </Link>
    </>
  );
}

const EVENTS = 50;

/** What happened, newest first, with each change of the credit and its note. */
function History({ of: one }: { of: Subscription }) {
  const merchantId = useShopId();
  const query = { merchantId, subscriptionId: one.id, mode: one.mode, limit: EVENTS };
  const list = useApi('/merchant/events', query, { refetchMs: LIVE_MS });
  return (
    <Card title={t('Timeline')}>
      <Loaded of={list} rows={3}>
        {({ events }) => (
          <ol className="grid gap-4 border-s-2 border-line ps-4">
            {events.map(({ id, type, createdAt, data }, at) => {
              const { credit, note } = readEvent(data);
              const before = readEvent(events[at + 1]?.data).credit ?? '0';
              const isKnown = at + 1 < events.length || events.length < EVENTS;
              return (
                <li key={id} className="relative text-sm">
                  <span
                    aria-hidden="true"
                    className="absolute -start-[1.38rem] top-1.5 size-2.5 rounded-full border-2 border-card bg-accent"
                  />
                  <b className="font-semibold">{words(type)}</b>
                  {credit !== null && isKnown && credit !== before && (
                    <span className="block">
                      {t('Credit {before} → {after}', {
                        before: fiat(before, one.currency),
                        after: fiat(credit, one.currency),
                      })}
                    </span>
                  )}
                  {note !== null && <span className="block wrap-anywhere text-soft">{note}</span>}
                  <Time at={createdAt} exact="minute" className="block text-xs text-soft" />
                </li>
              );
            })}
          </ol>
        )}
      </Loaded>
    </Card>
  );
}

/** The credit after an event, and what the shop noted. */
function readEvent(data: unknown): { readonly credit: string | null; readonly note: string | null } {
  const { subscription, note } = Object(data) as { subscription?: { credit?: unknown }; note?: unknown };
  const credit = subscription?.credit;
  return {
    credit: typeof credit === 'string' ? credit : null,
    note: typeof note === 'string' ? note : null,
  };
}
