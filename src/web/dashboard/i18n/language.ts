import { parseLanguage, type Language } from '../../../i18n/languages.ts';

const STORED_AS = 'tilld.language';

function stored(): string | null {
  try {
    return localStorage.getItem(STORED_AS);
  } catch {
    // Storage can be switched off; the browser's languages count then.
    return null;
  }
}

/** Whether the language was picked in this browser, not only found. */
export const isLanguagePicked: boolean = parseLanguage(stored() ?? '') !== null;

/** The language picked in this browser, else its first one that there are texts in, else English. */
export const language: Language =
  [stored() ?? '', ...navigator.languages].map(parseLanguage).find((known) => known !== null) ?? 'en';

/** How numbers and dates are written: as the browser's own variety of the language has it, such as `de-AT`. */
export const locale: string = navigator.languages.find((tag) => parseLanguage(tag) === language) ?? language;

/** Keeps the choice and starts the pages again in that language. */
export function chooseLanguage(chosen: Language): void {
  try {
    localStorage.setItem(STORED_AS, chosen);
  } catch {
    return;
  }
  window.location.reload();
}
