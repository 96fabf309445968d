/** The texts in `locales`, compared with each other and with what the sources say. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KIND_OF_REASON, NOTICE_REASONS, SHOP_NOTICES } from '../../../src/domain/notices.ts';
import { interpolate, splitPlaceholders } from '../../../src/i18n/interpolate.ts';
import { LANGUAGES, parseLanguage } from '../../../src/i18n/languages.ts';
import { listLocales, placeholders, readLocale, readLocaleFile } from '../../_helpers/locales.ts';
import { readSaid } from './said.ts';

const LOCALES = listLocales();
const ALL = [...LANGUAGES].toSorted();
const TRANSLATIONS = ALL.filter((language) => language !== 'en');

describe('locales', () => {
  it('have a file for each language and area, except English where the English text is the key', () => {
    expect(LOCALES).toEqual({
      'account-mails': ALL,
      checkout: ALL,
      dashboard: TRANSLATIONS,
      'month-report': ALL,
      'notice-mails': ALL,
      'payment-link-page': ALL,
      'refund-page': ALL,
      'subscription-mails': ALL,
      'subscription-page': ALL,
    });
  });

  describe.each(Object.entries(LOCALES))('%s', (area, languages) => {
    const [first = ''] = languages.filter((language) => language === 'en' || !languages.includes('en'));
    const model = readLocale(area, first);

    it.each(languages)('contains no key twice in %s and is formatted as by JSON.stringify', (language) => {
      const file = readLocaleFile(area, language);
      expect(file).toBe(`${JSON.stringify(JSON.parse(file), null, 2)}\n`);
    });

    it.each(languages)('has the same keys in %s as in the other languages, in one order', (language) => {
      expect(Object.keys(readLocale(area, language))).toEqual(Object.keys(model));
    });

    it.each(languages)('keeps every placeholder in %s, and leaves no text empty', (language) => {
      for (const [key, text] of Object.entries(readLocale(area, language))) {
        const english = languages.includes('en') ? (model[key] ?? '') : key;
        expect([key, placeholders(text)]).toEqual([key, placeholders(english)]);
        expect([key, text.trim()]).not.toEqual([key, '']);
      }
    });
  });
});

describe('the texts of payers’ pages', () => {
  const { sayings, strings } = readSaid('src/{http,usecases}/**/*.ts', new Set(['say', 'common']));
  const ofLinks = sayings.filter(({ where, by }) => by === 'say' && where.includes('/links/'));
  const ofSubscriptions = sayings.filter(
    ({ where, by }) => by === 'say' && where.includes('/subscription-page/'),
  );
  const others = [...ofLinks, ...ofSubscriptions];
  const ofCheckout = sayings.filter((saying) => !others.includes(saying));

  it.each([
    ['checkout', ofCheckout],
    ['refund-page', ofCheckout],
    ['payment-link-page', ofLinks],
    ['subscription-page', ofSubscriptions],
  ])('are all used by the code in %s, with a value for each placeholder', (area, said) => {
    const texts = readLocale(area, 'en');
    const unused = Object.keys(texts).filter((key) => !strings.some((pattern) => pattern.test(key)));
    const lacking = said.filter(({ key, values }) =>
      placeholders(texts[key] ?? '').some((name) => values?.includes(name) === false),
    );
    expect(said.length).toBeGreaterThan(15);
    expect({ unused, lacking }).toEqual({ unused: [], lacking: [] });
  });
});

describe('the texts of notice mails', () => {
  const keys = Object.keys(readLocale('notice-mails', 'en'));
  const keysIn = (group: string) =>
    keys.filter((key) => key.startsWith(`${group}.`)).map((key) => key.slice(group.length + 1));

  it('have a subject and a body for each reason, a name for each kind, and no others', () => {
    expect(keysIn('subjects')).toEqual(NOTICE_REASONS);
    expect(keysIn('bodies')).toEqual(NOTICE_REASONS);
    const kinds = new Set<string>([...Object.values(KIND_OF_REASON), ...SHOP_NOTICES]);
    expect(keysIn('kinds').toSorted()).toEqual([...kinds].toSorted());
  });

  it('are all used by a notice', () => {
    const sources = globSync('src/**/*.ts')
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    const unused = keys.filter(
      (key) =>
        !key.includes('.') && !sources.includes(`texts.${key}`) && !sources.includes(`(language).${key}`),
    );
    expect(unused).toEqual([]);
  });
});

describe('interpolate', () => {
  it('fills in values and leaves placeholders without a value unchanged', () => {
    expect(interpolate('{a} of {b}, {c}', { a: 1, b: '{a}' })).toBe('1 of {a}, {c}');
  });

  it('ignores braces that contain no placeholder name', () => {
    expect(interpolate('{} { a } {a-b}', { a: 1 })).toBe('{} { a } {a-b}');
  });
});

describe('splitPlaceholders', () => {
  it('returns literal pieces at even indices and names between them', () => {
    expect(splitPlaceholders('Read {link} first')).toEqual(['Read ', 'link', ' first']);
    expect(splitPlaceholders('{link}')).toEqual(['', 'link', '']);
  });
});

describe('parseLanguage', () => {
  it.each([
    ['de', 'de'],
    [' PT-br', 'pt'],
    ['de-AT-1996', 'de'],
    ['it', null],
    ['', null],
    ['constructor', null],
  ])('reads %j as %j', (tag, language) => {
    expect(parseLanguage(tag)).toBe(language);
  });
});
