import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { customerName, isErased } from '../../api/customers-by-id.ts';
import { useApi, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import { useFollowMode } from '../../api/mode.ts';
import type { Payment, WebhookDelivery } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Card, Empty, LINK, PageTitle, Loaded } from '../../ui/basics.tsx';
import { EmailText } from '../../ui/email-text.tsx';
import { fiat, orderName, short } from '../../format/format.ts';
import { sharesMinute } from '../../ui/relative-time.ts';
import { StatusBadge } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { words } from '../../ui/labels.ts';
import { PaymentActions } from './payment-actions.tsx';
import { PaymentNote } from './payment-note.tsx';
import { PaymentOptions } from './payment-options.tsx';
import { PaymentOutcome } from './payment-outcome.tsx';
import { PaymentReceipt } from './payment-receipt.tsx';
import { PaymentTransactions } from './payment-transactions.tsx';
import { RefundLinks } from './refund-links.tsx';
import { DeliveryState } from '../developers/webhook-delivery.tsx';
import { Time } from '../../ui/time.tsx';

const LIVE_MS = 3_000;

export function PaymentPage() {
  const merchantId = useShopId();
  const { paymentId = '' } = useParams({ strict: false });
  const read = useApi('/payment/get', { merchantId, paymentId }, { refetchMs: LIVE_MS });
  return (
    <>
      <p className="mb-3 text-sm">
        <Link to="/shop/$shopId/payments" params={{ shopId: merchantId }} className={LINK}>
          {t('Payments')}
        </Link>
      </p>
      {read.error?.status === 404 ? (
        <NoSuchPayment />
      ) : (
        <Loaded of={read} rows={6}>
          {/* A user's token reads the whole payment, never the payer's view of it. */}
          {(payment) => 'timeline' in payment && <Whole payment={payment} />}
        </Loaded>
      )}
    </>
  );
}

function NoSuchPayment() {
  return (
    <>
      <PageTitle title={t('No such payment')} />
      <Empty title={t('This shop has no payment at this address')} />
    </>
  );
}

