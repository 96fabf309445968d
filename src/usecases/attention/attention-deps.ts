import type { FollowedChain } from '../../domain/coin-readiness.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { PresentDeps } from '../payments/index.ts';

/** Faults of the server that are not about a chain. */
export interface ServerFaults {
  readonly isBackupTooOld: () => boolean;
  readonly isReplicaBehind: () => boolean;
  readonly isCertificateEnding: () => boolean;
  readonly areRatesUnsure: () => boolean;
  /** A newer release than the running one; null: none is known. */
  readonly newerRelease: () => {
    readonly version: string;
    readonly publishedAt: string;
    readonly notesUrl: string;
    readonly security: boolean;
  } | null;
}

export interface AttentionDeps extends PresentDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** Every chain with the current state of its watcher. */
  readonly followedChains: () => readonly (FollowedChain & {
    readonly lastSeenAt: number | null;
    readonly unread: { readonly count: number; readonly transactions: readonly { firstSeenAt: number }[] };
  })[];
  readonly faults: ServerFaults;
}
