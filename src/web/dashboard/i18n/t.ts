import { createElement, Fragment, type ReactNode } from 'react';
import type de from '../../../../locales/dashboard/de.json';
import { interpolate, splitPlaceholders, type Values } from '../../../i18n/interpolate.ts';
import type { DashboardLanguage } from '../../../i18n/languages.ts';
import { direction, language, locale } from './language.ts';
import { pluralText } from './plural-text.ts';

/** A text of the dashboard, in English: the key of its translations. */
type Text = keyof typeof de;
type Texts = Readonly<Record<Text, string>>;

const TRANSLATIONS: Readonly<Record<Exclude<DashboardLanguage, 'en'>, () => Promise<{ default: Texts }>>> = {
  de: () => import('../../../../locales/dashboard/de.json'),
  es: () => import('../../../../locales/dashboard/es.json'),
  fr: () => import('../../../../locales/dashboard/fr.json'),
  it: () => import('../../../../locales/dashboard/it.json'),
  nl: () => import('../../../../locales/dashboard/nl.json'),
  pl: () => import('../../../../locales/dashboard/pl.json'),
  pt: () => import('../../../../locales/dashboard/pt.json'),
  ar: () => import('../../../../locales/dashboard/ar.json'),
};

let translations: Texts | null = null;

/** Loads the texts of the chosen language, before any module is loaded that uses texts. */
export async function loadTexts(): Promise<void> {
  document.documentElement.lang = language;
  document.documentElement.dir = direction;
  if (language !== 'en') translations = (await TRANSLATIONS[language]()).default;
}

/** The text in the chosen language. The argument must be a literal, because the translations are checked by it. */
export function t(english: Text, values: Values = {}): string {
  return interpolate(translations?.[english] ?? english, values);
}

const rules = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(locale);

/** Singular and plural: `plural(n, '{count} payment', '{count} payments')`. */
export function plural(count: number, one: Text, many: Text, values: Values = {}): string {
  const text = pluralText(translations ?? {}, rules.select(count), { one, many });
  return interpolate(text, { count: numbers.format(count), ...values });
}

/** A sentence that contains elements: `parts('Read {link} first', { link: <a … /> })`. */
export function parts(english: Text, elements: Readonly<Record<string, ReactNode>>): ReactNode[] {
  const pieces = splitPlaceholders(translations?.[english] ?? english);
  const wrapper = direction === 'rtl' ? 'bdi' : Fragment;
  return pieces.map((piece, at) =>
    at % 2 === 0
      ? createElement(Fragment, { key: at }, piece)
      : createElement(wrapper, { key: at }, elements[piece]),
  );
}
