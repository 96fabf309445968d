import { COIN_DEFINITIONS, type Coin } from './coins.ts';

/** Thrown for a string that is not a decimal, or has more decimals than its unit. */
export class AmountError extends Error {
  override name = 'AmountError';
}

const DECIMAL = /^\d+(\.\d+)?$/;

/**
 * Parses a plain decimal string ("12.5") into integer atoms, exactly.
 * No sign, exponent, separators or surrounding blanks. Zero is allowed: callers check for positive amounts.
 * @throws {AmountError} on any other shape or when digits would be lost.
 */
export function parseUnits(text: string, decimals: number): bigint {
  if (text.length > 64 || !DECIMAL.test(text))
    throw new AmountError('must be a decimal number such as "12.50"');
  const [whole = '0', fraction = ''] = text.split('.');
  if (fraction.length > decimals) throw new AmountError(`must have at most ${decimals} decimal places`);
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** Formats integer atoms as the shortest exact decimal string ("0.001", "12", "0"). */
export function formatUnits(atoms: bigint, decimals: number): string {
  if (atoms === 0n) return '0';
  if (atoms < 0n) return `-${formatUnits(-atoms, decimals)}`;
  const digits = atoms.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** Coin amount string → atoms of that coin. */
export function parseCoinAmount(text: string, coin: Coin): bigint {
  return parseUnits(text, COIN_DEFINITIONS[coin].decimals);
}

/** Atoms of a coin → decimal string in the coin's unit. */
export function formatCoinAmount(atoms: bigint, coin: Coin): string {
  return formatUnits(atoms, COIN_DEFINITIONS[coin].decimals);
}
