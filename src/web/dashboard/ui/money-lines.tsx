import type { ReactNode } from 'react';
import type { Coin } from '../contract/types.ts';
import { multiply } from '../format/decimal.ts';
import { formatCoins, fiat } from '../format/format.ts';

/** Sums in lines, each with its label. */
export function MoneyLines({ of: lines }: { of: readonly (readonly [name: string, sum: ReactNode])[] }) {
  return (
    <dl className="divide-y divide-line rounded-xl border border-line">
      {lines.map(([name, sum]) => (
        <div key={name} className="flex justify-between gap-4 px-4 py-2.5 text-sm">
          <dt className="text-soft">{name}</dt>
          <dd className="money text-end font-semibold">{sum}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The price of one coin in a currency. */
export interface Price {
  readonly rate: string;
  readonly currency: string;
}

/** Amounts of coins, with their value if it is known. */
export function CoinSum(props: {
  readonly amount: string;
  readonly coin: Coin;
  readonly price?: Price | undefined;
}) {
  const { amount, coin, price } = props;
  return (
    <>
      <span className="whitespace-nowrap">
        {formatCoins(amount)} {coin}
      </span>
      {price !== undefined && (
        <span className="whitespace-nowrap text-soft"> · {fiatValue(amount, price)}</span>
      )}
    </>
  );
}

function fiatValue(amount: string, { rate, currency }: Price): string {
  return fiat(multiply(amount, rate), currency);
}
