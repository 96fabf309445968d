import checkoutAr from '../../../locales/checkout/ar.json' with { type: 'json' };
import checkoutDe from '../../../locales/checkout/de.json' with { type: 'json' };
import checkoutEn from '../../../locales/checkout/en.json' with { type: 'json' };
import checkoutEs from '../../../locales/checkout/es.json' with { type: 'json' };
import checkoutFr from '../../../locales/checkout/fr.json' with { type: 'json' };
import checkoutIt from '../../../locales/checkout/it.json' with { type: 'json' };
import checkoutNl from '../../../locales/checkout/nl.json' with { type: 'json' };
import checkoutPl from '../../../locales/checkout/pl.json' with { type: 'json' };
import checkoutPt from '../../../locales/checkout/pt.json' with { type: 'json' };
import refundAr from '../../../locales/refund-page/ar.json' with { type: 'json' };
import refundDe from '../../../locales/refund-page/de.json' with { type: 'json' };
import refundEn from '../../../locales/refund-page/en.json' with { type: 'json' };
import refundEs from '../../../locales/refund-page/es.json' with { type: 'json' };
import refundFr from '../../../locales/refund-page/fr.json' with { type: 'json' };
import refundIt from '../../../locales/refund-page/it.json' with { type: 'json' };
import refundNl from '../../../locales/refund-page/nl.json' with { type: 'json' };
import refundPl from '../../../locales/refund-page/pl.json' with { type: 'json' };
import refundPt from '../../../locales/refund-page/pt.json' with { type: 'json' };
import { interpolate, type Values } from '../../i18n/interpolate.ts';
import { parseLanguage, type Language } from '../../i18n/languages.ts';

const english = { ...checkoutEn, ...refundEn };
export type CheckoutText = keyof typeof english;

const TEXTS: Readonly<Record<Language, Readonly<Record<CheckoutText, string>>>> = {
  en: english,
  de: { ...checkoutDe, ...refundDe },
  es: { ...checkoutEs, ...refundEs },
  fr: { ...checkoutFr, ...refundFr },
  it: { ...checkoutIt, ...refundIt },
  nl: { ...checkoutNl, ...refundNl },
  pl: { ...checkoutPl, ...refundPl },
  pt: { ...checkoutPt, ...refundPt },
  ar: { ...checkoutAr, ...refundAr },
};

export type Translate = (key: CheckoutText, values?: Values) => string;

/** The texts of the checkout and the refund page in one language. */
export function createTranslator(language: Language): Translate {
  const texts = TEXTS[language];
  return (key, values = {}) => interpolate(texts[key], values);
}

/**
 * The language that the payer chose, else that of the payment, else the browser's preferred one that is
 * available, else English.
 */
export function negotiateLanguage(
  picked: unknown,
  accepted: readonly string[],
  locale: string | null = null,
): Language {
  const wanted = [...(typeof picked === 'string' ? [picked] : []), ...(locale === null ? [] : [locale])];
  return [...wanted, ...accepted].map(parseLanguage).find((language) => language !== null) ?? 'en';
}
