import ar from '../../../locales/payment-link-page/ar.json' with { type: 'json' };
import de from '../../../locales/payment-link-page/de.json' with { type: 'json' };
import en from '../../../locales/payment-link-page/en.json' with { type: 'json' };
import es from '../../../locales/payment-link-page/es.json' with { type: 'json' };
import fr from '../../../locales/payment-link-page/fr.json' with { type: 'json' };
import it from '../../../locales/payment-link-page/it.json' with { type: 'json' };
import nl from '../../../locales/payment-link-page/nl.json' with { type: 'json' };
import pl from '../../../locales/payment-link-page/pl.json' with { type: 'json' };
import pt from '../../../locales/payment-link-page/pt.json' with { type: 'json' };
import { interpolate, type Values } from '../../i18n/interpolate.ts';
import type { Language } from '../../i18n/languages.ts';
import { createTranslator, type Translate } from '../checkout/negotiate-language.ts';

type LinkText = keyof typeof en;

const TEXTS: Readonly<Record<Language, Readonly<Record<LinkText, string>>>> = {
  en,
  de,
  es,
  fr,
  it,
  nl,
  pl,
  pt,
  ar,
};

export type SayLink = (key: LinkText, values?: Values) => string;

/** The texts of the links' pages in one language, and those of the checkout that they share. */
export function speakLink(language: Language): { readonly say: SayLink; readonly common: Translate } {
  const texts = TEXTS[language];
  return { say: (key, values = {}) => interpolate(texts[key], values), common: createTranslator(language) };
}
