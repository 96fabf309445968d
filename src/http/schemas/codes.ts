import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import { currencyDigits } from '../../domain/currencies.ts';

/** ASCII only: Unicode has letters whose capitals are ASCII, such as the dotless i. */
function upperCased(value: unknown): unknown {
  return typeof value === 'string' ? value.trim().replace(/[a-z]/g, (sign) => sign.toUpperCase()) : value;
}

/** A coin code in any letter case; output is BTC, ETH, LTC or SOL. */
export function coin() {
  return z.preprocess(upperCased, z.enum(COINS));
}

/** An ISO 4217 code in any letter case; output upper-cased. */
export function currency() {
  return z.preprocess(
    upperCased,
    z
      .string()
      .refine((code) => currencyDigits(code) !== null, {
        error: 'must be an ISO 4217 currency code such as USD',
        params: { code: 'invalid_value' },
      })
      .meta({ pattern: '^[A-Za-z]{3}$', examples: ['USD'] }),
  );
}
