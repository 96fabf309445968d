import type { BigNumberInput } from '@medusajs/framework/types';
import { MathBN } from '@medusajs/framework/utils';
import { formatMinor, parseMinor, roundFiat, shopState, type Payment, type ShopState } from '@tilld/sdk';
import type { TilldOptions } from './options';

/**
 * An amount of Medusa as tilld accepts it: with the decimals of the currency, half up. JPY has none, whatever was computed.
 * @throws {RangeError} for a currency that tilld cannot price a payment in
 */
export function fiat(amount: BigNumberInput, currency: string): string {
  return roundFiat(MathBN.convert(amount).toFixed(), currency);
}

/**
 * What is given back: never rounded.
 * @throws {RangeError} for an amount that the currency cannot express
 */
export function exactFiat(amount: BigNumberInput, currency: string): string {
  return formatMinor(parseMinor(MathBN.convert(amount).toFixed(), currency), currency);
}

/** Whether a payment asks for exactly this. */
export function isForAmount(payment: Payment, amount: BigNumberInput, currency: string): boolean {
  if (payment.currency.toUpperCase() !== currency.toUpperCase()) return false;
  return fiat(payment.amount, currency) === fiat(amount, currency);
}

/** Whether a payment asks for at least this: final money of it pays for a price that was lowered since. */
export function covers(payment: Payment, amount: BigNumberInput, currency: string): boolean {
  if (payment.currency.toUpperCase() !== currency.toUpperCase()) return false;
  return parseMinor(fiat(payment.amount, currency), currency) >= parseMinor(fiat(amount, currency), currency);
}

/**
 * A payment in the words of a shop. What Medusa has in its books already and is not covered any more is `lost`, also
 * while other money may still come.
 */
export function orderState(payment: Payment, captured: boolean): ShopState {
  const state = shopState(payment);
  if (state === 'superseded') return state;
  return captured && state !== 'paid' && state !== 'refunded' ? 'lost' : state;
}

/** What arrived, such as `0.0004 BTC, 1 LTC`. */
export function receivedText({ options }: Payment): string {
  const parts = Object.entries(options).flatMap(([coin, option]) =>
    option === undefined || Number(option.received) === 0 ? [] : [`${option.received} ${coin}`],
  );
  return parts.length === 0 ? '0' : parts.join(', ');
}

/** What was asked, in the coins in which money came. */
export function askedText({ options, amount, currency }: Payment): string {
  const parts = Object.entries(options).flatMap(([coin, option]) =>
    option === undefined || Number(option.received) === 0 ? [] : [`${option.amount} ${coin}`],
  );
  return [`${amount} ${currency}`, ...parts].join(' = ');
}

/** Whether money of this payment pays for anything: simulated money does so only where the shop allows it. */
export function isWorth({ sandbox }: Payment, { allowSandbox }: Pick<TilldOptions, 'allowSandbox'>): boolean {
  return !sandbox || allowSandbox;
}
