/** Every language of the dashboard under its own name; the checkout has the same ones. */
export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  pt: 'Português',
} as const;
export type Language = keyof typeof LANGUAGES;

/** The same as pairs, in the order they are shown. */
export const LANGUAGE_NAMES = Object.entries(LANGUAGES) as [Language, string][];

const STORED_AS = 'tilld.language';

function asLanguage(tag: string): Language | null {
  const code = tag.split('-')[0]?.toLowerCase() ?? '';
  return Object.hasOwn(LANGUAGES, code) ? (code as Language) : null;
}

function stored(): string | null {
  try {
    return localStorage.getItem(STORED_AS);
  } catch {
    // Storage can be switched off; the browser's languages count then.
    return null;
  }
}

/** Whether the language was picked in this browser, not only found. */
export const isLanguagePicked: boolean = asLanguage(stored() ?? '') !== null;

/** The language picked in this browser, else its first one that there is a catalogue of, else English. */
export const language: Language =
  [stored() ?? '', ...navigator.languages].map(asLanguage).find((known) => known !== null) ?? 'en';

/** How numbers and dates are written: as the browser's own variety of the language has it, such as `de-AT`. */
export const locale: string = navigator.languages.find((tag) => asLanguage(tag) === language) ?? language;

/** Keeps the choice and starts the pages again in that language. */
export function chooseLanguage(chosen: Language): void {
  try {
    localStorage.setItem(STORED_AS, chosen);
  } catch {
    return;
  }
  window.location.reload();
}
