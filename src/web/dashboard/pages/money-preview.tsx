import type { Data } from '../api/contract.ts';
import type { Coin } from '../api/types.ts';
import { parts, t } from '../i18n/t.ts';
import { coins, fiat } from '../ui/format.ts';

type Estimate = Data<'POST', '/merchant/wallet/estimate-fee'>;

/** The last look at money before it leaves for good: where to, what arrives, and what it costs. */
export function MoneyPreview(props: {
  readonly order: { readonly coin: Coin; readonly destination: string };
  readonly estimate: Estimate;
  /** What one coin was worth, where that is known. */
  readonly worth?: { readonly rate: string; readonly currency: string } | undefined;
}) {
  const { order, estimate, worth } = props;
  const lines = [
    [t('They receive'), estimate.amount],
    [t('Network fee'), estimate.fee],
    [t('In all'), estimate.total],
  ] as const;
  return (
    <>
      <p className="text-sm">
        {parts('To {address}', {
          address: (
            <code className="font-semibold" aria-label={order.destination}>
              {inGroups(order.destination)}
            </code>
          ),
        })}
      </p>
      <dl className="divide-y divide-line rounded-xl border border-line">
        {lines.map(([name, value]) => (
          <div key={name} className="flex justify-between gap-4 px-4 py-2.5 text-sm">
            <dt className="text-soft">{name}</dt>
            <dd className="money text-right font-semibold">
              {coins(value)} {order.coin}
              {worth !== undefined && <span className="text-soft"> · {worthOf(value, worth)}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <p className="text-sm text-warn">
        {t('Please compare the address: what is sent cannot be called back.')}
      </p>
    </>
  );
}

/** Fours, which people can compare; not copied with blanks. */
function inGroups(address: string) {
  const groups = address.match(/.{1,4}/g) ?? [];
  return groups.map((group, at) => (
    <span key={`${at}${group}`} className="mr-1.5 inline-block">
      {group}
    </span>
  ));
}

/** For the eye only: nothing is computed with it. */
function worthOf(amount: string, { rate, currency }: { rate: string; currency: string }): string {
  return fiat(String(Number(amount) * Number(rate)), currency);
}
