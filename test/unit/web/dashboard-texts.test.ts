/** The translations of the dashboard, compared with what its pages say. */
import { describe, expect, it } from 'vitest';
import { readLocale } from '../../_helpers/locales.ts';
import { readSource, readTexts } from './texts.ts';

const { said, faults } = readTexts();
const english = [...said.keys()];

describe('the check for untranslated texts of the dashboard', () => {
  it('finds texts in the sources of the dashboard', () => {
    expect(english.length).toBeGreaterThan(400);
    expect(english).toEqual(expect.arrayContaining(['Sign in', 'Payments', '{count} payments match']));
  });

  it('requires every text as a literal, with all its placeholder values', () => {
    expect(faults).toEqual([]);
  });

  it.each([
    ['<p>Sign in</p>', 'words between tags'],
    ['<p>{isIn ? t("Out") : "Sign in"}</p>', 'words in a branch'],
    ['<Card title="Sign in" />', 'words in an attribute'],
    ['<Row name="Created" />', 'the name of a row'],
    ['<p>{t(text)}</p>', 'a text that is not a literal'],
    ['<p>{plural(n, "One", many)}</p>', 'a plural that is not a literal'],
    ['<p>{t("To {name}", { role })}</p>', 'a text that lacks a value'],
    ['<p>{parts("Read {link}", {})}</p>', 'a sentence that lacks an element'],
  ])('reports %s as an error: %s', (source) => {
    expect(readSource('page.tsx', source).faultsHere).toHaveLength(1);
  });

  it.each([
    '<img src="/icon.svg" alt="" />',
    '<b className="font-bold big">{amount} ms</b>',
    '<a to="/Shops" />',
    '<input name="successUrl" />',
    '<p>{t("To {name}", { name })}</p>',
    '<p>{t("To {name}", values)}</p>',
    '<p>{plural(n, "{count} payment", "{count} payments")}</p>',
  ])('does not report %s', (source) => {
    expect(readSource('page.tsx', source).faultsHere).toEqual([]);
  });
});

describe.each(['de', 'es', 'fr', 'pt'])('the dashboard in %s', (language) => {
  const translations = readLocale('dashboard', language);

  it('has a translation of every text, no unused one, and all in alphabetical order', () => {
    const missing = english.filter((text) => translations[text] === undefined);
    const unused = Object.keys(translations).filter((text) => !said.has(text));
    expect({ missing, unused }).toEqual({ missing: [], unused: [] });
    expect(Object.keys(translations)).toEqual(Object.keys(translations).toSorted());
  });
});
