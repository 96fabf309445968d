import type { SecretBox } from '../../domain/keys.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import type { EgressPolicy } from '../../egress/guarded-fetch.ts';
import type { Db } from '../../store/sqlite/database.ts';

export interface WebhookQueueLimits {
  /** For one whole attempt, DNS to the end of the body. */
  readonly attemptLimitMs: number;
  /** Attempts at once, in all. */
  readonly concurrency: number;
  /** Attempts at once to one endpoint; 4 unless given. */
  readonly perEndpoint?: number;
  /** Pauses between attempts; there is one attempt more than gaps. */
  readonly retryGapsMs: readonly number[];
}

export interface WebhookQueueDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
  readonly egress: EgressPolicy;
  readonly limits: WebhookQueueLimits;
  /** Gives 0 up to 1; Math.random unless a test decides. */
  readonly random?: () => number;
}
