import { z } from 'zod';
import { REMINDED, type NoticeReason } from '../../domain/notices.ts';
import { isPayable } from '../../domain/payment/status.ts';
import { readMeta, writeMeta } from '../../store/meta.ts';
import { insertNotice, noticedEventsAfter, wasCompletedBefore } from '../../store/notices/notices.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import type { NoticeRow } from '../../store/schema/notices.ts';
import { safeOrderName } from '../mail/index.ts';
import type { NoticeDetails } from './notice-details.ts';
import { queueReversalMail, type ReversalMailDeps } from './queue-reversal-mail.ts';

/** Number of the last event that was processed. */
const SEEN = 'notices.seq';
const BATCH = 200;
/** Older events are no longer news, for example after a long downtime of the daemon. */
const NEWS_MS = 48 * 3_600_000;

type NoticedEvent = Awaited<ReturnType<typeof noticedEventsAfter>>['events'][number];

const body = z.object({
  data: z.object({
    payment: z
      .object({
        status: z.string(),
        exception: z.string().nullable(),
        orderId: z.string(),
        // Events of earlier versions lack it.
        orderLabel: z.string().nullable().default(null),
        amount: z.string(),
        currency: z.string(),
        expiresAt: z.iso.datetime(),
      })
      .optional(),
    refundLink: z
      .object({ id: z.string(), approval: z.boolean(), claimId: z.string().nullable() })
      .optional(),
    send: z.object({ coin: z.string() }).optional(),
  }),
});
type EventData = z.output<typeof body>['data'];

/**
 * Turns new events into notices. An event is written in the transaction of its change, and the last processed
 * one is stored with the notices: after a crash each becomes a notice exactly once, and payments wait for
 * nothing here.
 * @param isOn false where no mail can be sent: then events are skipped
 * @returns whether there may be more
 */
export async function storeEventNotices(
  deps: ReversalMailDeps & { readonly db: Db },
  isOn: boolean,
): Promise<boolean> {
  const { db, clock } = deps;
  const stored = await readMeta(db, SEEN);
  const seen = Number(stored ?? 0);
  const { newest, events } = await noticedEventsAfter(db, { seq: seen, limit: BATCH });
  // Events before the first run, as after an upgrade, are not notified.
  const isFirst = stored === null;
  const isMore = !isFirst && events.length === BATCH;
  const last = isMore ? (events.at(-1)?.seq ?? newest) : newest;
  if (last === seen && !isFirst) return false;
  const now = clock.now();
  await db.transaction(async (tx) => {
    for (const event of isOn && !isFirst ? events : []) {
      if (event.createdAt < now - NEWS_MS) continue;
      const { type, paymentId, seq } = event;
      if (type === 'payment.reversed' && paymentId !== null)
        await queueReversalMail(tx, deps, { paymentId, seq });
      const notice = await toNotice(tx, event, now);
      if (notice !== null) await insertNotice(tx, notice);
    }
    await writeMeta(tx, SEEN, String(last));
  });
  return isMore;
}

async function toNotice(tx: Tx, event: NoticedEvent, now: number): Promise<NoticeRow | null> {
  if (event.bodyJson === null) return null;
  const data = body.parse(JSON.parse(event.bodyJson)).data;
  const reason = await findReason(tx, event, data);
  if (reason === null) return null;
  const subject = noticeSubject(event, data);
  const dueAt = reason === 'underpaid' ? Math.max(now, Date.parse(data.payment?.expiresAt ?? '')) : now;
  return {
    key: `${reason} ${subject}`,
    reason,
    merchantId: event.merchantId,
    mode: event.mode,
    subject: event.paymentId ?? event.sendId ?? subject,
    detailsJson: JSON.stringify(noticeDetailsFrom(event, data)),
    createdAt: now,
    dueAt,
    toldAt: null,
  };
}

/** Events that always cause a mail. */
const ALWAYS: Partial<Record<NoticedEvent['type'], NoticeReason>> = {
  'payment.completed': 'paid',
  'payment.underpaid': 'underpaid',
  'payment.refund_failed': 'refund_failed',
  'refund.delayed': 'refund_delayed',
  'send.failed': 'send_failed',
};

async function findReason(tx: Tx, event: NoticedEvent, data: EventData): Promise<NoticeReason | null> {
  const { type, paymentId: id, seq } = event;
  if (type === 'payment.late') {
    const { status = '', exception = null } = data.payment ?? {};
    // Late money that covers the price is accepted where the shop chose so, and needs no decision; nor does
    // it while the payer of a renewed order can still pay the rest.
    const isUndecided = !['completed', 'confirming'].includes(status) && !isPayable({ status, exception });
    return isUndecided ? 'late' : null;
  }
  if (type === 'payment.reversed') {
    return id !== null && (await wasCompletedBefore(tx, id, seq)) ? 'reversed' : null;
  }
  if (type === 'refund.claimed') return data.refundLink?.approval === true ? 'refund_claimed' : null;
  return ALWAYS[type] ?? null;
}

/** A dropped claim may be followed by another one, which is a new subject. */
function noticeSubject(event: NoticedEvent, data: EventData): string {
  if (data.refundLink !== undefined) return `${data.refundLink.id} ${data.refundLink.claimId ?? ''}`;
  return event.paymentId ?? event.sendId ?? String(event.seq);
}

function noticeDetailsFrom(
  event: NoticedEvent,
  { payment, send, refundLink }: EventData,
): NoticeDetails & { linkId?: string } {
  return {
    ...(payment === undefined
      ? {}
      : {
          order: safeOrderName(payment, event.paymentId ?? ''),
          price: `${payment.amount} ${payment.currency}`,
        }),
    ...(send === undefined ? {} : { coin: send.coin }),
    ...(refundLink === undefined ? {} : { linkId: refundLink.id }),
  };
}

/** Whether a reminder follows when it still applies a day later. */
export function isReminded(reason: NoticeReason): boolean {
  return REMINDED.has(reason);
}
