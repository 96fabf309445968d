import type { Credit } from '../../domain/chain.ts';
import type { ChainId, Coin, Mode } from '../../domain/coins.ts';
import type { ConfirmationPolicy } from '../../domain/confirmations.ts';
import type { Logger } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { ApplyFactsDeps } from '../payments/index.ts';

/** What every use case that records observations of a chain needs. */
export interface ObserveDeps extends ApplyFactsDeps {
  readonly db: Db;
  readonly logger: Logger;
  /** Confirmation policy of a coin in a mode. */
  readonly confirmations: (coin: Coin, mode: Mode) => ConfirmationPolicy;
  /** A transaction missing from an in-sync node for this long counts as dropped; two hours by default. */
  readonly dropAfterMs?: number;
  readonly wakeWebhooks: () => void;
  /**
   * After a restore: reserved addresses of a chain that are not watched yet, so that its blocks must not be
   * read.
   */
  readonly lookAheadLeft?: (chain: ChainId) => number;
  /** After a restore: widens the gap limit when a recovered address was paid; true when it did. */
  readonly extendLookAhead?: (chain: ChainId, credits: readonly Credit[]) => Promise<boolean>;
}
