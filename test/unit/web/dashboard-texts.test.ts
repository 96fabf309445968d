/** The translations of the dashboard, compared with what its pages say. */
import { describe, expect, it } from 'vitest';
import { DASHBOARD_LANGUAGES } from '../../../src/i18n/languages.ts';
import { pluralText } from '../../../src/web/dashboard/i18n/plural-text.ts';
import { parsePluralKey, placeholders, readLocale } from '../../_helpers/locales.ts';
import { readSource, readTexts } from './texts.ts';

const { said, plurals, faults } = readTexts();
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

/** The categories of a language for whole numbers: those of the singular and the plural, and its further ones. */
function furtherCategories(language: string): string[] {
  const rules = new Intl.PluralRules(language);
  const used = new Set(Array.from({ length: 1_000 }, (_, count) => rules.select(count)));
  // The plural without a category is the form of all numbers that no other form is for.
  const plain = used.has('other') ? 'other' : 'many';
  return [...used].filter((category) => category !== 'one' && category !== plain).toSorted();
}

describe.each(DASHBOARD_LANGUAGES.filter((language) => language !== 'en'))(
  'the dashboard in %s',
  (language) => {
    const translations = readLocale('dashboard', language);
    const keys = Object.keys(translations);
    const further = keys.flatMap((key) => parsePluralKey(key) ?? []);

    it('has a translation of every text, no unused one, and all in alphabetical order', () => {
      const missing = english.filter((text) => translations[text] === undefined);
      const unused = keys.filter((key) => parsePluralKey(key) === null && !said.has(key));
      expect({ missing, unused }).toEqual({ missing: [], unused: [] });
      expect(keys).toEqual(keys.toSorted());
    });

    it('has each plural in all forms that the language has for whole numbers, and no others', () => {
      const expected = [...new Set(plurals.values())].flatMap((many) =>
        furtherCategories(language).map((category) => `${many}|${category}`),
      );
      const found = further.map(({ many, category }) => `${many}|${category}`);
      expect(found.toSorted()).toEqual(expected.toSorted());
    });

    it('keeps the placeholders of a plural in every form, the count only where the form stands for several', () => {
      for (const { many, category } of further) {
        const names = placeholders(translations[`${many}|${category}`] ?? '');
        const isOfOneNumber = category === 'zero' || category === 'two';
        const expected = placeholders(many).filter(
          (name) => name !== 'count' || !isOfOneNumber || names.includes(name),
        );
        expect([many, category, names]).toEqual([many, category, expected]);
      }
    });
  },
);

describe('pluralText', () => {
  const texts = { one: '{count} payment', many: '{count} payments' };
  const polish = {
    '{count} payment': '{count} płatność',
    '{count} payments': '{count} płatności',
    '{count} payments|few': '{count} płatności (kilka)',
  };

  it.each([
    [1, '{count} płatność'],
    [2, '{count} płatności (kilka)'],
    [5, '{count} płatności'],
    [12, '{count} płatności'],
    [22, '{count} płatności (kilka)'],
  ])('selects the form of %d in Polish', (count, form) => {
    const category = new Intl.PluralRules('pl').select(count);
    expect(pluralText(polish, category, texts)).toBe(form);
  });

  it('returns the English text without a translation', () => {
    expect(pluralText({}, 'one', texts)).toBe(texts.one);
    expect(pluralText({}, 'many', texts)).toBe(texts.many);
  });
});
