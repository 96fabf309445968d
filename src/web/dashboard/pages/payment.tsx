import { Link, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { api } from '../api/client.ts';
import { useAct, useApi, useShopId } from '../api/hooks.ts';
import type { Coin, Pagination, Payment, WebhookLog } from '../api/types.ts';
import { Badge, Button, Card, CoinName, Copy, Empty, PageTitle, Problem, Shown } from '../ui/basics.tsx';
import { coins, fiat, short, when, words } from '../ui/format.ts';
import { StatusBadge } from '../ui/status.tsx';
import { Table } from '../ui/table.tsx';
import { RefundDialog } from './refund.tsx';

export function PaymentPage() {
  const merchantId = useShopId();
  const { paymentId = '' } = useParams({ strict: false });
  const read = useApi<Payment>('/payment/get', { merchantId, paymentId }, { refetchMs: 3_000 });
  return (
    <Shown of={read} rows={6}>
      {(payment) => (
        <>
          <PageTitle
            title={`Order ${payment.orderId}`}
            lead={<code className="break-all">{payment.id}</code>}
            actions={<Actions payment={payment} />}
          />
          <div className="grid gap-6 lg:grid-cols-[1fr_20rem]">
            <div className="grid min-w-0 content-start gap-6">
              <Options payment={payment} />
              <Transactions payment={payment} />
              <Webhooks payment={payment} />
            </div>
            <aside aria-label="Facts" className="grid content-start gap-6">
              <Facts payment={payment} />
              <Timeline payment={payment} />
            </aside>
          </div>
        </>
      )}
    </Shown>
  );
}

function Actions({ payment }: { payment: Payment }) {
  const merchantId = useShopId();
  const [refunding, setRefunding] = useState(false);
  const act = useAct(({ path, ...body }: { path: string; action?: string }) =>
    api('POST', path, { body: { ...body, merchantId, paymentId: payment.id } }),
  );
  const { status, exception } = payment;
  const hasMoney = payment.transactions.some((one) => one.status !== 'reversed');
  const isOpen = hasMoney && (status === 'underpaid' || exception === 'late') && status !== 'completed';
  return (
    <>
      {status === 'pending' && (
        <Button look="danger" busy={act.isPending} onClick={() => act.mutate({ path: '/payment/cancel' })}>
          Cancel payment
        </Button>
      )}
      {isOpen && (
        <Button
          busy={act.isPending}
          onClick={() => act.mutate({ path: '/payment/resolve', action: 'accept' })}
        >
          Accept as paid
        </Button>
      )}
      {hasMoney && status !== 'refunded' && <Button onClick={() => setRefunding(true)}>Refund</Button>}
      <a
        href={payment.checkoutUrl}
        target="_blank"
        rel="noreferrer"
        className="inline-flex min-h-10 items-center rounded-xl bg-accent px-4 text-sm font-semibold text-accent-ink"
      >
        Open checkout
      </a>
      {act.error !== null && <Problem error={act.error} />}
      <RefundDialog payment={payment} open={refunding} onClose={() => setRefunding(false)} />
    </>
  );
}

function Row(props: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 py-1.5 text-sm">
      <dt className="text-soft">{props.name}</dt>
      <dd className="min-w-0 text-right font-medium break-words">{props.children}</dd>
    </div>
  );
}

function Facts({ payment }: { payment: Payment }) {
  return (
    <Card>
      <p className="money text-3xl font-bold tracking-tight">{fiat(payment.amount, payment.currency)}</p>
      <div className="mt-2 mb-3">
        <StatusBadge status={payment.status} exception={payment.exception} />
      </div>
      <dl className="divide-y divide-line">
        <Row name="Created">{when(payment.createdAt)}</Row>
        <Row name="Expires">{when(payment.expiresAt)}</Row>
        <Row name="Customer">
          <code className="text-xs">{short(payment.customerId)}</code>
        </Row>
        <Row name="Mode">{payment.sandbox ? 'Sandbox' : 'Live'}</Row>
      </dl>
      {payment.metadata !== null && (
        <details className="mt-3 text-sm">
          <summary className="text-soft">Metadata</summary>
          <pre className="mt-2 overflow-x-auto rounded-lg bg-well p-3 text-xs" tabIndex={0}>
            {JSON.stringify(payment.metadata, null, 2)}
          </pre>
        </details>
      )}
    </Card>
  );
}

