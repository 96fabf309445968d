import ar from '../../../locales/notice-mails/ar.json' with { type: 'json' };
import de from '../../../locales/notice-mails/de.json' with { type: 'json' };
import en from '../../../locales/notice-mails/en.json' with { type: 'json' };
import es from '../../../locales/notice-mails/es.json' with { type: 'json' };
import fr from '../../../locales/notice-mails/fr.json' with { type: 'json' };
import it from '../../../locales/notice-mails/it.json' with { type: 'json' };
import nl from '../../../locales/notice-mails/nl.json' with { type: 'json' };
import pl from '../../../locales/notice-mails/pl.json' with { type: 'json' };
import pt from '../../../locales/notice-mails/pt.json' with { type: 'json' };
import type { AttentionKind } from '../../domain/attention.ts';
import { KIND_OF_REASON, type NoticeKind, type NoticeReason } from '../../domain/notices.ts';
import { interpolate } from '../../i18n/interpolate.ts';
import type { Language } from '../../i18n/languages.ts';
import type { NoticeRow } from '../../store/schema/notices.ts';
import { nameForBody, escapeHtml, hostName, htmlMail, type MailText, nameForSubject } from '../mail/index.ts';
import { noticeDetails } from './notice-details.ts';

/** The texts of the mails, by what they are about, and of the page that switches them off. */
type NoticeTexts = Readonly<typeof en> & {
  readonly subjects: Readonly<Record<NoticeReason, string>>;
  readonly bodies: Readonly<Record<NoticeReason, string>>;
  readonly kinds: Readonly<Record<NoticeKind, string>>;
  readonly digestItems: Readonly<Record<AttentionKind, string>>;
};

const TEXTS: Readonly<Record<Language, NoticeTexts>> = { en, de, es, fr, it, nl, pl, pt, ar };

interface TextDeps {
  readonly baseUrl: string;
}

type Shop = { readonly id: string; readonly name: string } | null;

/** The texts of one language. */
export function noticeTexts(language: Language): NoticeTexts {
  return TEXTS[language];
}

/** The mail about one notice. */
export function noticeText(
  deps: TextDeps,
  mail: {
    readonly notice: NoticeRow;
    readonly shop: Shop;
    readonly language: Language;
    readonly isReminder: boolean;
    readonly unsubscribe: string | null;
    /** The page to act on; null: the dashboard's. */
    readonly link: string | null;
  },
): MailText {
  const { notice, shop, language, isReminder, unsubscribe, link } = mail;
  const texts = TEXTS[language];
  const details = noticeDetails.parse(JSON.parse(notice.detailsJson));
  const values = {
    order: notice.subject,
    price: '',
    coin: '',
    host: '',
    count: '',
    address: '',
    time: '',
    ...details,
    ...shopValues(deps, shop, 'body'),
  };
  const subject = interpolate(texts.subjects[notice.reason], {
    ...values,
    ...shopValues(deps, shop, 'subject'),
  });
  const marks = [
    ...(notice.mode === 'sandbox' ? [texts.test] : []),
    ...(isReminder ? [texts.reminder] : []),
  ].map((mark) => `${mark}: `);
  const kind = KIND_OF_REASON[notice.reason];
  const why =
    shop === null ? texts.whyOperator : interpolate(texts.why, { ...values, kind: texts.kinds[kind] });
  return buildMail(deps, language, {
    subject: `${marks.join('')}${subject}`,
    body: interpolate(texts.bodies[notice.reason], values),
    link: link ?? `${deps.baseUrl}${dashboardPath(notice, shop)}`,
    why,
    unsubscribe,
    shop,
  });
}

/** The summary of notices beyond the hourly limit. */
export function summaryText(
  deps: TextDeps,
  mail: {
    readonly shop: Shop;
    readonly language: Language;
    readonly byKind: ReadonlyMap<NoticeKind, number>;
  },
): MailText {
  const { shop, language, byKind } = mail;
  const texts = TEXTS[language];
  const count = [...byKind.values()].reduce((sum, each) => sum + each, 0);
  const values = { ...shopValues(deps, shop, 'body'), count: String(count) };
  const lines = [...byKind].map(([kind, each]) => `${texts.kinds[kind]}: ${each}`);
  return buildMail(deps, language, {
    subject: interpolate(texts.summarySubject, { ...values, ...shopValues(deps, shop, 'subject') }),
    body: `${interpolate(texts.summaryBody, values)}\n${lines.join('\n')}`,
    link: `${deps.baseUrl}${shop === null ? '/dashboard/nodes' : `/dashboard/shop/${shop.id}`}`,
    why: interpolate(texts.whySummary, values),
    unsubscribe: null,
    shop,
  });
}

/** The names of shop and server in a text; a subject repeats only a plain name. */
export function shopValues(
  { baseUrl }: TextDeps,
  shop: Shop,
  part: 'subject' | 'body',
): Record<string, string> {
  const server = hostName(baseUrl);
  if (shop === null) return { shop: server, server };
  return { shop: part === 'subject' ? nameForSubject(shop.name, server) : nameForBody(shop.name), server };
}

/** The dashboard page on which the reader can act. */
function dashboardPath({ reason, subject }: Pick<NoticeRow, 'reason' | 'subject'>, shop: Shop): string {
  if (shop === null) return '/dashboard/nodes';
  const base = `/dashboard/shop/${shop.id}`;
  const kind = KIND_OF_REASON[reason];
  if (kind === 'webhook') return `${base}/webhooks`;
  return subject.startsWith('pay_') ? `${base}/payments/${subject}` : `${base}/wallet`;
}

interface Parts {
  readonly subject: string;
  readonly body: string;
  readonly link: string;
  readonly why: string;
  readonly unsubscribe: string | null;
  readonly shop: Shop;
}

/** A mail with its link, its reason and the ways to end it. */
export function buildMail({ baseUrl }: TextDeps, language: Language, parts: Parts): MailText {
  const texts = TEXTS[language];
  const { subject, body, link, why, unsubscribe, shop } = parts;
  const settings = shop === null ? null : `${baseUrl}/dashboard/shop/${shop.id}/mails`;
  const ends = [
    ...(unsubscribe === null ? [] : [[texts.switchOff, unsubscribe] as const]),
    ...(settings === null ? [] : [[texts.allSettings, settings] as const]),
  ];
  const footer = [why, ...ends.map(([text, url]) => `${text}: ${url}`)].join('\n');
  return {
    subject,
    text: `${body}\n\n${link}\n\n-- \n${footer}\n`,
    html: htmlMail(language, [
      escapeHtml(body).replace(/\n/g, '<br>'),
      anchor(link, link),
      [escapeHtml(why), ...ends.map(([text, url]) => anchor(url, text))].join('<br>'),
    ]),
    link,
    unsubscribe,
  };
}

function anchor(url: string, text: string): string {
  return `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`;
}
