import { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports.ts';
import { WindowCounts } from './window-counts.ts';

/**
 * Counts requests with a merchant's public key, or without a credential by the route's path.
 * @throws {AppError} RATE_LIMITED once a client address has reached the limit of this minute.
 */
export type PublicLimit = (maker: string, client: string) => Promise<void>;

/**
 * Limits public requests: a public key is public by design, and each order adds work to every poll of a
 * chain. Secret and restricted keys and user tokens are not limited. @param perMinute 0: no limit.
 */
export function createPublicLimit(perMinute: number, logger: Pick<Logger, 'warn'>): PublicLimit {
  if (perMinute === 0) return async () => undefined;
  const counts = new WindowCounts();
  return async (maker, client) => {
    const { totalHits, retryAfterMs } = counts.increment(`${maker} ${client}`);
    if (totalHits <= perMinute) return;
    if (totalHits === perMinute + 1) {
      logger.warn(
        { maker, client, perMinute },
        'public rate limit exceeded; requests rejected for the rest of the minute',
      );
    }
    throw new AppError('RATE_LIMITED', 'Too many requests: try again in a minute', { retryAfterMs });
  };
}
