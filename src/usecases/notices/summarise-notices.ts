import { KIND_OF_REASON } from '../../domain/notices.ts';
import { findUser } from '../../store/accounts/users.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { noticeLanguage } from '../../store/notices/notice-choices.ts';
import {
  listSuppressedNotices,
  insertNoticeMail,
  newestSummary,
  summarizeSuppressedNotices,
} from '../../store/notices/notice-mails.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { queueMail } from '../mail/index.ts';
import { summaryText } from './notice-text.ts';
import { findReachable } from '../access/index.ts';
import { NOTICE_LIFETIME_MS, type SendNoticesDeps } from './send-notices.ts';

const HOUR_MS = 3_600_000;
/** How long notices are collected before the summary. */
const GATHER_MS = 600_000;

/** Mails the deferred notices as a summary: at most one mail an hour to a person about a shop. */
export async function summariseNotices(deps: SendNoticesDeps): Promise<void> {
  const now = deps.clock.now();
  for (const { userId, merchantId, since } of await listSuppressedNotices(deps.db)) {
    if (since > now - GATHER_MS) continue;
    const newest = await newestSummary(deps.db, { userId, merchantId });
    if (newest !== null && newest > now - HOUR_MS) continue;
    await deps.db.transaction(async (tx) => summarise(tx, deps, { userId, merchantId }));
  }
}

async function summarise(
  tx: Tx,
  deps: SendNoticesDeps,
  of: { userId: string; merchantId: string },
): Promise<void> {
  const now = deps.clock.now();
  const { userId, merchantId } = of;
  const counts = await summarizeSuppressedNotices(tx, of);
  const user = userId === '' ? null : ((await findUser(tx, userId)) ?? null);
  const shop = merchantId === '' ? null : ((await findMerchant(tx, merchantId)) ?? null);
  // A person who has left the shop in the meantime receives nothing more about it.
  const isIn = userId !== '' && (await findReachable(tx, userId, merchantId)) !== null;
  const to = userId === '' ? deps.operatorEmail : isIn ? (user?.email ?? null) : null;
  if (to === null) return;
  await insertNoticeMail(tx, {
    userId,
    noticeKey: `summary ${merchantId} ${now}`,
    merchantId,
    reason: 'summary',
    state: 'mailed',
    createdAt: now,
  });
  const byKind = new Map<(typeof KIND_OF_REASON)[keyof typeof KIND_OF_REASON], number>();
  for (const [reason, count] of counts) {
    const kind = KIND_OF_REASON[reason];
    byKind.set(kind, (byKind.get(kind) ?? 0) + count);
  }
  const language = (userId === '' ? null : await noticeLanguage(tx, userId)) ?? 'en';
  await queueMail(tx, deps, {
    userId: userId === '' ? null : userId,
    to,
    kind: 'shop-notice',
    text: summaryText(deps, { shop, language, byKind }),
    expiresAt: now + NOTICE_LIFETIME_MS,
  });
}
