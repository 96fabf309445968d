import { complain, readSecret, type BuildContext } from './build-parts.ts';
import { RATE_SOURCE_NAMES, type Config } from './config.ts';
import type { Values } from './settings.ts';

/** Characters allowed in a header. */
const KEY = /^[\x21-\x7e]{1,200}$/;

/** Price sources. CoinGecko rejects requests without a key, so by default it is used only with one. */
export function ratesConfig(values: Values, context: BuildContext): Config['rates'] {
  if (values.network === 'mainnet' && values.rates !== null) {
    complain(context, 'rates', 'fixed prices are for regtest and tests: mainnet needs live');
  }
  if (values.rateMaxAge < values.rateRefresh) {
    complain(context, 'rateMaxAge', 'must not be shorter than the refresh interval');
  }
  const apiKey = readSecret(['coingeckoKey', 'coingeckoKeyFile'], values, context);
  const keySetting = values.coingeckoKey === undefined ? 'coingeckoKeyFile' : 'coingeckoKey';
  if (apiKey !== null && !KEY.test(apiKey.reveal())) {
    complain(context, keySetting, 'must be printable ASCII without spaces, at most 200 characters');
  }
  const sources =
    values.rateSources ?? RATE_SOURCE_NAMES.filter((name) => name !== 'coingecko' || apiKey !== null);
  if (apiKey !== null && !sources.includes('coingecko')) {
    complain(context, keySetting, 'is of no use without coingecko in TILLD_RATE_SOURCES');
  }
  return {
    fixed: values.rates,
    sources: [...new Set(sources)],
    coingecko: { apiKey, plan: values.coingeckoPlan },
    refreshIntervalMs: values.rateRefresh,
    maxAgeMs: values.rateMaxAge,
    timeoutMs: values.rateTimeout,
    single: { perMinutePercent: values.rateSinglePerMinute, maxPercent: values.rateSingleMax },
  };
}
