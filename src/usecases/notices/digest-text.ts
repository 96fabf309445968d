import type { Mode } from '../../domain/coins.ts';
import { interpolate } from '../../i18n/interpolate.ts';
import type { Language } from '../../i18n/languages.ts';
import type { listAttention } from '../attention/index.ts';
import { type MailText, safeOrderName } from '../mail/index.ts';
import { buildMail, noticeTexts, shopValues } from './notice-text.ts';

type Item = Awaited<ReturnType<typeof listAttention>>['items'][number];

/** What waits in one mode of a shop. */
export interface DigestPart {
  readonly mode: Mode;
  /** The first ones. */
  readonly items: readonly Item[];
  readonly total: number;
}

/** The daily mail about what waits for a person. */
export function digestText(
  deps: { readonly baseUrl: string },
  mail: {
    readonly shop: { readonly id: string; readonly name: string };
    readonly language: Language;
    readonly parts: readonly DigestPart[];
    readonly unsubscribe: string;
  },
): MailText {
  const { shop, language, parts, unsubscribe } = mail;
  const texts = noticeTexts(language);
  const count = String(parts.reduce((sum, { total }) => sum + total, 0));
  const values = { ...shopValues(deps, shop, 'body'), count, kind: texts.kinds.digest };
  const lines = parts.flatMap((part) => partLines(language, part));
  return buildMail(deps, language, {
    subject: interpolate(texts.digestSubject, { ...values, ...shopValues(deps, shop, 'subject') }),
    body: `${interpolate(texts.digestBody, values)}\n\n${lines.join('\n')}`,
    link: `${deps.baseUrl}/dashboard/shop/${shop.id}/attention`,
    why: interpolate(texts.why, values),
    unsubscribe,
    shop,
  });
}

function partLines(language: Language, { mode, items, total }: DigestPart): string[] {
  const texts = noticeTexts(language);
  const mark = mode === 'sandbox' ? `${texts.test}: ` : '';
  const lines = items.map((item) => `– ${mark}${itemLine(language, item)}`);
  const more = total - items.length;
  return more > 0 ? [...lines, `– ${mark}${interpolate(texts.digestMore, { count: String(more) })}`] : lines;
}

/** What happened, to which order or coin, and what it is worth. */
function itemLine(language: Language, { kind, subject, amount, currency }: Item): string {
  const texts = noticeTexts(language);
  const { order, paymentId, coin } = subject;
  const name =
    order === null
      ? null
      : interpolate(texts.digestOrder, {
          order: safeOrderName({ orderId: order, orderLabel: null }, paymentId ?? ''),
        });
  const worth = amount === null || currency === null ? null : `${amount} ${currency}`;
  const details = [name ?? (worth === null ? coin : null), worth].filter((part) => part !== null);
  return [texts.digestItems[kind], ...details].join(' · ');
}