function Whole({ payment }: { payment: Payment }) {
  const may = usePermission();
  useFollowMode(payment);
  return (
    <>
      <PageTitle
        title={t('Order {orderId}', { orderId: orderName(payment) })}
        lead={<code className="break-all">{payment.id}</code>}
        actions={<PaymentActions payment={payment} />}
      />
      <PaymentOutcome payment={payment} />
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <aside aria-label={t('Facts')} className="grid grid-cols-1 content-start gap-6 lg:order-2">
          <Facts payment={payment} />
          <PaymentNote payment={payment} />
          <PaymentReceipt payment={payment} />
          <Timeline payment={payment} />
        </aside>
        <div className="grid grid-cols-1 content-start gap-6">
          <PaymentTransactions payment={payment} />
          <PaymentOptions payment={payment} />
          <RefundLinks payment={payment} />
          {may('webhooks:read') && <Webhooks payment={payment} />}
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

function Facts({ payment }: { payment: Payment }) {
  const addresses = [
    [t('Webhook'), payment.webhookUrl ?? null],
    [t('After paying'), payment.successUrl],
    [t('After cancelling'), payment.returnUrl],
  ] as const;
  return (
    <Card>
      <p className="money text-3xl font-bold tracking-tight">{fiat(payment.amount, payment.currency)}</p>
      <div className="mt-2 mb-3">
        <StatusBadge status={payment.status} exception={payment.exception} />
      </div>
      <dl className="divide-y divide-line">
        <Row name={t('Created')}>
          <Time at={payment.createdAt} exact="minute" />
        </Row>
        <Row name={t('Expires')}>
          <Time at={payment.expiresAt} exact="minute" />
        </Row>
        {payment.orderLabel !== null && <Row name={t('Order id')}>{payment.orderId}</Row>}
        <Row name={t('Customer')}>
          {payment.customerId === null ? t('Anonymous') : <Customer id={payment.customerId} />}
        </Row>
        {payment.description !== null && <Row name={t('Description')}>{payment.description}</Row>}
        {payment.lines.map(({ name, quantity, amount }, at) => (
          <Row key={at} name={`${quantity} × ${name}`}>
            {fiat(amount, payment.currency)}
          </Row>
        ))}
        {payment.productId !== null && (
          <Row name={t('Product')}>
            <code className="text-xs" title={payment.productId}>
              {short(payment.productId)}
            </code>
          </Row>
        )}
        <Row name={t('Mode')}>{payment.sandbox ? t('Sandbox') : t('Live')}</Row>
        {addresses.map(
          ([name, address]) =>
            address !== null && (
              <Row key={name} name={name}>
                <span className="text-xs break-all">{address}</span>
              </Row>
            ),
        )}
      </dl>
      <Free title={t('Metadata')} value={payment.metadata} />
      <Free title={t('Custom fields')} value={payment.customFields} />
    </Card>
  );
}

/** The payer: email address, and a link to their other payments. */
function Customer({ id }: { id: string }) {
  const shopId = useShopId();
  const { data } = useApi('/merchant/customer/get', { merchantId: shopId, customerId: id });
  const name = data === undefined ? null : customerName(data);
  return (
    <>
      {name !== null && <span className="block wrap-anywhere">{name}</span>}
      {data !== undefined && !isErased(data) && (
        <a
          href={`mailto:${encodeURIComponent(data.email).replace('%40', '@')}`}
          className={`${LINK} block py-0.5`}
        >
          <EmailText of={data.email} />
        </a>
      )}
      <Link
        to="/shop/$shopId/payments"
        params={{ shopId }}
        search={{ customerId: id }}
        title={id}
        className={`block py-1 text-xs ${LINK}`}
      >
        {data === undefined
          ? t('All payments of {customer}', { customer: short(id) })
          : t('All payments of this customer')}
      </Link>
    </>
  );
}

function Free(props: { title: string; value: Record<string, unknown> | null }) {
  if (props.value === null || Object.keys(props.value).length === 0) return null;
  return (
    <details className="mt-3 text-sm">
      <summary className="text-soft">{props.title}</summary>
      <pre
        className="mt-2 overflow-x-auto rounded-lg bg-well p-3 text-xs"
        tabIndex={0}
        role="region"
        aria-label={props.title}
      >
        {JSON.stringify(props.value, null, 2)}
      </pre>
    </details>
  );
}

function Timeline({ payment }: { payment: Payment }) {
  const isCrowded = sharesMinute(payment.timeline.map(({ at }) => at));
  return (
    <Card title={t('Timeline')}>
      <ol className="grid gap-4 border-s-2 border-line ps-4">
        {payment.timeline.map((event, place) => (
          <li key={event.sequence} className="relative text-sm">
            <span
              aria-hidden="true"
              className="absolute -start-[1.38rem] top-1.5 size-2.5 rounded-full border-2 border-card bg-accent"
            />
            <b className="font-semibold">{words(event.type)}</b>
            <Time
              at={event.at}
              exact={isCrowded[place] ? 'second' : 'minute'}
              className="block text-xs text-soft"
            />
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Webhooks({ payment }: { payment: Payment }) {
  const merchantId = useShopId();
  const mode = payment.sandbox ? 'sandbox' : 'live';
  const query = { merchantId, paymentId: payment.id, mode, limit: 40 } as const;
  const list = useApi('/merchant/webhook/deliveries', query, { refetchMs: LIVE_MS });
  return (
    <Card
      title={t('Webhooks')}
      actions={
        <Link
          to="/shop/$shopId/webhooks"
          params={{ shopId: merchantId }}
          search={{ paymentId: payment.id }}
          className={`text-sm ${LINK}`}
        >
          {t('Open the log')}
        </Link>
      }
    >
      <Loaded of={list} rows={2}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <Empty title={t('No webhook was sent')}>
              {t('Set a webhook URL in the settings to be notified of every change.')}
            </Empty>
          ) : (
            <EventTable deliveries={deliveries} />
          )
        }
      </Loaded>
    </Card>
  );
}

/** One row per event, with the state of its delivery to each endpoint. */
function EventTable({ deliveries }: { deliveries: readonly WebhookDelivery[] }) {
  const events = [...new Set(deliveries.map(({ eventId }) => eventId))].map(
    (eventId) => [eventId, deliveries.filter((one) => one.eventId === eventId)] as const,
  );
  return (
    <Table
      label={t('Webhooks')}
      rows={events}
      keyOf={([eventId]) => eventId}
      columns={[
        {
          title: t('Event'),
          cell: ([, sent]) => (
            <>
              {words(sent[0]?.event ?? '')}
              <ul className="mt-1 grid gap-1">
                {sent.map((delivery) => (
                  <li
                    key={delivery.id}
                    className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1"
                  >
                    <small className="text-soft wrap-anywhere">{delivery.endpoint}</small>
                    <DeliveryState of={delivery} />
                  </li>
                ))}
              </ul>
            </>
          ),
        },
        {
          title: t('When'),
          end: true,
          cell: ([, sent]) => <Time at={sent[0]?.createdAt ?? ''} isShort className="whitespace-nowrap" />,
        },
      ]}
    />
  );
}
