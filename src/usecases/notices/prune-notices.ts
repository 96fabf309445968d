import type { Clock } from '../../domain/ports.ts';
import { deleteNoticesBefore } from '../../store/notices/notices.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** How long a notice is remembered: repetitions within this time are not notified again. */
const KEEP_MS = 90 * 86_400_000;
const BATCH = 500;
/** Bounds one run; the next one continues. */
const MAX_BATCHES = 20;

/** Removes the records of old notices. @returns how many. */
export async function pruneNotices(deps: { readonly db: Db; readonly clock: Clock }): Promise<number> {
  let removed = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const count = await deleteNoticesBefore(deps.db, deps.clock.now() - KEEP_MS, BATCH);
    removed += count;
    if (count === 0) break;
  }
  return removed;
}
