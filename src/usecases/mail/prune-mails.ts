import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { deleteMailsBefore, forgetRecipients } from '../../store/accounts/mails.ts';
import { MAIL_WINDOW_MS } from './mail-limits.ts';

const DAY_MS = 86_400_000;
/** How long the record of a sent or given-up mail is kept; its content is erased at once. */
const KEEP_MS = 30 * DAY_MS;
const BATCH = 500;
/** Bounds one run; the next one continues. */
const MAX_BATCHES = 20;

/**
 * Erases the recipients of mails that no limit counts any more, and removes the records of old mails; those
 * of receipts stay, so that none is mailed twice. @returns how many.
 */
export async function pruneMails(deps: { readonly db: Db; readonly clock: Clock }): Promise<number> {
  await forgetRecipients(deps.db, deps.clock.now() - MAIL_WINDOW_MS);
  let removed = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const count = await deleteMailsBefore(deps.db, deps.clock.now() - KEEP_MS, BATCH);
    removed += count;
    if (count < BATCH) break;
  }
  return removed;
}
