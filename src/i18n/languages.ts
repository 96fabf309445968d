/** Languages of the payers' pages and the mails; the files in each folder of `locales`. */
export const LANGUAGES = ['en', 'de', 'es', 'fr', 'it', 'nl', 'pl', 'pt', 'ar'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Languages of the dashboard. */
export const DASHBOARD_LANGUAGES = [
  'en',
  'de',
  'es',
  'fr',
  'it',
  'nl',
  'pl',
  'pt',
  'ar',
] as const satisfies readonly Language[];
export type DashboardLanguage = (typeof DASHBOARD_LANGUAGES)[number];

/** Each language under its own name, in the order it is shown. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  it: 'Italiano',
  nl: 'Nederlands',
  pl: 'Polski',
  pt: 'Português',
  ar: 'العربية',
};

/** The language of a BCP 47 tag such as `de-AT`; null when there are no texts in it. */
export function parseLanguage(tag: string): Language | null {
  const code = tag.trim().split('-')[0]?.toLowerCase() ?? '';
  return LANGUAGES.find((language) => language === code) ?? null;
}

/** The value of the HTML attribute `dir`. */
export function textDirection(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}

/** The language of a PDF: its layout is from left to right only. */
export function printLanguage(language: Language): Exclude<Language, 'ar'> {
  return language === 'ar' ? 'en' : language;
}

/**
 * The locale that formats numbers and dates for the readers of a BCP 47 tag. In Arabic with the digits of addresses and
 * amounts, and the calendar of books and deadlines, which not every Arabic region has by default.
 */
export function formatLocale(tag: string): string {
  if (parseLanguage(tag) !== 'ar') return tag;
  return new Intl.Locale(tag, { numberingSystem: 'latn', calendar: 'gregory' }).toString();
}
