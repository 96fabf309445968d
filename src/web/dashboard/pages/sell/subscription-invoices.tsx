import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi, useShopId } from '../../api/hooks.ts';
import { useFilters } from '../../api/search.ts';
import { fiat } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { Badge, Card, Empty, LINK, Loaded } from '../../ui/basics.tsx';
import { Pager, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import type { Subscription } from './subscription-status.ts';

const LIVE_MS = 10_000;

type Invoice = 'open' | 'paid' | 'void';
const INVOICE_STATUSES: Readonly<Record<Invoice, readonly [name: string, tone: 'warn' | 'good' | 'idle']>> = {
  open: [t('Open'), 'warn'],
  paid: [t('Paid'), 'good'],
  void: [t('Closed'), 'idle'],
};

/** The invoices of a subscription with their payments, newest first. */
export function Invoices({ of: { id: subscriptionId, currency } }: { of: Subscription }) {
  const merchantId = useShopId();
  const [search, change] = useFilters();
  const query = { merchantId, subscriptionId, page: search['page'], limit: 12 };
  const list = useApi('/merchant/subscription/invoices', query, { refetchMs: LIVE_MS });
  return (
    <Card title={t('Invoices')}>
      <Loaded of={list} rows={3}>
        {({ invoices, pagination }) =>
          invoices.length === 0 ? (
            <Empty title={t('No invoice yet')} />
          ) : (
            <>
              <Table
                label={t('Invoices')}
                rows={invoices}
                keyOf={({ n }) => String(n)}
                columns={[
                  {
                    title: t('Period'),
                    cell: ({ periodStart, paymentId }) => (
                      <PaymentLink paymentId={paymentId}>
                        <Time at={periodStart} exact="minute" />
                      </PaymentLink>
                    ),
                  },
                  {
                    title: t('State'),
                    cell: ({ status }) => (
                      <Badge tone={INVOICE_STATUSES[status][1]}>{INVOICE_STATUSES[status][0]}</Badge>
                    ),
                  },
                  {
                    title: t('Credit'),
                    end: true,
                    wide: true,
                    cell: ({ creditApplied, credited, prorated }) => (
                      <span className="grid">
                        {[negative(creditApplied), credited, prorated].map((change, index) => (
                          <CreditChange key={index} change={change} currency={currency} />
                        ))}
                      </span>
                    ),
                  },
                  {
                    title: t('Amount'),
                    end: true,
                    cell: ({ due }) => <span className="money">{fiat(due, currency)}</span>,
                  },
                ]}
              />
              <Pager of={pagination} onPage={(next) => change({ page: String(next) })} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

const negative = (amount: string): string => (amount === '0' ? amount : `-${amount}`);

/** @param change signed, of the credit of the subscription */
function CreditChange({ change, currency }: { change: string; currency: string }) {
  if (change === '0') return null;
  const isLess = change.startsWith('-');
  return (
    <span className="money">
      {isLess ? '−' : '+'}
      {fiat(isLess ? change.slice(1) : change, currency)}
    </span>
  );
}

/** Null: credit has paid the invoice. */
function PaymentLink({ paymentId, children }: { paymentId: string | null; children: ReactNode }) {
  const shopId = useShopId();
  if (paymentId === null) return children;
  return (
    <Link to="/shop/$shopId/payments/$paymentId" params={{ shopId, paymentId }} className={LINK}>
      {children}
    </Link>
  );
}
