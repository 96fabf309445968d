import type { Data } from '../contract/contract.ts';
import { useApi, useShop, useShopId } from '../api/hooks.ts';
import { useMode } from '../api/mode.ts';
import type { Coin } from '../contract/types.ts';
import { COINS } from '../format/coins.ts';
import { parts, t } from '../i18n/t.ts';
import { multiply, add } from '../format/decimal.ts';
import { formatCoins, coinsShort, fiat } from '../format/format.ts';

const LIVE_MS = 60_000;

type Balances = Data<'GET', '/merchant/wallet/balances'>;

export interface Prices {
  readonly currency: string;
  /** Null until loaded, or if they cannot be read. */
  readonly rates: Partial<Record<Coin, { readonly rate: string }>> | null;
  readonly isLoading: boolean;
}

/** Current coin prices in the currency of the shop. */
export function usePrices(): Prices {
  const merchantId = useShopId();
  const shop = useShop();
  const currency = shop?.currency ?? 'USD';
  const { viewed: mode } = useMode();
  const read = useApi(
    '/rates',
    { merchantId, currency, mode },
    { refetchMs: LIVE_MS, enabled: shop !== undefined },
  );
  // After a failed refresh the cached prices may be outdated.
  return {
    currency,
    rates: read.error === null && !read.isPlaceholderData ? (read.data?.rates ?? null) : null,
    isLoading: read.isPending,
  };
}

/** An amount of coins, rounded down; the title has all digits. */
export function CoinAmount({ amount }: { amount: string }) {
  return <span title={formatCoins(amount)}>{coinsShort(amount)}</span>;
}

/** The value of coins, or a note that no price is known. */
export function Worth(props: { amount: string; coin: Coin; prices: Prices }) {
  const { amount, coin, prices } = props;
  const rate = prices.rates?.[coin]?.rate;
  if (prices.isLoading) return <>&nbsp;</>;
  if (rate === undefined) return amount === '0' ? fiat('0', prices.currency) : t('no price known');
  return fiat(multiply(amount, rate), prices.currency);
}

/** The total value of a wallet, and the coins without a price, which it excludes. */
export function Total({ balances, prices }: { balances: Balances; prices: Prices }) {
  const { rates, currency } = prices;
  const nonZeroCoins = COINS.filter((coin) => balances[coin] !== '0');
  const missing = nonZeroCoins.filter((coin) => rates?.[coin] === undefined);
  if (prices.isLoading) return <>&nbsp;</>;
  if (missing.length > 0 && missing.length === nonZeroCoins.length)
    return <>{t('Its worth is not known: there is no price in {currency} now.', { currency })}</>;
  const worths = nonZeroCoins.flatMap((coin) => {
    const rate = rates?.[coin]?.rate;
    return rate === undefined ? [] : [multiply(balances[coin], rate)];
  });
  return (
    <>
      {parts('Total: {sum}', {
        sum: <b className="money font-semibold text-ink">{fiat(add(worths), currency)}</b>,
      })}
      {missing.length > 0 &&
        t(', without {coins}, of which no price is known now', { coins: missing.join(', ') })}
    </>
  );
}
