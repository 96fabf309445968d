import type { SecretBox } from '../../domain/keys.ts';
import {
  KIND_OF_REASON,
  NOTICE_TERMS,
  isShopNotice,
  NOTICES_PER_HOUR,
  type ShopNotice,
} from '../../domain/notices.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { dueNotices, finishNotice } from '../../store/notices/notices.ts';
import { countNoticeMails, insertNoticeMail } from '../../store/notices/notice-mails.ts';
import { findPayment } from '../../store/payments/payments.ts';
import { findRefundLink } from '../../store/payments/refund-links.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { NoticeRow } from '../../store/schema/notices.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { undoForwardUrl } from '../forwards/index.ts';
import { queueMail } from '../mail/index.ts';
import { undoWatchUrl } from '../watch/index.ts';
import { isReminded } from './store-event-notices.ts';
import { approvalReaders } from './approval-readers.ts';
import { noticeDetails } from './notice-details.ts';
import { noticeReaders } from './notice-readers.ts';
import { noticeText } from './notice-text.ts';
import { unsubscribeUrl } from './unsubscribe.ts';

export interface SendNoticesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
  readonly baseUrl: string;
  /** The mail address of this server's operator; null: none. */
  readonly operatorEmail: string | null;
}

const BATCH = 50;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A mail that could not be sent within this time is obsolete. */
export const NOTICE_LIFETIME_MS = 48 * HOUR_MS;

/** Queues the mails of due notices, each notice in its own transaction. @returns how many were processed. */
export async function sendNotices(deps: SendNoticesDeps): Promise<number> {
  const due = await dueNotices(deps.db, { now: deps.clock.now(), reminderMs: DAY_MS }, BATCH);
  for (const notice of due) {
    await deps.db.transaction(async (tx) => notify(tx, deps, notice));
  }
  return due.length;
}

async function notify(tx: Tx, deps: SendNoticesDeps, notice: NoticeRow): Promise<void> {
  const now = deps.clock.now();
  const isReminder = notice.toldAt !== null;
  const isSo = await stillStands(tx, notice, now);
  const notified = isSo ? await notifyPeople(tx, deps, notice, isReminder) : 0;
  const remindAt = isSo && !isReminder && isReminded(notice.reason) ? now + DAY_MS : null;
  await finishNotice(tx, notice.key, { dueAt: remindAt, toldAt: notice.toldAt ?? (isSo ? now : null) });
  if (notified === 0) return;
  const { reason, merchantId, subject, mode } = notice;
  tx.afterCommit(() =>
    deps.logger.info({ reason, merchantId, subject, mode, people: notified }, 'notification emails queued'),
  );
}

async function notifyPeople(
  tx: Tx,
  deps: SendNoticesDeps,
  notice: NoticeRow,
  isReminder: boolean,
): Promise<number> {
  const merchantId = notice.merchantId;
  if (merchantId === '') {
    if (deps.operatorEmail === null) return 0;
    const operator = { userId: '', email: deps.operatorEmail, language: 'en' as const };
    await notifyPerson(tx, deps, { notice, reader: operator, shop: null, isReminder });
    return 1;
  }
  const shop = await findMerchant(tx, merchantId);
  if (shop === undefined) return 0;
  if (notice.reason === 'approval_needed') return notifyApprovers(tx, deps, notice, shop);
  const kind = shopKind(notice);
  const readers = await noticeReaders(tx, { merchantId, kind, isTest: notice.mode === 'sandbox' });
  for (const reader of readers) await notifyPerson(tx, deps, { notice, reader, shop, isReminder });
  return readers.length;
}

/** The mail counts what waits now. */
async function notifyApprovers(
  tx: Tx,
  deps: SendNoticesDeps,
  notice: NoticeRow,
  shop: MerchantRow,
): Promise<number> {
  const readers = await approvalReaders(tx, shop, notice, deps.clock.now());
  for (const { reader, count } of readers) {
    // The notice of a shop is mailed again when more sends wait.
    const key = `${notice.key} ${notice.createdAt}`;
    const counted = { ...notice, key, detailsJson: JSON.stringify({ count: String(count) }) };
    await notifyPerson(tx, deps, { notice: counted, reader, shop, isReminder: false });
  }
  return readers.length;
}

