import type { Db } from '../../store/database.ts';
import { readMeta } from '../../store/meta.ts';
import type { StoredSend } from '../../store/sends.ts';
import { lastSkipAt } from '../../store/skipped-blocks.ts';

/**
 * Whether a send may have been paid although its versions look impossible: it was made before the ledger was put back
 * from a backup, which lacks the versions signed since, or before blocks were skipped, which may hold it.
 */
export async function mayBePaidUnseen(
  db: Db,
  send: Pick<StoredSend, 'coin' | 'mode' | 'created_at'>,
): Promise<boolean> {
  const restoredAt = Number(await readMeta(db, 'restored_at'));
  const unseenUntil = Math.max(restoredAt, (await lastSkipAt(db, send)) ?? 0);
  return unseenUntil > 0 && send.created_at <= unseenUntil;
}
