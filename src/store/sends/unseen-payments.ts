import type { ChainId } from '../../domain/coins.ts';
import { lastSkipAt } from '../chain/skipped-blocks.ts';
import { readMeta, writeMeta } from '../meta.ts';
import type { StoredSend } from './sends.ts';
import type { Db } from '../sqlite/database.ts';

const CHECKED = 'not_paid.';

/**
 * Until when sends of a chain may have been paid by transactions that the ledger does not know, ms; 0: never.
 * That is until it was restored from a backup, which lacks the versions signed since, or blocks were skipped,
 * which may contain payments.
 */
export async function unseenUntil(db: Db, chain: ChainId): Promise<number> {
  const restoredAt = Number(await readMeta(db, 'restored_at'));
  return Math.max(restoredAt, (await lastSkipAt(db, chain)) ?? 0);
}

/**
 * Whether this send is one of these, unless an operator confirmed that it was not paid. @param until see
 * unseenUntil
 */
export async function isUnseen(
  db: Db,
  { id, createdAt }: Pick<StoredSend, 'id' | 'createdAt'>,
  until: number,
): Promise<boolean> {
  if (until === 0 || createdAt > until) return false;
  return Number(await readMeta(db, CHECKED + id)) < until;
}

/** Records that a send was not paid by an unknown transaction until now, ms. */
export async function storeNotPaid(db: Db, sendId: string, now: number): Promise<void> {
  await writeMeta(db, CHECKED + sendId, String(now));
}