interface Notification {
  readonly notice: NoticeRow;
  readonly reader: Omit<Awaited<ReturnType<typeof noticeReaders>>[number], 'role'>;
  readonly shop: { readonly id: string; readonly name: string } | null;
  readonly isReminder: boolean;
}

/** Queues the mail, or defers it to a summary after too many in the last hour. */
async function notifyPerson(tx: Tx, deps: SendNoticesDeps, notification: Notification): Promise<void> {
  const { notice, reader, shop, isReminder } = notification;
  const now = deps.clock.now();
  const merchantId = notice.merchantId;
  const of = { userId: reader.userId, merchantId, since: now - HOUR_MS };
  const isFull = (await countNoticeMails(tx, of)) >= NOTICES_PER_HOUR;
  const isNew = await insertNoticeMail(tx, {
    userId: reader.userId,
    noticeKey: isReminder ? `${notice.key} reminder` : notice.key,
    merchantId,
    reason: notice.reason,
    state: isFull ? 'held' : 'mailed',
    createdAt: now,
  });
  if (!isNew || isFull) return;
  const kind = shop === null ? null : shopKind(notice);
  const canEnd = kind !== null && !NOTICE_TERMS[kind].isFixed;
  const unsubscribe = canEnd ? unsubscribeUrl(deps, { userId: reader.userId, merchantId, kind }) : null;
  await queueMail(tx, deps, {
    userId: reader.userId === '' ? null : reader.userId,
    to: reader.email,
    kind: 'shop-notice',
    text: noticeText(deps, {
      notice,
      shop,
      language: reader.language,
      isReminder,
      unsubscribe,
      link: undoLink(deps, notice),
    }),
    expiresAt: now + NOTICE_LIFETIME_MS,
  });
}

/** The page that undoes the change of a notice; null where it has none. */
function undoLink(deps: SendNoticesDeps, { detailsJson }: NoticeRow): string | null {
  const { forwardId, watchId, pendingId } = noticeDetails.parse(JSON.parse(detailsJson));
  if (pendingId === undefined) return null;
  if (forwardId !== undefined) return undoForwardUrl(deps, { forwardId, pendingId });
  return watchId === undefined ? null : undoWatchUrl(deps, { watchId, pendingId });
}

function shopKind(notice: NoticeRow): ShopNotice {
  const kind = KIND_OF_REASON[notice.reason];
  if (!isShopNotice(kind)) throw new Error(`${kind} is not a notice of a shop`);
  return kind;
}

/** Whether the notice still applies: a decision in the meantime makes it obsolete. */
async function stillStands(tx: Tx, notice: NoticeRow, now: number): Promise<boolean> {
  const { reason, subject, key, toldAt } = notice;
  // Stored without regard to whether there was a mail server, or a running daemon.
  if (['freeze', 'approval', 'forward'].includes(KIND_OF_REASON[reason]))
    return notice.createdAt > now - NOTICE_LIFETIME_MS;
  if (reason === 'underpaid' || reason === 'late') {
    const payment = await findPayment(tx, subject);
    if (payment === undefined) return false;
    const isLate = payment.exception === 'late' && ['expired', 'cancelled'].includes(payment.status);
    // Money for a refunded payment changes no status: it is notified at once, and not again.
    const isAfterRefund = reason === 'late' && toldAt === null && payment.status === 'refunded';
    return payment.status === 'underpaid' || isLate || isAfterRefund;
  }
  if (reason !== 'refund_claimed') return true;
  const [, linkId = '', claimId] = key.split(' ');
  const link = await findRefundLink(tx, linkId);
  return link?.status === 'claimed' && (link.claimId ?? '') === claimId;
}
