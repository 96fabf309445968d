import ar from '../../../locales/account-mails/ar.json' with { type: 'json' };
import de from '../../../locales/account-mails/de.json' with { type: 'json' };
import en from '../../../locales/account-mails/en.json' with { type: 'json' };
import es from '../../../locales/account-mails/es.json' with { type: 'json' };
import fr from '../../../locales/account-mails/fr.json' with { type: 'json' };
import it from '../../../locales/account-mails/it.json' with { type: 'json' };
import nl from '../../../locales/account-mails/nl.json' with { type: 'json' };
import pl from '../../../locales/account-mails/pl.json' with { type: 'json' };
import pt from '../../../locales/account-mails/pt.json' with { type: 'json' };
import type { MailMessage } from '../../domain/mail.ts';
import { interpolate } from '../../i18n/interpolate.ts';
import type { Language } from '../../i18n/languages.ts';
import { escapeHtml, hostName, htmlMail } from './html-mail.ts';

/** A mail without its recipient. */
export type MailText = Omit<MailMessage, 'id' | 'to'>;

type AccountTexts = typeof en;
export type NoticeKind = keyof AccountTexts['notices'];

interface Notice {
  readonly subject: string;
  readonly body: string;
  /** Further instructions where a new password alone does not help. */
  readonly advice?: string;
}

const TEXTS: Readonly<Record<Language, AccountTexts>> = { en, de, es, fr, it, nl, pl, pt, ar };

/** The texts of the mails about an account in one language. */
export function accountTexts(language: Language): AccountTexts {
  return TEXTS[language];
}

/** A mail with a link to open. */
export function linkMail(
  kind: keyof AccountTexts['links'],
  options: {
    readonly language: Language;
    readonly baseUrl: string;
    readonly link: string;
    readonly isFirstProof: boolean;
  },
): MailText {
  const { language, link, isFirstProof } = options;
  const texts = TEXTS[language];
  const { subject, body, action, after } = texts.links[kind];
  const host = hostName(options.baseUrl);
  return buildLinkMail(language, {
    subject: interpolate(subject, { host }),
    body: interpolate(body, { host }),
    link,
    action,
    after: isFirstProof ? `${after} ${texts.firstProof}` : after,
  });
}

/** A notice of a change that must not go unnoticed. */
export function noticeMail(
  kind: NoticeKind,
  options: {
    readonly language: Language;
    readonly baseUrl: string;
    readonly more: readonly string[];
  },
): MailText {
  const { language, more } = options;
  const { hello, notices, resetAdvice } = TEXTS[language];
  const { subject, body, advice = resetAdvice }: Notice = notices[kind];
  const host = hostName(options.baseUrl);
  const paragraphs = [hello, interpolate(body, { host }), ...more, advice];
  return {
    subject: interpolate(subject, { host }),
    text: `${paragraphs.join('\n\n')}\n`,
    html: htmlMail(language, paragraphs.map(escapeHtml)),
    link: null,
    unsubscribe: null,
  };
}

/** A mail whose only purpose is its link; every text is escaped in its HTML. */
export function buildLinkMail(
  language: Language,
  mail: {
    readonly subject: string;
    readonly body: string;
    readonly link: string;
    readonly action: string;
    readonly after: string;
  },
): MailText {
  const { subject, body, link, action, after } = mail;
  const { hello } = TEXTS[language];
  const anchor = `<a href="${escapeHtml(link)}">${escapeHtml(action)}</a>`;
  return {
    subject,
    text: `${[hello, body, link, after].join('\n\n')}\n`,
    html: htmlMail(language, [
      escapeHtml(hello),
      escapeHtml(body),
      anchor,
      escapeHtml(link),
      escapeHtml(after),
    ]),
    link,
    unsubscribe: null,
  };
}
