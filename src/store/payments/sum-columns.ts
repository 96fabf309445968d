import type { Coin } from '../../domain/coins.ts';
import type { CoinSums, Share } from '../../domain/payment/types.ts';

/** Atoms per coin in the format of a column; null for none. */
export function formatSums(sums: CoinSums): string | null {
  const entries = Object.entries(sums).map(([coin, amount]) => [coin, amount.toString()]);
  return entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries));
}

export function parseSums(json: string | null): CoinSums {
  if (json === null) return {};
  const sums: Partial<Record<Coin, bigint>> = {};
  for (const [coin, amount] of Object.entries(JSON.parse(json) as Record<Coin, string>)) {
    sums[coin as Coin] = BigInt(amount);
  }
  return sums;
}

/** An exact share in the format of a column. */
export function formatShare(share: Share | null): string | null {
  return share === null ? null : `${share.numerator}/${share.denominator}`;
}

export function parseShare(text: string | null): Share | null {
  if (text === null) return null;
  const [numerator = '0', denominator = '1'] = text.split('/');
  return { numerator: BigInt(numerator), denominator: BigInt(denominator) };
}
