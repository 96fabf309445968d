import type { Db } from '../../store/database.ts';
import { readMeta } from '../../store/meta.ts';
import type { StoredSend } from '../../store/sends.ts';

/**
 * Whether a send was made before the ledger was put back from a backup: versions signed since are not in it, so that
 * a version known here can be impossible although the send was paid.
 */
export async function predatesRestore(db: Db, send: Pick<StoredSend, 'created_at'>): Promise<boolean> {
  const restoredAt = Number(await readMeta(db, 'restored_at'));
  return restoredAt > 0 && send.created_at <= restoredAt;
}
