import { useApi, useTimeZone } from '../api/hooks.ts';
import type { Data } from '../api/contract.ts';
import { useFilters } from '../api/search.ts';
import { COINS } from '../coins.ts';
import { Card, CoinName, Empty, Shown } from '../ui/basics.tsx';
import { SHARES, VolumeChart, type Day, type Share } from '../ui/chart.tsx';
import { sumOf } from '../ui/decimal.ts';
import { Small } from '../ui/form.tsx';
import { coins, dayName, daysBefore, fiat, today } from '../ui/format.ts';

type Volume = Data<'GET', '/merchant/volume'>;

const RANGES = ['14', '30', '90', '365'] as const;
const LIVE_MS = 30_000;

/** What completed payments brought, by coin and day. */
export function VolumeCard({ merchantId }: { merchantId: string }) {
  const [search, change] = useFilters();
  const range = RANGES.find((days) => days === search['days']) ?? '14';
  const timezone = useTimeZone();
  const endDate = today(timezone);
  const volume = useApi(
    '/merchant/volume',
    { merchantId, startDate: daysBefore(endDate, Number(range) - 1), endDate, timezone },
    { refetchMs: LIVE_MS },
  );
  const currencies = mostUsedFirst(volume.data);
  const currency = currencies.find((one) => one === search['currency']) ?? currencies[0];
  return (
    <Card
      title="Volume"
      actions={
        <span className="flex gap-2">
          {currencies.length > 1 && (
            <Small
              label="Currency"
              value={currency ?? ''}
              options={currencies.map((one) => [one, one])}
              onChange={(one) => change({ currency: one })}
            />
          )}
          <Small
            label="Range"
            value={range}
            options={RANGES.map((days) => [days, days === '365' ? 'Last year' : `Last ${days} days`])}
            onChange={(days) => change({ days: days === '14' ? undefined : days })}
          />
        </span>
      }
    >
      <Shown of={volume} rows={4}>
        {(data) =>
          currency === undefined ? (
            <Empty title="Nothing was paid yet">Completed payments show here by coin and day.</Empty>
          ) : (
            <Chart volume={data} currency={currency} />
          )
        }
      </Shown>
    </Card>
  );
}

function Chart({ volume, currency }: { volume: Volume; currency: string }) {
  const days = volume.days.map(({ date, fiat: sums }): Day => {
    const own = sums.filter((sum) => sum.currency === currency);
    return { date, amounts: Object.fromEntries(own.map(({ coin, amount }) => [coin ?? 'several', amount])) };
  });
  const totals = volume.totals.fiat.filter((sum) => sum.currency === currency);
  const count = totals.reduce((sum, { payments }) => sum + payments, 0);
  const [first, last] = [volume.days[0], volume.days.at(-1)];
  return (
    <>
      <p className="mb-4">
        <b className="money text-3xl font-bold tracking-tight">
          {fiat(sumOf(totals.map(({ amount }) => amount)), currency)}
        </b>
        <span className="block text-sm text-soft sm:ml-2 sm:inline">
          {count === 1 ? 'one payment' : `${count} payments`}
          {first !== undefined && last !== undefined && `, ${dayName(first.date)} to ${dayName(last.date)}`}
        </span>
      </p>
      <VolumeChart days={days} format={(amount) => fiat(amount, currency)} />
      <Legend volume={volume} currency={currency} />
    </>
  );
}

/** What each colour brought: in the currency, and in coins over all currencies. */
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
            <span className="font-semibold text-soft">In several coins</span>
          ) : (
            <CoinName coin={share} />
          )}
          <span className="text-right lg:text-left">
            <b className="money block font-semibold">{fiat(amount, currency)}</b>
            {COINS.flatMap((coin) => {
              const sum = volume.totals.coins.find((one) => one.coin === coin);
              return coin === share && sum !== undefined ? [sum] : [];
            }).map((sum) => (
              <span key={sum.coin} className="money block text-xs text-soft">
                {coins(sum.amount)} {sum.coin} received
              </span>
            ))}
          </span>
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
