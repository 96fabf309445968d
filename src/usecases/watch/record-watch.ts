import { randomBytes } from 'node:crypto';
import { isoTime } from '../../domain/iso-time.ts';
import type { NoticeReason } from '../../domain/notices.ts';
import type { Clock } from '../../domain/ports.ts';
import type { WatchAccount } from '../../store/ledger/watch-accounts.ts';
import { insertShopNotices } from '../../store/notices/notices.ts';
import type { Tx } from '../../store/sqlite/database.ts';

export type WatchNotice = Extract<NoticeReason, 'watch_pending' | 'watch_changed' | 'watch_undone'>;

/** Such as `2026-11-28 22:15 UTC`, for mails in any language. */
export function showTime(at: number): string {
  return `${isoTime(at).slice(0, 16).replace('T', ' ')} UTC`;
}

/** Notifies the people of the shop of a change, in its transaction. @param address the next one of a new account */
export async function notifyOfWatch(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  account: WatchAccount,
  { reason, address }: { readonly reason: WatchNotice; readonly address: string },
): Promise<void> {
  const { coin, mode, merchantId, id, pendingId, startsAt } = account;
  const now = clock.now();
  const isPending = reason === 'watch_pending' && pendingId !== null && startsAt !== null;
  const details = {
    coin,
    address,
    ...(isPending ? { time: showTime(startsAt), watchId: id, pendingId } : {}),
  };
  const row = {
    key: `${reason} ${randomBytes(8).toString('hex')}`,
    reason,
    mode,
    subject: merchantId,
    detailsJson: JSON.stringify(details),
    createdAt: now,
    dueAt: now,
    toldAt: null,
  };
  await insertShopNotices(tx, row, merchantId);
}
