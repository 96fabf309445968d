import type { Clock, Logger } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { retentionRules, type RetentionPolicy, type RetentionRule } from './rules.ts';

export interface PruneDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Rows in one transaction: payments never wait long for it. */
const BATCH = 500;
/** Bounds one run of a rule; the next run continues. */
const MAX_BATCHES = 100;

/**
 * Removes what is older than it is kept. A stop ends it after the current batch.
 * @returns rows removed or emptied, by rule; rules without any are left out
 */
export async function applyRetention(
  deps: PruneDeps,
  policy: RetentionPolicy,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, number>>> {
  return prune(deps, retentionRules(policy), signal);
}

/** The same, by any rules. One that fails does not prevent the next. */
export async function prune(
  deps: PruneDeps,
  rules: readonly RetentionRule[],
  signal?: AbortSignal,
): Promise<Readonly<Record<string, number>>> {
  const pruned: Record<string, number> = {};
  for (const rule of rules) {
    try {
      const count = await pruneOne(deps, rule, signal);
      if (count > 0) pruned[rule.rows] = count;
    } catch (error) {
      deps.logger.error(
        { err: error, rows: rule.rows },
        'deletion of old database rows failed; the next run will retry',
      );
    }
  }
  if (Object.keys(pruned).length > 0) deps.logger.info(pruned, 'old database rows deleted');
  return pruned;
}

async function pruneOne(
  { db, clock }: PruneDeps,
  rule: RetentionRule,
  signal?: AbortSignal,
): Promise<number> {
  const before = clock.now() - rule.keepMs;
  let total = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    if (signal?.aborted === true) break;
    const count = await rule.pruneBatch(db, before, BATCH);
    total += count;
    if (count < BATCH) break;
  }
  return total;
}
