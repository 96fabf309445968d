import {
  DASHBOARD_LANGUAGES,
  formatLocale,
  textDirection,
  type DashboardLanguage,
} from '../../../i18n/languages.ts';

const STORED_AS = 'tilld.language';

function stored(): string | null {
  try {
    return localStorage.getItem(STORED_AS);
  } catch {
    // Storage may be disabled; then the browser's languages apply.
    return null;
  }
}

function parseLanguage(tag: string): DashboardLanguage | null {
  const code = tag.split('-')[0]?.toLowerCase();
  return DASHBOARD_LANGUAGES.find((known) => known === code) ?? null;
}

/** Whether the language was chosen in this browser, as opposed to detected. */
export const isLanguagePicked: boolean = parseLanguage(stored() ?? '') !== null;

/** The language chosen in this browser, else the first of its languages that has texts, else English. */
export const language: DashboardLanguage =
  [stored() ?? '', ...navigator.languages].map(parseLanguage).find((known) => known !== null) ?? 'en';

/** The locale of numbers and dates: the browser's own variety of the language, such as `de-AT`. */
export const locale: string = formatLocale(
  navigator.languages.find((tag) => parseLanguage(tag) === language) ?? language,
);

export const direction = textDirection(language);

/** Stores the choice and reloads the pages in that language. */
export function setLanguage(chosen: DashboardLanguage): void {
  try {
    localStorage.setItem(STORED_AS, chosen);
  } catch {
    return;
  }
  window.location.reload();
}
