import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { deleteExpiredIdempotencyKeys } from '../../store/idempotency.ts';

const BATCH = 500;
/** Bounds one run; the next one continues. */
const MAX_BATCHES = 100;

/** Deletes expired idempotency keys in small batches; returns how many. */
export async function pruneIdempotency(deps: { readonly db: Db; readonly clock: Clock }): Promise<number> {
  let removed = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const done = await deleteExpiredIdempotencyKeys(deps.db, deps.clock.now(), BATCH);
    removed += done;
    if (done < BATCH) break;
  }
  return removed;
}
