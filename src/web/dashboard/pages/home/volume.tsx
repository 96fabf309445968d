import { useApi, useTimeZone } from '../../api/hooks.ts';
import type { Data } from '../../contract/contract.ts';
import { useMode } from '../../api/mode.ts';
import { useFilters } from '../../api/search.ts';
import { plural, t } from '../../i18n/t.ts';
import { Card, CoinName, Empty, Loaded } from '../../ui/basics.tsx';
import { SHARES, VolumeChart, type Period, type Share } from '../../ui/chart.tsx';
import { add } from '../../format/decimal.ts';
import { Field, Small } from '../../ui/form.tsx';
import { dayName, daysBefore, fiat, monthName, today } from '../../format/format.ts';

type Volume = Data<'GET', '/merchant/volume'>;

const RANGES = ['14', '30', '90', '365'] as const;
const LIVE_MS = 30_000;
/** Maximum number of days in daily bars; longer ranges have weekly, then monthly ones. */
const MOST_DAYS = 62;
const MOST_DAYS_BY_WEEK = 190;

/** The volume of completed payments, by coin and day, week or month. */
export function VolumeCard({ merchantId }: { merchantId: string }) {
  const [search, change] = useFilters();
  const timezone = useTimeZone();
  const { viewed: mode } = useMode();
  const range = [...RANGES, 'own'].find((one) => one === search['days']) ?? '14';
  const newest = today(timezone);
  const endDate = (range === 'own' ? search['until'] : undefined) ?? newest;
  const startDate =
    (range === 'own' ? search['from'] : undefined) ??
    daysBefore(endDate, (range === 'own' ? 30 : Number(range)) - 1);
  const volume = useApi(
    '/merchant/volume',
    { merchantId, mode, startDate, endDate, timezone },
    { refetchMs: LIVE_MS },
  );
  const currencies = mostUsedFirst(volume.data);
  const currency = currencies.find((one) => one === search['currency']) ?? currencies[0];
  return (
    <Card
      title={t('Volume')}
      actions={
        <span className="flex gap-2">
          {currencies.length > 1 && (
            <Small
              label={t('Currency')}
              value={currency ?? ''}
              options={currencies.map((one) => [one, one])}
              onChange={(one) => change({ currency: one })}
            />
          )}
          <Small
            label={t('Range')}
            value={range}
            options={[
              ...RANGES.map((days): [string, string] => [
                days,
                days === '365' ? t('Last year') : t('Last {days} days', { days }),
              ]),
              ['own', t('Other days')],
            ]}
            onChange={(days) =>
              change({ days: days === '14' ? undefined : days, from: undefined, until: undefined })
            }
          />
        </span>
      }
    >
      {range === 'own' && (
        <OwnDays
          first={startDate}
          last={endDate}
          newest={newest}
          onChange={(from, until) => change({ from, until })}
        />
      )}
      <Loaded of={volume} rows={4}>
        {(data) =>
          currency === undefined ? (
            <Empty title={t('No payments yet')}>{t('Completed payments show here by coin and day.')}</Empty>
          ) : (
            <Chart volume={data} currency={currency} zone={timezone} />
          )
        }
      </Loaded>
    </Card>
  );
}

function OwnDays(props: {
  first: string;
  last: string;
  newest: string;
  onChange: (first: string, last: string) => void;
}) {
  const { first, last, newest, onChange } = props;
  return (
    <div className="mb-4 grid max-w-md grid-cols-2 gap-3">
      <Field
        label={t('From')}
        type="date"
        required
        value={first}
        max={last}
        onChange={(event) => onChange(event.target.value, last)}
      />
      <Field
        label={t('Until')}
        type="date"
        required
        value={last}
        max={newest}
        onChange={(event) => onChange(first, event.target.value)}
      />
    </div>
  );
}

/** The first day of a day's period. */
function periodStart(day: string, days: number): string {
  if (days <= MOST_DAYS) return day;
  if (days > MOST_DAYS_BY_WEEK) return `${day.slice(0, 7)}-01`;
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return daysBefore(day, (weekday + 6) % 7);
}

function groupByPeriod({ days }: Volume, currency: string): Period[] {
  const periods = new Map<string, Period>();
  for (const { date, fiat: sums } of days) {
    const start = periodStart(date, days.length);
    const before = periods.get(start);
    const amounts = { ...before?.amounts };
    for (const { coin, amount } of sums.filter((sum) => sum.currency === currency)) {
      const share: Share = coin ?? 'several';
      amounts[share] = add([amounts[share] ?? '0', amount]);
    }
    const label = days.length > MOST_DAYS_BY_WEEK ? monthName(date) : dayName(before?.first ?? date, true);
    periods.set(start, { first: before?.first ?? date, last: date, label, amounts });
  }
  return [...periods.values()];
}

function Chart({ volume, currency, zone }: { volume: Volume; currency: string; zone: string }) {
  const totals = volume.totals.fiat.filter((sum) => sum.currency === currency);
  const count = totals.reduce((sum, { payments }) => sum + payments, 0);
  const [first, last] = [volume.days[0], volume.days.at(-1)];
  return (
    <>
      <p className="mb-4">
        <b className="money text-3xl font-bold tracking-tight">
          {fiat(add(totals.map(({ amount }) => amount)), currency)}
        </b>
        <span className="block text-sm text-soft sm:ms-2 sm:inline">
          {plural(count, '{count} payment', '{count} payments')}
          {first !== undefined &&
            last !== undefined &&
            t(', {first} to {last} in {timeZone}', {
              first: dayName(first.date),
              last: dayName(last.date),
              timeZone: zone.replaceAll('_', ' '),
            })}
        </span>
      </p>
      <VolumeChart periods={groupByPeriod(volume, currency)} currency={currency} />
      <Legend volume={volume} currency={currency} />
    </>
  );
}

/** The legend: the total of each colour. */
function Legend({ volume, currency }: { volume: Volume; currency: string }) {
  const shares = SHARES.flatMap((share): { share: Share; amount: string }[] => {
    const sum = volume.totals.fiat.find(
      (one) => one.currency === currency && (one.coin ?? 'several') === share,
    );
    return sum === undefined ? [] : [{ share, amount: sum.amount }];
  });
  return (
    <ul className="mt-4 grid gap-x-6 gap-y-3 border-t border-line pt-4 text-sm sm:grid-cols-2 lg:grid-cols-4">
      {shares.map(({ share, amount }) => (
        <li key={share} className="flex items-baseline justify-between gap-3 lg:block">
          {share === 'several' ? (
            <span className="font-semibold text-soft">{t('More than one coin')}</span>
          ) : (
            <CoinName coin={share} />
          )}
          <b className="money block font-semibold">{fiat(amount, currency)}</b>
        </li>
      ))}
    </ul>
  );
}

function mostUsedFirst(volume: Volume | undefined): string[] {
  const counts = new Map<string, number>();
  for (const { currency, payments } of volume?.totals.fiat ?? []) {
    counts.set(currency, (counts.get(currency) ?? 0) + payments);
  }
  return [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([currency]) => currency);
}
