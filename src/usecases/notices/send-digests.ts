import type { Mode } from '../../domain/coins.ts';
import { Calendar } from '../../domain/calendar.ts';
import { roleScopes } from '../../domain/roles.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { listShopsWithChoice, noticeChoices } from '../../store/notices/notice-choices.ts';
import { insertNoticeMail, newestDigest } from '../../store/notices/notice-mails.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { type AttentionDeps, listAttention } from '../attention/index.ts';
import { queueMail } from '../mail/index.ts';
import { type DigestPart, digestText } from './digest-text.ts';
import { noticeReaders } from './notice-readers.ts';
import type { SendNoticesDeps } from './send-notices.ts';
import { unsubscribeUrl } from './unsubscribe.ts';

export interface SendDigestsDeps extends SendNoticesDeps {
  readonly attention: AttentionDeps;
}

const HOUR_MS = 3_600_000;
/** Local hours in which a digest is sent: later than the first only after a downtime. */
const MORNING = { from: 8, before: 12 };
/** Minimum distance of two digests, should the shop change its time zone in between. */
const APART_MS = 20 * HOUR_MS;
/** Tomorrow there is another one. */
const LIFETIME_MS = 12 * HOUR_MS;
const MAX_ITEMS = 20;

/**
 * Mails what waits for the people of a shop, once a day in the shop's morning, to those who chose it; nothing where
 * nothing waits. The mail is queued in one transaction with its mark, which names the local day: a restart or a
 * clock that is set back sends none again.
 */
export async function sendDigests(deps: SendDigestsDeps): Promise<void> {
  for (const merchantId of await listShopsWithChoice(deps.db, 'digest')) {
    try {
      await sendShopDigests(deps, merchantId);
    } catch (error) {
      deps.logger.error({ err: error, merchantId }, 'daily digest failed; will retry');
    }
  }
}

async function sendShopDigests(deps: SendDigestsDeps, merchantId: string): Promise<void> {
  const merchant = await findMerchant(deps.db, merchantId);
  const day = merchant === undefined ? null : morningDay(merchant, deps.clock.now());
  if (merchant === undefined || day === null) return;
  for (const reader of await noticeReaders(deps.db, { merchantId, kind: 'digest', isTest: false })) {
    await sendDigest(deps, { merchant, reader, day });
  }
}

/** The local day whose morning it is; null outside the morning. */
function morningDay({ timeZone }: MerchantRow, now: number): string | null {
  const calendar = new Calendar(timeZone ?? 'UTC');
  const hour = new Date(calendar.wallTimeAt(now)).getUTCHours();
  return hour >= MORNING.from && hour < MORNING.before ? calendar.dayAt(now) : null;
}

interface Digest {
  readonly merchant: MerchantRow;
  readonly reader: Awaited<ReturnType<typeof noticeReaders>>[number];
  readonly day: string;
}

async function sendDigest(deps: SendDigestsDeps, { merchant, reader, day }: Digest): Promise<void> {
  const now = deps.clock.now();
  const of = { userId: reader.userId, merchantId: merchant.id };
  const newest = await newestDigest(deps.db, of);
  const isRecent = newest !== null && newest.at <= now && now - newest.at < APART_MS;
  if (newest?.day === day || isRecent) return;
  const parts = await readParts(deps, merchant, reader);
  const count = parts.reduce((sum, { total }) => sum + total, 0);
  await deps.db.transaction(async (tx) => {
    const isNew = await insertNoticeMail(tx, {
      ...of,
      noticeKey: `digest ${merchant.id} ${day}`,
      reason: 'digest',
      // Without an item the mark alone is kept: what comes later today waits for tomorrow.
      state: count === 0 ? 'summarised' : 'mailed',
      createdAt: now,
    });
    if (!isNew || count === 0) return;
    await queueMail(tx, deps, {
      userId: reader.userId,
      to: reader.email,
      kind: 'shop-notice',
      text: digestText(deps, {
        shop: merchant,
        language: reader.language,
        parts,
        unsubscribe: unsubscribeUrl(deps, { ...of, kind: 'digest' }),
      }),
      expiresAt: now + LIFETIME_MS,
    });
    tx.afterCommit(() =>
      deps.logger.info(
        { merchantId: merchant.id, items: count },
        'daily digest email of items that need a decision queued',
      ),
    );
  });
}

/** What waits in live mode, and in the sandbox for people who chose test payments. */
async function readParts(
  deps: SendDigestsDeps,
  merchant: MerchantRow,
  { userId, role }: Digest['reader'],
): Promise<DigestPart[]> {
  const choices = await noticeChoices(deps.db, { userId, merchantId: merchant.id });
  const modes: readonly Mode[] = choices.get('test_payments') === true ? ['live', 'sandbox'] : ['live'];
  const parts: DigestPart[] = [];
  for (const mode of modes) {
    const reader = { merchant, mode, scopes: roleScopes(role), actor: { role } };
    const { items, pagination } = await listAttention(deps.attention, reader, { page: 1, limit: MAX_ITEMS });
    if (items.length > 0) parts.push({ mode, items, total: pagination.total });
  }
  return parts;
}
