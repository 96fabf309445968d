import { Link } from '@tanstack/react-router';
import { useShopId } from '../api/hooks.ts';
import { customerName, type CustomersById } from '../api/customers-by-id.ts';
import type { Payment } from '../contract/types.ts';
import { t } from '../i18n/t.ts';
import { fiat, orderName, short } from '../format/format.ts';
import { useIsNarrow } from './use-is-narrow.ts';
import { ROW_LINK } from './row-link.ts';
import { StatusBadge } from './status.tsx';
import { Table, type Column, type Sorting } from './table.tsx';
import { Time } from './time.tsx';

function paidIn(payment: Payment): string {
  return Object.entries(payment.options)
    .flatMap(([coin, option]) => (option.received === '0' ? [] : [coin]))
    .join(', ');
}

interface PaymentTableProps {
  readonly payments: readonly Payment[];
  /** If set, the table has a column of customers. */
  readonly customers?: CustomersById;
  readonly sorting?: Sorting;
}

function customerColumn(customers: CustomersById): Column<Payment> {
  return {
    title: t('Customer'),
    wide: true,
    cell: ({ customerId }) => {
      const customer = customerId === null ? undefined : customers.get(customerId);
      if (customer === undefined) return <span className="text-soft">–</span>;
      return (
        <span dir="auto" className="block max-w-40 truncate xl:max-w-56" title={customer.email}>
          {customerName(customer) ?? customer.email}
        </span>
      );
    },
  };
}

function statusColumn(): Column<Payment> {
  return {
    title: t('Status'),
    sort: 'status',
    cell: ({ status, exception }) => <StatusBadge status={status} exception={exception} />,
  };
}

/** Longest amount that stays on one line on a phone, characters. */
const UNBROKEN = 16;

export function PaymentTable({ payments, customers, sorting }: PaymentTableProps) {
  const shopId = useShopId();
  const isNarrow = useIsNarrow();
  return (
    <Table
      label={t('Payments')}
      rows={payments}
      {...(sorting === undefined ? {} : { sorting })}
      keyOf={(payment) => payment.id}
      columns={[
        {
          title: t('Order'),
          sort: 'orderId',
          cell: (payment) => (
            <>
              <Link
                to="/shop/$shopId/payments/$paymentId"
                params={{ shopId, paymentId: payment.id }}
                title={
                  payment.orderLabel === null ? payment.orderId : `${payment.orderLabel} (${payment.orderId})`
                }
                {...ROW_LINK}
                className="font-semibold wrap-anywhere text-accent underline-offset-2 hover:underline md:whitespace-nowrap"
              >
                {short(orderName(payment), 16, 6)}
              </Link>
              {isNarrow && (
                <small className="grid justify-items-start gap-1 text-soft">
                  <Time at={payment.createdAt} isShort />
                  <StatusBadge status={payment.status} exception={payment.exception} />
                </small>
              )}
            </>
          ),
        },
        ...(isNarrow ? [] : [statusColumn()]),
        ...(customers === undefined ? [] : [customerColumn(customers)]),
        { title: t('Paid in'), wide: true, cell: (payment) => paidIn(payment) || '–' },
        {
          title: t('Created'),
          sort: 'createdAt',
          wide: true,
          cell: (payment) => <Time at={payment.createdAt} isShort className="whitespace-nowrap" />,
        },
        {
          title: t('Amount'),
          end: true,
          cell: (payment) => {
            const amount = fiat(payment.amount, payment.currency);
            const wraps =
              amount.length > UNBROKEN ? 'wrap-anywhere md:whitespace-nowrap' : 'whitespace-nowrap';
            return (
              <>
                <span className={`money font-semibold ${wraps}`}>{amount}</span>
                <small className="block text-soft md:hidden">{paidIn(payment)}</small>
              </>
            );
          },
        },
      ]}
    />
  );
}
