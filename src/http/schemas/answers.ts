import { z } from 'zod';
import type { Coin } from '../../domain/coins.ts';

/** Schemas of what the API answers. */

/** ISO 8601 UTC, as `new Date(ms).toISOString()` writes it. */
export function timestamp() {
  return z.string().meta({ format: 'date-time', examples: ['2026-01-31T12:00:00.000Z'] });
}

/** Milliseconds → timestamp of an answer. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

const paginationView = z
  .object({ page: z.int(), limit: z.int(), total: z.int().meta({ description: 'Of all pages together' }) })
  .meta({ id: 'Pagination' });

/** `data.pagination` of every list. */
export function pagination() {
  return paginationView;
}

/** One text per coin, all four present: wallets, balances. */
export function perCoin(description: string) {
  const texts = { BTC: z.string(), ETH: z.string(), LTC: z.string(), SOL: z.string() };
  return z.object(texts satisfies Record<Coin, z.ZodString>).meta({ description });
}

export function freeObject() {
  return z.record(z.string(), z.unknown());
}