function Timeline({ payment }: { payment: Payment }) {
  return (
    <Card title="Timeline">
      <ol className="grid gap-4 border-l-2 border-line pl-4">
        {payment.timeline.map((event) => (
          <li key={event.sequence} className="relative text-sm">
            <span
              aria-hidden="true"
              className="absolute top-1.5 -left-[1.38rem] size-2.5 rounded-full border-2 border-card bg-accent"
            />
            <b className="font-semibold">{words(event.type)}</b>
            <time dateTime={event.at} className="block text-xs text-soft">
              {when(event.at)}
            </time>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Options({ payment }: { payment: Payment }) {
  const options = Object.entries(payment.options).map(([coin, option]) => ({
    coin: coin as Coin,
    ...option,
  }));
  return (
    <Card title="Asked for">
      <Table
        label="Coins"
        rows={options}
        keyOf={({ coin }) => coin}
        columns={[
          { title: 'Coin', cell: ({ coin }) => <CoinName coin={coin} /> },
          {
            title: 'Address',
            wide: true,
            cell: ({ address }) => <code title={address}>{short(address, 10, 8)}</code>,
          },
          { title: 'Rate', wide: true, end: true, cell: ({ rate }) => fiat(rate, payment.currency) },
          {
            title: 'Amount',
            end: true,
            cell: ({ amount }) => <span className="money">{coins(amount)}</span>,
          },
          {
            title: 'Received',
            end: true,
            cell: ({ received }) => <b className="money">{coins(received)}</b>,
          },
        ]}
      />
    </Card>
  );
}

function Transactions({ payment }: { payment: Payment }) {
  return (
    <Card title="Transactions">
      {payment.transactions.length === 0 ? (
        <Empty title="No money yet" />
      ) : (
        <Table
          label="Transactions"
          rows={payment.transactions}
          keyOf={({ txid, index }) => `${txid}:${index}`}
          columns={[
            { title: 'Coin', cell: ({ coin }) => <CoinName coin={coin} /> },
            {
              title: 'Transaction',
              cell: ({ txid }) => (
                <span className="inline-flex items-center gap-2">
                  <code title={txid}>{short(txid)}</code>
                  <Copy text={txid} label="Copy transaction id" />
                </span>
              ),
            },
            {
              title: 'State',
              cell: ({ status, confirmations, late }) => (
                <span className="inline-flex flex-wrap gap-1">
                  <Badge tone={status === 'confirmed' ? 'good' : status === 'reversed' ? 'bad' : 'busy'}>
                    {status === 'confirmed' ? `${confirmations} conf.` : words(status)}
                  </Badge>
                  {late && <Badge tone="warn">Late</Badge>}
                </span>
              ),
            },
            { title: 'Amount', end: true, cell: ({ amount }) => <b className="money">{coins(amount)}</b> },
          ]}
        />
      )}
      {(payment.refunds ?? []).map((refund) => (
        <p key={refund.sendId} className="mt-3 flex flex-wrap items-center gap-2 text-sm">
          <Badge tone="warn">Refund {refund.status}</Badge>
          <b className="money">
            {coins(refund.amount)} {refund.coin}
          </b>
          <code className="text-soft">{short(refund.txHash)}</code>
        </p>
      ))}
    </Card>
  );
}

function Webhooks({ payment }: { payment: Payment }) {
  const merchantId = useShopId();
  const logs = useApi<{ logs: WebhookLog[]; pagination: Pagination }>('/merchant/webhook-logs', {
    merchantId,
    paymentId: payment.id,
    limit: 10,
  });
  return (
    <Card
      title="Webhooks"
      actions={
        <Link
          to="/shop/$shopId/webhooks"
          params={{ shopId: merchantId }}
          search={{ paymentId: payment.id }}
          className="text-sm font-medium text-accent underline underline-offset-2"
        >
          Open the log
        </Link>
      }
    >
      <Shown of={logs} rows={2}>
        {(data) =>
          data.logs.length === 0 ? (
            <Empty title="No webhook was sent">
              Set a webhook URL in the settings to be told of every change.
            </Empty>
          ) : (
            <Table
              label="Webhooks"
              rows={data.logs}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Event', cell: (log) => words(log.request.body.type) },
                { title: 'When', wide: true, cell: (log) => when(log.createdAt) },
                {
                  title: 'Answer',
                  end: true,
                  cell: (log) => (
                    <Badge tone={log.status >= 200 && log.status < 300 ? 'good' : 'bad'}>
                      {log.status === 0 ? 'None' : log.status}
                    </Badge>
                  ),
                },
              ]}
            />
          )
        }
      </Shown>
    </Card>
  );
}
