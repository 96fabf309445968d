import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi, useShopId } from '../../api/hooks.ts';
import { useMode } from '../../api/mode.ts';
import { usePermission } from '../../api/permissions.ts';
import type { Data } from '../../contract/contract.ts';
import { isMore } from '../../format/decimal.ts';
import { fiat } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { Card, CoinName, Empty, LINK_BUTTON, Loaded, PageTitle } from '../../ui/basics.tsx';
import { CoinAmount } from '../../ui/fiat-value.tsx';
import { FlowChart } from '../../ui/chart-flow.tsx';
import { MoneyTabs } from './money-tabs.tsx';
import { ForwardButton } from './wallet-forward.tsx';
import { LimitsButton } from './wallet-limits.tsx';
import { WatchButton } from './wallet-watch.tsx';

type Treasury = Data<'GET', '/merchant/wallet/treasury'>;
type TreasuryCoin = Treasury['coins'][number];
type Valued = TreasuryCoin['hot']['confirmed'];
type Today = Treasury['today'];

/** What the shop holds and where, and what its limits leave. */
export function TreasuryPage() {
  const merchantId = useShopId();
  const { viewed: mode } = useMode();
  const may = usePermission();
  const treasury = useApi('/merchant/wallet/treasury', { merchantId, mode }, { refetchMs: 30_000 });
  return (
    <>
      <PageTitle
        title={t('Treasury')}
        lead={t('Where your money is, what is promised, and what left in the last 30 days.')}
        actions={
          <>
            <LimitsButton />
            <ForwardButton />
            <WatchButton />
            {may('owner') && (
              <Link
                to="/shop/$shopId/audit"
                params={{ shopId: merchantId }}
                search={{ about: 'money' }}
                className={LINK_BUTTON}
              >
                {t('Audit log')}
              </Link>
            )}
          </>
        }
      />
      <MoneyTabs />
      <Loaded of={treasury} rows={4}>
        {(data) => (
          <div className="grid grid-cols-1 gap-6">
            <ul className="grid grid-cols-1 gap-3 md:grid-cols-2 xl:grid-cols-4">
              {data.coins.map((coin) => (
                <CoinCard key={coin.coin} of={coin} currency={data.currency} />
              ))}
            </ul>
            <Card title={t('Sent today')}>
              <TodayLimits today={data.today} />
            </Card>
            <Card title={t('Money in and out')}>
              <Flow data={data} />
            </Card>
          </div>
        )}
      </Loaded>
    </>
  );
}

function CoinCard({ of, currency }: { of: TreasuryCoin; currency: string }) {
  const { coin, hot, watched, promised, forwarded } = of;
  const rows: readonly [label: string, value: Valued | null, isRare?: boolean][] = [
    [t('On this server'), hot.confirmed],
    [t('Waiting for a block'), hot.unconfirmed, true],
    [t('On watched accounts'), watched.confirmed],
    [t('Waiting for a block (watched)'), watched.unconfirmed, true],
    [t('Promised'), promised],
    [t('Forwarded in 30 days'), forwarded.last30Days],
    [t('Forwarded in total'), forwarded.total],
  ];
  return (
    <li className="rounded-2xl border border-line bg-card p-4">
      <CoinName coin={coin} />
      <dl className="mt-3 grid gap-2 text-sm">
        {rows.map(([label, value, isRare = false]) =>
          isRare && value?.amount === '0' ? null : (
            <Amount key={label} label={label} value={value} currency={currency} />
          ),
        )}
      </dl>
    </li>
  );
}

function Amount(props: { label: string; value: Valued | null; currency: string }) {
  const { label, value, currency } = props;
  return (
    <div className="flex items-baseline justify-between gap-3">
      <dt className="text-soft">{label}</dt>
      <dd className="text-end">
        {value === null ? (
          <span className="text-soft">{t('Not known')}</span>
        ) : (
          <>
            <b className="money font-semibold">
              <CoinAmount amount={value.amount} />
            </b>
            {value.amount !== '0' && (
              <span className="money block text-xs text-soft">
                {value.fiatAmount === null ? t('no price known') : fiat(value.fiatAmount, currency)}
              </span>
            )}
          </>
        )}
      </dd>
    </div>
  );
}

function TodayLimits({ today }: { today: Today }) {
  return (
    <div className="grid gap-5">
      <DayLimit of={today} name={null} />
      {today.keys.map((key) => (
        <DayLimit key={key.id} of={key} name={key.name} />
      ))}
    </div>
  );
}

/** How much of a limit per day is used, as a bar and in words. */
function DayLimit({ of, name }: { of: Pick<Today, 'spent' | 'limit' | 'currency'>; name: string | null }) {
  const { spent, limit } = of;
  const words = describeLimit(of);
  const share = spent === null || limit === null ? null : usedShare(spent, limit);
  return (
    <div className="grid gap-1.5 text-sm">
      <p>
        {name !== null && <b className="font-semibold break-words">{t('Key “{name}”', { name })} </b>}
        <span className="money">{words}</span>
      </p>
      {share !== null && limit !== null && (
        <div
          role="progressbar"
          aria-label={name === null ? t('Limit per day') : t('Limit per day of the key “{name}”', { name })}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(share * 100)}
          aria-valuetext={words}
        >
          <svg aria-hidden="true" width="100%" height={10} className="block">
            <rect width="100%" height={10} rx={5} className="fill-well" />
            {share > 0 && (
              <rect
                width={`${share * 100}%`}
                height={10}
                rx={5}
                className={share >= 0.8 ? 'fill-warn' : 'fill-accent'}
              />
            )}
          </svg>
        </div>
      )}
      {limit !== null && spent !== null && !isMore(limit, spent) && (
        <p className="text-warn">
          {t('The limit of today is used up: the next send waits for an approval.')}
        </p>
      )}
      {limit === null && (
        <p className="text-soft">
          {t('There is no limit per day. Set one so that a stolen key cannot empty the wallet.')}
        </p>
      )}
    </div>
  );
}

function describeLimit({ spent, limit, currency }: Pick<Today, 'spent' | 'limit' | 'currency'>): string {
  if (limit === null) {
    return spent === null
      ? t('How much left today is not known.')
      : t('{spent} left today', { spent: fiat(spent, currency) });
  }
  return spent === null
    ? t('How much of {limit} is used today is not known.', { limit: fiat(limit, currency) })
    : t('{spent} of {limit} used today', { spent: fiat(spent, currency), limit: fiat(limit, currency) });
}

/** Between 0 and 1. */
function usedShare(spent: string, limit: string): number {
  return isMore(limit, spent) ? Number(spent) / Number(limit) : 1;
}

function Flow({ data: { days, currency, timeZone } }: { data: Treasury }): ReactNode {
  const known = days.flatMap(({ date, fiatIn, fiatOut }) =>
    fiatIn === null || fiatOut === null ? [] : [{ date, in: fiatIn, out: fiatOut }],
  );
  if (days.every(({ coins }) => coins.length === 0))
    return (
      <Empty title={t('Nothing moved in 30 days')}>
        {t('Confirmed payments and sends show here by day.')}
      </Empty>
    );
  if (known.length < days.length)
    return <p className="text-sm text-soft">{t('There is no price in {currency} now.', { currency })}</p>;
  return (
    <>
      <p className="mb-3 text-sm text-soft">
        {t('The last 30 days in {timeZone}, valued at the prices of now.', {
          timeZone: timeZone.replaceAll('_', ' '),
        })}
      </p>
      <FlowChart days={known} currency={currency} />
    </>
  );
}
