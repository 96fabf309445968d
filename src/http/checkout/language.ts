import { de } from './messages/de.ts';
import { en, type Messages } from './messages/en.ts';
import { es } from './messages/es.ts';
import { fr } from './messages/fr.ts';
import { pt } from './messages/pt.ts';
import { refundDe } from './messages/refund/de.ts';
import { refundEn, type RefundMessages } from './messages/refund/en.ts';
import { refundEs } from './messages/refund/es.ts';
import { refundFr } from './messages/refund/fr.ts';
import { refundPt } from './messages/refund/pt.ts';

const CATALOGUES = {
  en: { ...en, ...refundEn },
  de: { ...de, ...refundDe },
  es: { ...es, ...refundEs },
  fr: { ...fr, ...refundFr },
  pt: { ...pt, ...refundPt },
};
export type Language = keyof typeof CATALOGUES;

/** Every language of the checkout under its own name. */
export const LANGUAGES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  pt: 'Português',
};

export type Say = (
  key: keyof (Messages & RefundMessages),
  values?: Readonly<Record<string, string | number>>,
) => string;

/** The texts of one language, with `{name}` filled in. */
export function speak(language: Language): Say {
  const texts = CATALOGUES[language];
  return (key, values = {}) =>
    texts[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

function asLanguage(tag: string): Language | null {
  const code = tag.trim().split('-')[0]?.toLowerCase() ?? '';
  return Object.hasOwn(CATALOGUES, code) ? (code as Language) : null;
}

/**
 * The language that the payer picked, else that of the shop's order, else the browser's favourite that there is a
 * catalogue of, else English.
 */
export function chooseLanguage(
  picked: unknown,
  accepted: readonly string[],
  locale: string | null = null,
): Language {
  const wanted = [...(typeof picked === 'string' ? [picked] : []), ...(locale === null ? [] : [locale])];
  return [...wanted, ...accepted].map(asLanguage).find((language) => language !== null) ?? 'en';
}
