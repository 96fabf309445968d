/** Exchange rates as the API shows them. */
export { getRates, type GetRatesDeps } from './get-rates.ts';
export { quoteOrNull, RATE_HOLDS_MS } from './quote-or-null.ts';
