import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = 'locales';

/** The texts of one area in one language by key; those that are grouped, as `group.key`. */
export function readLocale(area: string, language: string): Record<string, string> {
  return flatten(JSON.parse(readLocaleFile(area, language)) as Grouped);
}

export function readLocaleFile(area: string, language: string): string {
  return readFileSync(`${ROOT}/${area}/${language}.json`, 'utf8');
}

/** Every area, and the languages that it has texts in. */
export function listLocales(): Record<string, string[]> {
  const files = readdirSync(ROOT).map((area) => {
    const languages = readdirSync(join(ROOT, area)).map((file) => basename(file, '.json'));
    return [area, languages.toSorted()] as const;
  });
  return Object.fromEntries(files);
}

/** The names that a text has values filled in for. */
export function placeholders(text: string): string[] {
  return (text.match(/(?<=\{)\w+(?=\})/g) ?? []).toSorted();
}

/** The plural and the category of a further plural form, such as `{count} payments|few`; null for another key. */
export function parsePluralKey(key: string): { readonly many: string; readonly category: string } | null {
  const [, many, category] = /^(.*)\|(zero|two|few|many)$/.exec(key) ?? [];
  return many === undefined || category === undefined ? null : { many, category };
}

type Grouped = { readonly [key: string]: string | Grouped };

function flatten(texts: Grouped, group = ''): Record<string, string> {
  const flat = Object.entries(texts).map(([key, text]) =>
    typeof text === 'string' ? { [group + key]: text } : flatten(text, `${group}${key}.`),
  );
  return Object.assign({}, ...flat) as Record<string, string>;
}
