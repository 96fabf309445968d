import { Link } from '@tanstack/react-router';
import { useShopId } from '../api/hooks.ts';
import type { Payment } from '../api/types.ts';
import { t } from '../i18n/t.ts';
import { fiat, short, when, whenShort } from './format.ts';
import { StatusBadge } from './status.tsx';
import { Table } from './table.tsx';

function paidIn(payment: Payment): string {
  return Object.entries(payment.options)
    .flatMap(([coin, option]) => (option.received === '0' ? [] : [coin]))
    .join(', ');
}

export function PaymentTable({ payments }: { payments: readonly Payment[] }) {
  const shopId = useShopId();
  return (
    <Table
      label={t('Payments')}
      rows={payments}
      keyOf={(payment) => payment.id}
      columns={[
        {
          title: t('Order'),
          cell: (payment) => (
            <>
              <Link
                to="/shop/$shopId/payments/$paymentId"
                params={{ shopId, paymentId: payment.id }}
                title={payment.orderId}
                className="font-semibold whitespace-nowrap text-accent underline-offset-2 hover:underline"
              >
                {short(payment.orderId, 16, 6)}
              </Link>
              <small className="block whitespace-nowrap text-soft md:hidden">
                {whenShort(payment.createdAt)}
              </small>
            </>
          ),
        },
        {
          title: t('Status'),
          cell: (payment) => <StatusBadge status={payment.status} exception={payment.exception} />,
        },
        { title: t('Paid in'), wide: true, cell: (payment) => paidIn(payment) || '–' },
        { title: t('Created'), wide: true, cell: (payment) => when(payment.createdAt) },
        {
          title: t('Amount'),
          end: true,
          cell: (payment) => (
            <>
              <span className="money font-semibold wrap-anywhere md:whitespace-nowrap">
                {fiat(payment.amount, payment.currency)}
              </span>
              <small className="block text-soft md:hidden">{paidIn(payment)}</small>
            </>
          ),
        },
      ]}
    />
  );
}
