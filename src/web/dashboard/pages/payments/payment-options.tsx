import type { Payment } from '../../contract/types.ts';
import { COINS } from '../../format/coins.ts';
import { t } from '../../i18n/t.ts';
import { Card, CoinName, Copy } from '../../ui/basics.tsx';
import { ChainLink } from '../../ui/chain-link.tsx';
import { formatCoins, fiat } from '../../format/format.ts';

function confirmed(option: { confirmations: number; requiredConfirmations: number }): string {
  const { confirmations, requiredConfirmations } = option;
  return confirmations >= requiredConfirmations
    ? t('confirmed')
    : t('{confirmations} of {requiredConfirmations} confirmations', { confirmations, requiredConfirmations });
}

/** The amount due in each coin; collapsed once no more money is expected. */
export function PaymentOptions({ payment }: { payment: Payment }) {
  const list = <Options payment={payment} />;
  if (payment.status === 'pending' || payment.status === 'underpaid')
    return <Card title={t('Payment options')}>{list}</Card>;
  return (
    <Card>
      <details>
        <summary className="font-semibold">{t('Payment options')}</summary>
        <div className="mt-5">{list}</div>
      </details>
    </Card>
  );
}

function Options({ payment }: { payment: Payment }) {
  const options = COINS.flatMap((coin) => {
    const option = payment.options[coin];
    return option === undefined ? [] : [{ coin, ...option }];
  }).toSorted((a, b) => Number(a.received === '0') - Number(b.received === '0'));
  return (
    <ul aria-label={t('Coins')} className="-my-3 divide-y divide-line">
      {options.map((option) => (
        <li key={option.coin} className="grid gap-1.5 py-3 text-sm">
          <p className="flex flex-wrap items-baseline justify-between gap-x-4">
            <CoinName coin={option.coin} />
            <b className="money whitespace-nowrap">
              {formatCoins(option.amount)} {option.coin}
            </b>
          </p>
          <div className="flex items-center justify-between gap-3">
            <ChainLink kind="address" coin={option.coin} text={option.address} sandbox={payment.sandbox}>
              <code className="min-w-0 text-xs break-all text-soft">{option.address}</code>
            </ChainLink>
            <Copy isSmall text={option.address} label={t('Copy {coin} address', { coin: option.coin })} />
          </div>
          <p className="flex flex-wrap justify-between gap-x-4 text-xs text-soft">
            <span title={t('From {sources}', { sources: option.rateSources.join(', ') })}>
              1 {option.coin} = {fiat(option.rate, payment.currency)}
            </span>
            {option.received !== '0' && (
              <span className="money font-semibold text-accent">
                {t('{received} {coin} received, {confirmations}', {
                  received: formatCoins(option.received),
                  coin: option.coin,
                  confirmations: confirmed(option),
                })}
              </span>
            )}
          </p>
        </li>
      ))}
    </ul>
  );
}
