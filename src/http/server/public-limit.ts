import { MemoryStore } from 'express-rate-limit';
import { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports.ts';

const WINDOW_MS = 60_000;

/**
 * Counts what is made with a merchant's public key.
 * @throws {AppError} RATE_LIMITED once a client address has made as much as it may in this minute.
 */
export type PublicLimit = (merchantId: string, client: string) => Promise<void>;

/**
 * Limits what anybody can make: a public key is public by design, and each order is work for every look at a
 * chain. Secret and restricted keys and user tokens are not limited. @param perMinute 0 switches it off.
 */
export function createPublicLimit(perMinute: number, logger: Pick<Logger, 'warn'>): PublicLimit {
  if (perMinute === 0) return async () => undefined;
  const counts = new MemoryStore();
  counts.init({ windowMs: WINDOW_MS } as Parameters<MemoryStore['init']>[0]);
  return async (merchantId, client) => {
    const { totalHits, resetTime } = await counts.increment(`${merchantId} ${client}`);
    if (totalHits <= perMinute) return;
    if (totalHits === perMinute + 1) {
      logger.warn(
        { merchantId, client, perMinute },
        'a client makes more orders with a public key than are allowed; refusing the rest of this minute',
      );
    }
    const retryAfterMs = Math.max(1, (resetTime?.getTime() ?? 0) - Date.now());
    throw new AppError('RATE_LIMITED', 'Too many payments: try again in a minute', { retryAfterMs });
  };
}
