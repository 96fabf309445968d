import { createElement, Fragment, type ReactNode } from 'react';
import type { Catalogue } from './catalogue.ts';
import { language, type Language } from './language.ts';

type Values = Readonly<Record<string, string | number>>;

const CATALOGUES: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Catalogue>>> = {
  de: async () => (await import('./de.ts')).de,
  es: async () => (await import('./es.ts')).es,
  fr: async () => (await import('./fr.ts')).fr,
  pt: async () => (await import('./pt.ts')).pt,
};

let catalogue: Catalogue = {};

/** Loads the texts of the chosen language: once, before any module is loaded that says something. */
export async function loadTexts(): Promise<void> {
  document.documentElement.lang = language;
  if (language !== 'en') catalogue = await CATALOGUES[language]();
}

/** A text in the chosen language. The argument is a literal, from which the catalogues are checked. */
export function t(english: string, values: Values = {}): string {
  return (catalogue[english] ?? english).replace(/\{(\w+)\}/g, (whole, name: string) =>
    String(values[name] ?? whole),
  );
}

const rules = new Intl.PluralRules(language);

/** One form for one and another for many: `plural(n, '{count} payment', '{count} payments')`. */
export function plural(count: number, one: string, many: string, values: Values = {}): string {
  const text = rules.select(count) === 'one' ? one : many;
  return t(text, { count: new Intl.NumberFormat(language).format(count), ...values });
}

/** A sentence with elements in it: `parts('Read {link} first', { link: <a … /> })`. */
export function parts(english: string, elements: Readonly<Record<string, ReactNode>>): ReactNode[] {
  const pieces = (catalogue[english] ?? english).split(/\{(\w+)\}/g);
  return pieces.map((piece, at) =>
    createElement(Fragment, { key: at }, at % 2 === 0 ? piece : elements[piece]),
  );
}
