/** Languages of the dashboard, the payers' pages and the mails; the files in each folder of `locales`. */
export const LANGUAGES = ['en', 'de', 'es', 'fr', 'pt'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each language under its own name, in the order it is shown. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  pt: 'Português',
};

/** The language of a BCP 47 tag such as `de-AT`; null when there are no texts in it. */
export function parseLanguage(tag: string): Language | null {
  const code = tag.trim().split('-')[0]?.toLowerCase() ?? '';
  return LANGUAGES.find((language) => language === code) ?? null;
}
