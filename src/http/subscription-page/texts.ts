import ar from '../../../locales/subscription-page/ar.json' with { type: 'json' };
import de from '../../../locales/subscription-page/de.json' with { type: 'json' };
import en from '../../../locales/subscription-page/en.json' with { type: 'json' };
import es from '../../../locales/subscription-page/es.json' with { type: 'json' };
import fr from '../../../locales/subscription-page/fr.json' with { type: 'json' };
import it from '../../../locales/subscription-page/it.json' with { type: 'json' };
import nl from '../../../locales/subscription-page/nl.json' with { type: 'json' };
import pl from '../../../locales/subscription-page/pl.json' with { type: 'json' };
import pt from '../../../locales/subscription-page/pt.json' with { type: 'json' };
import type { RecurringInterval } from '../../domain/catalog.ts';
import { interpolate, type Values } from '../../i18n/interpolate.ts';
import type { Language } from '../../i18n/languages.ts';
import { createTranslator, type Translate } from '../checkout/negotiate-language.ts';

type PortalText = keyof typeof en;

const TEXTS: Readonly<Record<Language, Readonly<Record<PortalText, string>>>> = {
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

export type SayPortal = (key: PortalText, values?: Values) => string;

const INTERVALS = {
  daily: 'perDay',
  weekly: 'perWeek',
  monthly: 'perMonth',
  quarterly: 'perQuarter',
  yearly: 'perYear',
} as const satisfies Record<RecurringInterval, PortalText>;

/** A formatted price with its interval, such as `$10.00 per month`. */
export function pricePerInterval(language: Language, interval: RecurringInterval, amount: string): string {
  return interpolate(TEXTS[language][INTERVALS[interval]], { amount });
}

/** The texts of the pages of subscriptions in one language, and those of the checkout that they share. */
export function speakPortal(language: Language): { readonly say: SayPortal; readonly common: Translate } {
  const texts = TEXTS[language];
  return { say: (key, values = {}) => interpolate(texts[key], values), common: createTranslator(language) };
}
