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
  const code = tag.trim().slice(0, 2).toLowerCase();
  return Object.hasOwn(CATALOGUES, code) ? (code as Language) : null;
}

/** The language asked for by name, else the browser's favourite that we have, else English. */
export function chooseLanguage(asked: unknown, accepted: readonly string[]): Language {
  const wanted = typeof asked === 'string' ? asLanguage(asked) : null;
  return wanted ?? accepted.map(asLanguage).find((language) => language !== null) ?? 'en';
}
