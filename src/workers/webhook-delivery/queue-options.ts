import type { SecretBox } from '../../domain/keys.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import type { EgressPolicy } from '../../egress/guarded-fetch.ts';
import type { Db } from '../../store/sqlite/database.ts';

export interface WebhookQueueLimits {
  /** Timeout of one whole attempt, DNS to the end of the body. */
  readonly attemptLimitMs: number;
  /** Concurrent attempts in total. */
  readonly concurrency: number;
  /** Concurrent attempts per endpoint; 4 by default. */
  readonly perEndpoint?: number;
  /** Pauses between attempts; there is one more attempt than gaps. */
  readonly retryDelaysMs: readonly number[];
}

export interface WebhookQueueDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
  readonly egress: EgressPolicy;
  readonly limits: WebhookQueueLimits;
  /** Returns a number in [0, 1); Math.random except in tests. */
  readonly random?: () => number;
}
