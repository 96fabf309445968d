import type { Clock } from '../../../domain/ports.ts';
import { deleteAuditBefore } from '../../../store/audit-log.ts';
import { deleteInvitationsBefore } from '../../../store/merchants/invitations.ts';
import type { Db } from '../../../store/sqlite/database.ts';

const DAY_MS = 86_400_000;
const INVITATIONS_KEPT_MS = 30 * DAY_MS;
const BATCH = 500;
/** Bounds one run; the next one continues. */
const MAX_BATCHES = 20;

/** Deletes old entries of the audit log and old invitations. @returns how many entries. */
export async function prunePeople(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  auditDays: number,
): Promise<number> {
  const now = clock.now();
  await deleteInvitationsBefore(db, now - INVITATIONS_KEPT_MS, BATCH);
  let removed = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const count = await deleteAuditBefore(db, now - auditDays * DAY_MS, BATCH);
    removed += count;
    if (count < BATCH) break;
  }
  return removed;
}
