import { de } from './de';
import { en, type Messages } from './en';
import { es } from './es';
import { fr } from './fr';
import { pt } from './pt';

const LANGUAGES = { en, de, es, fr, pt } satisfies Record<string, Messages>;

export type Language = keyof typeof LANGUAGES;

export function messagesIn(language: Language): Messages {
  return LANGUAGES[language];
}

interface Asking {
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: { readonly 'accept-language'?: string };
}

/** By `?lang=de`, else by the browser's setting. */
export function detectLanguage({ query, headers }: Asking): Language {
  const accepted = (headers['accept-language'] ?? '').split(',');
  for (const each of [query['lang'], ...accepted]) {
    if (typeof each !== 'string') continue;
    const primary = each.trim().slice(0, 2).toLowerCase();
    if (Object.hasOwn(LANGUAGES, primary)) return primary as Language;
  }
  return 'en';
}

/** A note in a language. A code of another version is shown as it is. */
export function noteText(language: Language, code: string, values: Readonly<Record<string, string>>): string {
  const { notes } = LANGUAGES[language];
  const text = Object.hasOwn(notes, code) ? notes[code as keyof typeof notes] : code;
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
