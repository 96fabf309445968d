import type { ChainId } from '../../domain/coins.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { writeReconciliation } from '../../store/chain/reconciliations.ts';

export interface ReconcileDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time limit for the ledger to reach the block at which the node answered. */
  readonly patienceMs: number;
  /** Aborts the wait. */
  readonly signal?: AbortSignal;
}

/** A difference between ledger and chain; amounts in atoms, null where absent. */
export interface Difference {
  /** `txid:index` of an output, or the address of an account. */
  readonly subject: string;
  readonly ledger: bigint | null;
  readonly chain: bigint | null;
}

export interface Comparison {
  readonly kind: 'compared';
  readonly height: number;
  /** Unspent atoms according to the ledger. */
  readonly ledger: bigint;
  /** Outputs or accounts that were compared. */
  readonly subjects: number;
  /** False when the node could be asked only about outputs that the ledger knows. */
  readonly isComplete: boolean;
  readonly differences: readonly Difference[];
}

/** The comparison failed: the node did not answer, or the ledger is not on its block. */
export interface Unknown {
  readonly kind: 'unknown';
  readonly reason: string;
}

export type Reconciliation = Comparison | Unknown;

/** Polling interval while waiting for the ledger. */
export const POLL_MS = 250;
/** Maximum number of differences logged individually. */
const MAX_LOGGED = 100;

/** Logs every difference, and stores the result for /metrics. */
export async function reportComparison(
  deps: ReconcileDeps,
  chain: ChainId,
  { differences, height, ledger: total }: Comparison,
): Promise<void> {
  for (const { subject, ledger, chain: onChain } of differences.slice(0, MAX_LOGGED)) {
    const amounts = { ledger: ledger?.toString() ?? null, onChain: onChain?.toString() ?? null };
    deps.logger.error(
      { ...chain, height, subject, ...amounts },
      'reconciliation found differences between ledger and chain',
    );
  }
  deps.logger.info(
    { ...chain, height, ledger: total.toString(), differences: differences.length },
    'reconciliation of ledger and chain finished',
  );
  const at = deps.clock.now();
  await writeReconciliation(deps.db, { ...chain, at, height, differences: differences.length });
}
