import { addMonths, Calendar } from '../../domain/calendar.ts';
import type { MailAttachment } from '../../domain/mail.ts';
import { interpolate } from '../../i18n/interpolate.ts';
import { formatLocale, type Language } from '../../i18n/languages.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { listShopsWithChoice } from '../../store/notices/notice-choices.ts';
import { hasNoticeMail, insertNoticeMail } from '../../store/notices/notice-mails.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { monthReport, type MonthReport } from '../accounting/index.ts';
import { type MailText, queueMail } from '../mail/index.ts';
import { noticeReaders } from './notice-readers.ts';
import { buildMail, noticeTexts, shopValues } from './notice-text.ts';
import type { SendNoticesDeps } from './send-notices.ts';
import { unsubscribeUrl } from './unsubscribe.ts';

/** Writes the files of a month. */
export type AttachMonth = (
  report: MonthReport,
  shop: Pick<MerchantRow, 'name' | 'domain'>,
  language: Language,
) => Promise<readonly MailAttachment[]>;

export interface SendMonthEndsDeps extends SendNoticesDeps {
  readonly attachMonth: AttachMonth;
}

const DAY_MS = 86_400_000;
/** Local hour of the first day from which on the mail is sent, and the last day after a downtime. */
const FIRST_HOUR = 8;
const LAST_DAY = 10;
const LIFETIME_MS = 2 * DAY_MS;
/** Base64 characters of all files; a mail with more has the link alone. */
const MAX_ATTACHED = 2_000_000;

/**
 * Mails the figures of the month that has ended to the people of a shop who chose it: once for each person, shop and
 * month, from the morning of the first day in the shop's time zone. The mail is queued in one transaction with its
 * mark, which names the month: a restart or a clock that is set back sends none again. A month without a movement is
 * not mailed.
 */
export async function sendMonthEnds(deps: SendMonthEndsDeps): Promise<void> {
  for (const merchantId of await listShopsWithChoice(deps.db, 'month_end')) {
    try {
      await sendShopMonth(deps, merchantId);
    } catch (error) {
      deps.logger.error({ err: error, merchantId }, 'month-end mail failed; will retry');
    }
  }
}

async function sendShopMonth(deps: SendMonthEndsDeps, merchantId: string): Promise<void> {
  const merchant = await findMerchant(deps.db, merchantId);
  if (merchant === undefined) return;
  const calendar = new Calendar(merchant.timeZone ?? 'UTC');
  const month = endedMonth(calendar, deps.clock.now());
  if (month === null) return;
  const noticeKey = `month_end ${merchantId} ${month}`;
  const readers = await noticeReaders(deps.db, { merchantId, kind: 'month_end', isTest: false });
  let report: MonthReport | null = null;
  for (const { userId, email, language } of readers) {
    if (await hasNoticeMail(deps.db, { userId, noticeKey })) continue;
    report ??= await monthReport(deps, { merchantId, mode: 'live', month, calendar });
    const isEmpty = report.totals.length === 0;
    const attachments = isEmpty ? [] : await deps.attachMonth(report, merchant, language);
    const now = deps.clock.now();
    const text = monthText(deps, {
      merchant,
      month,
      language,
      attachments,
      unsubscribe: unsubscribeUrl(deps, { userId, merchantId, kind: 'month_end' }),
    });
    await deps.db.transaction(async (tx) => {
      const isNew = await insertNoticeMail(tx, {
        userId,
        merchantId,
        noticeKey,
        reason: 'month_end',
        state: isEmpty ? 'summarised' : 'mailed',
        createdAt: now,
      });
      if (!isNew || isEmpty) return;
      const expiresAt = now + LIFETIME_MS;
      await queueMail(tx, deps, { userId, to: email, kind: 'shop-notice', text, expiresAt });
      tx.afterCommit(() => deps.logger.info({ merchantId, month }, 'month-end mail queued'));
    });
  }
}

/** The month before the current one, in the first days of the current one; else null. */
function endedMonth(calendar: Calendar, now: number): string | null {
  const wall = new Date(calendar.wallTimeAt(now));
  const day = wall.getUTCDate();
  if (day > LAST_DAY || (day === 1 && wall.getUTCHours() < FIRST_HOUR)) return null;
  return addMonths(calendar.dayAt(now).slice(0, -3), -1);
}

function monthText(
  deps: { readonly baseUrl: string },
  mail: {
    readonly merchant: MerchantRow;
    readonly month: string;
    readonly language: Language;
    readonly attachments: readonly MailAttachment[];
    readonly unsubscribe: string;
  },
): MailText {
  const { merchant: shop, language, unsubscribe } = mail;
  const texts = noticeTexts(language);
  const format = new Intl.DateTimeFormat(formatLocale(language), {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  const month = format.format(Date.parse(`${mail.month}-01`));
  const size = mail.attachments.reduce((sum, { base64 }) => sum + base64.length, 0);
  const attachments = size <= MAX_ATTACHED ? mail.attachments : [];
  const values = { ...shopValues(deps, shop, 'body'), month, kind: texts.kinds.month_end };
  const text = buildMail(deps, language, {
    subject: interpolate(texts.monthSubject, { ...values, ...shopValues(deps, shop, 'subject') }),
    body: interpolate(attachments.length === 0 ? texts.monthLinkBody : texts.monthBody, values),
    link: `${deps.baseUrl}/dashboard/shop/${shop.id}/books`,
    why: interpolate(texts.why, values),
    unsubscribe,
    shop,
  });
  return { ...text, attachments };
}
