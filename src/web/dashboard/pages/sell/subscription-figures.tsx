import type { ReactNode } from 'react';
import { useApi, useShopId } from '../../api/hooks.ts';
import { useMode } from '../../api/mode.ts';
import type { Data } from '../../contract/contract.ts';
import { fiat, monthName } from '../../format/format.ts';
import { locale } from '../../i18n/language.ts';
import { t } from '../../i18n/t.ts';
import { Card, Loaded } from '../../ui/basics.tsx';
import { Table } from '../../ui/table.tsx';

const MONTHS = 6;

type Summary = Data<'GET', '/merchant/subscription/summary'>;
type Month = Summary['months'][number];

/** What subscriptions bring, what is to come, and how many end: by currency, months in the shop's zone. */
export function SubscriptionFigures() {
  const merchantId = useShopId();
  const { viewed: mode } = useMode();
  const read = useApi('/merchant/subscription/summary', { merchantId, mode, months: MONTHS });
  return (
    <Loaded of={read} rows={2}>
      {(summary) => {
        const hasHistory = summary.months.some(
          ({ activeAtStart, revenue }) => activeAtStart + revenue.length > 0,
        );
        if (!hasHistory && summary.upcoming.length === 0) return null;
        return (
          <div className="mb-6 grid grid-cols-1 gap-4 md:grid-cols-2">
            <Sums title={t('Monthly recurring revenue')} rows={summary.monthlyRecurringRevenue}>
              {(one) => t('Subscriptions: {count}', { count: String(one.subscriptions) })}
            </Sums>
            <Sums title={t('Invoices of the next 30 days')} rows={summary.upcoming}>
              {(one) => t('Invoices: {count}', { count: String(one.invoices) })}
            </Sums>
            {hasHistory && (
              <Card title={t('Months')} className="md:col-span-2">
                <Months of={summary} />
              </Card>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

interface SumsProps<T> {
  readonly title: string;
  readonly rows: readonly T[];
  readonly children: (row: T) => ReactNode;
}

function Sums<T extends { readonly currency: string; readonly amount: string }>(props: SumsProps<T>) {
  return (
    <Card title={props.title}>
      {props.rows.length === 0 ? (
        <p className="text-sm text-soft">{t('None')}</p>
      ) : (
        <ul className="grid gap-2">
          {props.rows.map((row) => (
            <li key={row.currency} className="flex flex-wrap items-baseline justify-between gap-x-4">
              <span className="money text-xl font-bold">{fiat(row.amount, row.currency)}</span>
              <span className="text-sm text-soft">{props.children(row)}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Months({ of: { months } }: { of: Summary }) {
  return (
    <Table
      label={t('Months')}
      rows={months.toReversed()}
      keyOf={({ month }) => month}
      columns={[
        { title: t('Month'), cell: ({ month }) => `${monthName(`${month}-01`)} ${month.slice(0, 4)}` },
        { title: t('Paid invoices'), end: true, cell: (month) => <Revenue of={month} /> },
        {
          title: t('Active at its start'),
          end: true,
          wide: true,
          cell: ({ activeAtStart }) => activeAtStart,
        },
        { title: t('Lost'), end: true, cell: churn },
      ]}
    />
  );
}

function Revenue({ of: { revenue } }: { of: Month }) {
  if (revenue.length === 0) return '–';
  return (
    <span className="grid">
      {revenue.map(({ currency, amount }) => (
        <span key={currency} className="money">
          {fiat(amount, currency)}
        </span>
      ))}
    </span>
  );
}

/** How many were lost, and their share of those at the start of the month. */
function churn({ activeAtStart, lost }: Month): string {
  if (activeAtStart === 0) return String(lost);
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  return `${lost} (${share.format(lost / activeAtStart)})`;
}
