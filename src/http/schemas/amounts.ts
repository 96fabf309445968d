import { z } from 'zod';
import { currencyDigits } from '../../domain/currencies.ts';

const DECIMAL = /^\d+(\.\d+)?$/;
const FIAT_INTEGER_DIGITS = 12;
const AMOUNT_MAX_LENGTH = 64;

function decimal(problemOf: (value: string) => string | null, example: string, word?: string) {
  return z
    .string()
    .trim()
    .superRefine((value, context) => {
      const problem = value === word ? null : (decimalProblem(value) ?? problemOf(value));
      if (problem !== null) {
        context.addIssue({ code: 'custom', message: problem, params: { code: 'invalid_format' } });
      }
    })
    .meta({
      pattern: word === undefined ? DECIMAL.source : `${DECIMAL.source}|^${word}$`,
      examples: [example],
    });
}

function decimalProblem(value: string): string | null {
  if (value.length > AMOUNT_MAX_LENGTH || !DECIMAL.test(value)) {
    return 'must be a decimal string such as "12.50"';
  }
  return /[1-9]/.test(value) ? null : 'must be greater than zero';
}

/**
 * A positive amount of coins as a decimal string; the coin's own decimals are checked with the coin.
 * @param word accepted instead of an amount
 */
export function coinAmount(word?: string) {
  return decimal(() => null, '0.015', word);
}

/** The fee budget of a send, set by its order. */
export function maxFee() {
  return coinAmount()
    .optional()
    .meta({
      description:
        'Fee budget: the maximum network fee, including fee bumps, re-signed transactions and a cancellation, in the ' +
        'coin. By default a share of the amount (TILLD_FEE_MAX_SHARE), or the current fee if that is more',
    });
}

/** A positive fiat amount of at most 12 integer digits; see `fiatAmountProblem` for its decimals. */
export function fiatAmount() {
  return decimal((value) => {
    const whole = (value.split('.')[0] ?? '').replace(/^0+/, '');
    return whole.length <= FIAT_INTEGER_DIGITS
      ? null
      : `must have at most ${FIAT_INTEGER_DIGITS} digits before the point`;
  }, '49.90');
}

/** A limit in fiat; zero is allowed. */
export function limitAmount() {
  return z
    .string()
    .regex(/^\d{1,12}(?:\.\d{1,4})?$/, 'must be a decimal number such as 500 or 49.90')
    .meta({ example: '500' });
}

/** The reason why a well-formed amount does not fit its currency; null if it does. */
export function fiatAmountProblem(amount: string, currency: string): string | null {
  const digits = currencyDigits(currency);
  const decimals = amount.split('.')[1]?.length ?? 0;
  if (digits === null || decimals <= digits) return null;
  return digits === 0
    ? `must be a whole number of ${currency}`
    : `must have at most ${digits} decimals for ${currency}`;
}

/**
 * For `superRefine` on a body with optional `amount` and `currency`: reports `amount` if it has more decimals
 * than the currency.
 */
export function refineFiatAmount(
  body: { readonly amount?: string | undefined; readonly currency?: string | undefined },
  context: z.RefinementCtx,
): void {
  if (body.amount === undefined || body.currency === undefined) return;
  const message = fiatAmountProblem(body.amount, body.currency);
  if (message === null) return;
  context.addIssue({ code: 'custom', path: ['amount'], message, params: { code: 'too_many_decimals' } });
}
