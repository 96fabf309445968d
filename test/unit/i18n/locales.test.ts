/** The texts in `locales`, compared with each other and with what the sources say. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KIND_OF_REASON, NOTICE_REASONS, SHOP_NOTICES } from '../../../src/domain/notices.ts';
import { markSymbol } from '../../../src/i18n/currency-symbol.ts';
import { interpolate, splitPlaceholders } from '../../../src/i18n/interpolate.ts';
import {
  DASHBOARD_LANGUAGES,
  formatLocale,
  LANGUAGES,
  parseLanguage,
  textDirection,
} from '../../../src/i18n/languages.ts';
import { toLatinDigits } from '../../../src/i18n/latin-digits.ts';
import {
  listLocales,
  parsePluralKey,
  placeholders,
  readLocale,
  readLocaleFile,
} from '../../_helpers/locales.ts';
import { readSaid } from './said.ts';

const LOCALES = listLocales();
const ALL = [...LANGUAGES].toSorted();
const TRANSLATIONS = DASHBOARD_LANGUAGES.filter((language) => language !== 'en').toSorted();

describe('locales', () => {
  it('have a file for each language and area, except English where the English text is the key', () => {
    expect(LOCALES).toEqual({
      'account-mails': ALL,
      checkout: ALL,
      counter: ALL,
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
      const keys = Object.keys(readLocale(area, language)).filter((key) => parsePluralKey(key) === null);
      expect(keys).toEqual(Object.keys(model).filter((key) => parsePluralKey(key) === null));
    });

    it.each(languages)('keeps every placeholder in %s, and leaves no text empty', (language) => {
      for (const [key, text] of Object.entries(readLocale(area, language))) {
        if (parsePluralKey(key) !== null) continue;
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

describe('the texts of the counter', () => {
  it('are all used by its page, with a value for each placeholder', () => {
    const { sayings, strings } = readSaid('src/web/counter/*.ts', new Set(['say']));
    const texts = readLocale('counter', 'en');
    // In the document itself, and in the manifest.
    const ofDocument = new Set(['title', 'description']);
    const unused = Object.keys(texts).filter(
      (key) => !ofDocument.has(key) && !strings.some((pattern) => pattern.test(key)),
    );
    const lacking = sayings.filter(({ key, values }) =>
      placeholders(texts[key] ?? '').some((name) => values?.includes(name) === false),
    );
    expect(sayings.length).toBeGreaterThan(15);
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

  it('isolates values in a right-to-left text, except empty ones', () => {
    const values = { amount: '0.5 BTC', shop: 'قهوة', none: '' };
    expect(interpolate('ادفع {amount} إلى {shop}{none}', values)).toBe(
      'ادفع \u20680.5 BTC\u2069 إلى \u2068قهوة\u2069',
    );
    expect(interpolate('{shop}: {amount}', values)).toBe('قهوة: 0.5 BTC');
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
    ['nl-BE', 'nl'],
    ['ar-EG', 'ar'],
    ['ja', null],
    ['', null],
    ['constructor', null],
  ])('reads %j as %j', (tag, language) => {
    expect(parseLanguage(tag)).toBe(language);
  });
});

describe('textDirection', () => {
  it('is right to left for the languages whose texts are', () => {
    const rightToLeft = LANGUAGES.filter((language) => textDirection(language) === 'rtl');
    expect(rightToLeft).toEqual(['ar']);
    for (const language of LANGUAGES) {
      const isArabic = /\p{Script=Arabic}/u.test(readLocale('checkout', language)['amount'] ?? '');
      expect([language, isArabic]).toEqual([language, rightToLeft.includes(language)]);
    }
  });
});

describe('formatLocale', () => {
  it.each(['ar', 'ar-EG', 'ar-SA'])('formats with Latin digits and the Gregorian calendar for %s', (tag) => {
    const locale = formatLocale(tag);
    expect(new Intl.NumberFormat(locale).format(1_234.5)).toMatch(/^1.234.5$/);
    expect(new Intl.DateTimeFormat(locale, { year: 'numeric', timeZone: 'UTC' }).format(0)).toContain('1970');
  });

  it.each(['en', 'de-AT', 'pl'])('leaves %s unchanged', (tag) => {
    expect(formatLocale(tag)).toBe(tag);
  });
});

function markedPrice(locale: string, currency: string): string {
  return markSymbol(new Intl.NumberFormat(locale, { style: 'currency', currency }).format(99));
}

describe('markSymbol', () => {
  it.each([
    ['USD', '\u200f99.00 US$\u200e'],
    ['GBP', '\u200f99.00 UK£\u200e'],
    ['EUR', '\u200f99.00 €'],
    ['SAR', '\u200f99.00 ر.س.\u200f'],
  ])('keeps the letters of %s before its sign in Arabic', (currency, text) => {
    expect(markedPrice(formatLocale('ar'), currency).replaceAll('\u00a0', ' ')).toBe(text);
  });

  it.each(['en', 'es', 'fr', 'pt'])('leaves amounts in %s unchanged', (locale) => {
    expect(markedPrice(locale, 'USD')).not.toMatch(/[\u200e\u200f]/);
  });
});

describe('toLatinDigits', () => {
  it.each([
    ['١٢٫٥٠', '12.50'],
    ['١٬٢٣٤', '1,234'],
    ['۱۲', '12'],
    ['12.50', '12.50'],
  ])('reads %j as %j', (typed, number) => {
    expect(toLatinDigits(typed)).toBe(number);
  });
});
