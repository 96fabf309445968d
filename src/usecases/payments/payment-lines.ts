import { invalidField } from '../../domain/errors.ts';
import { minorUnitDigits } from '../../domain/currencies.ts';
import { parseFiat, type Fiat } from '../../domain/fiat.ts';

/** One purchased item, as shown to the payer. */
export interface PaymentLine {
  readonly name: string;
  readonly quantity: number;
  /** The line's total, a decimal string in the payment's currency. */
  readonly amount: string;
}

/**
 * Lines need not add up to the price (shipping, discounts), but must not exceed it.
 * @throws {AppError} VALIDATION_INVALID (lines)
 */
export function refuseExcessiveLines(lines: readonly PaymentLine[], { minor, currency }: Fiat): void {
  const digits = minorUnitDigits(currency);
  let sum = 0n;
  for (const [at, { amount }] of lines.entries()) {
    if ((amount.split('.')[1]?.length ?? 0) > digits) {
      throw invalidField(`lines[${at}].amount`, `has more decimals than ${currency}`, 'too_many_decimals');
    }
    sum += parseFiat(amount, currency).minor;
  }
  if (sum > minor) throw invalidField('lines', 'come to more than the amount of the payment');
}

/** @param json as stored; null: none */
export function parseLines(json: string | null): PaymentLine[] {
  return json === null ? [] : (JSON.parse(json) as PaymentLine[]);
}

/** As stored: null for none. */
export function linesJson(lines: readonly PaymentLine[]): string | null {
  return lines.length === 0 ? null : JSON.stringify(lines);
}
