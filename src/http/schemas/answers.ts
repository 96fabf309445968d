import { z } from 'zod';
import { byCoin, COINS, type Coin } from '../../domain/coins.ts';

/** Schemas of the API's responses. */

/** ISO 8601 UTC, as `new Date(ms).toISOString()` formats it. */
export function timestamp() {
  return z.string().meta({ format: 'date-time', examples: ['2026-01-31T12:00:00.000Z'] });
}

/** Milliseconds → timestamp of a response. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

const paginationView = z
  .object({
    page: z.int().meta({ example: 1 }),
    limit: z.int().meta({ example: 10 }),
    total: z.int().meta({ description: 'Of all pages together', example: 1 }),
  })
  .meta({ id: 'Pagination' });

/** `data.pagination` of every list. */
export function pagination() {
  return paginationView;
}

/** One text per coin, all present: wallets, balances. */
export function perCoin(description: string, examples: Readonly<Record<Coin, string>>) {
  return z
    .object(byCoin(COINS, (coin) => z.string().meta({ example: examples[coin] })))
    .meta({ description });
}

export function freeObject() {
  return z.record(z.string(), z.unknown());
}
