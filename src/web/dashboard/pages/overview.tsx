import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useApi, useShop, useShopId } from '../api/hooks.ts';
import { COINS, type Pagination, type Payment, type PerCoin } from '../api/types.ts';
import { Badge, Card, CoinName, Empty, PageTitle, Shown } from '../ui/basics.tsx';
import { VolumeChart, type Day } from '../ui/chart.tsx';
import { coins, fiat } from '../ui/format.ts';
import { PaymentTable } from '../ui/payment-table.tsx';

const DAYS = 14;
const DAY_MS = 86_400_000;
const LIVE_MS = 10_000;

interface Payments {
  payments: Payment[];
  pagination: Pagination;
}

export function OverviewPage() {
  const merchantId = useShopId();
  const shop = useShop();
  const balances = useApi<PerCoin>('/merchant/wallet/balances', { merchantId }, { refetchMs: LIVE_MS });
  const recent = useApi<Payments>('/payment/list', { merchantId, limit: 6 }, { refetchMs: LIVE_MS });
  return (
    <>
      <PageTitle
        title={shop?.name ?? 'Overview'}
        lead={shop?.domain}
        actions={
          shop !== undefined && (
            <Badge tone={shop.isVerified ? 'good' : 'warn'}>
              {shop.isVerified ? 'Domain verified' : 'Domain not verified'}
            </Badge>
          )
        }
      />
      <Shown of={balances} rows={1}>
        {(data) => (
          <dl className="mb-6 grid grid-cols-2 gap-3 lg:grid-cols-4">
            {COINS.map((coin) => (
              <div key={coin} className="rounded-2xl border border-line bg-card p-4">
                <dt className="text-sm">
                  <CoinName coin={coin} />
                </dt>
                <dd className="money mt-2 text-xl font-bold tracking-tight break-all">{coins(data[coin])}</dd>
              </div>
            ))}
          </dl>
        )}
      </Shown>
      <Volume merchantId={merchantId} />
      <Card
        title="Latest payments"
        className="mt-6"
        actions={
          <Link
            to="/shop/$shopId/payments"
            params={{ shopId: merchantId }}
            className="text-sm font-medium text-accent underline underline-offset-2"
          >
            All payments
          </Link>
        }
      >
        <Shown of={recent}>
          {({ payments }) =>
            payments.length === 0 ? (
              <Empty title="No payment yet">
                Create one with your public key, or from the Payments page.
              </Empty>
            ) : (
              <PaymentTable payments={payments} />
            )
          }
        </Shown>
      </Card>
    </>
  );
}

function Volume({ merchantId }: { merchantId: string }) {
  const startDate = useMemo(() => new Date(Date.now() - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10), []);
  const paid = useApi<Payments>(
    '/payment/list',
    { merchantId, status: 'completed', startDate, limit: 100 },
    { refetchMs: 30_000 },
  );
  return (
    <Card title="Volume, last 14 days">
      <Shown of={paid}>
        {({ payments, pagination }) => {
          const currency = mostUsed(payments);
          if (currency === null) {
            return <Empty title="Nothing was paid yet">Completed payments show here by coin and day.</Empty>;
          }
          const others = payments.filter((payment) => payment.currency !== currency).length;
          return (
            <>
              <VolumeChart
                days={daysOf(payments.filter((payment) => payment.currency === currency))}
                format={(value) => fiat(value.toFixed(2), currency)}
              />
              {(others > 0 || pagination.total > payments.length) && (
                <p className="mt-2 text-xs text-soft">
                  In {currency}
                  {others > 0 ? `, without ${others} payments in other currencies` : ''}
                  {pagination.total > payments.length
                    ? `; the newest ${payments.length} of ${pagination.total}`
                    : ''}
                  .
                </p>
              )}
            </>
          );
        }}
      </Shown>
    </Card>
  );
}

function mostUsed(payments: readonly Payment[]): string | null {
  const counts = new Map<string, number>();
  for (const { currency } of payments) counts.set(currency, (counts.get(currency) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

/** What each coin brought each day, at the rate of the payment. For the eye only: exact numbers are in the list. */
function daysOf(payments: readonly Payment[]): Day[] {
  const label = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'numeric' });
  const days: Day[] = Array.from({ length: DAYS }, (_, back) => ({
    label: label.format(Date.now() - (DAYS - 1 - back) * DAY_MS),
    values: { BTC: 0, ETH: 0, LTC: 0, SOL: 0 },
  }));
  for (const payment of payments) {
    const day = days.find((one) => one.label === label.format(new Date(payment.createdAt)));
    for (const coin of COINS) {
      const option = payment.options[coin];
      if (day !== undefined && option !== undefined) {
        day.values[coin] += Number(option.received) * Number(option.rate);
      }
    }
  }
  return days;
}
