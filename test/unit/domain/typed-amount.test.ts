import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTypedAmount } from '../../../src/domain/typed-amount.ts';
import { formatLocale, LANGUAGES } from '../../../src/i18n/languages.ts';

const EN = { decimal: '.', group: ',' };
const DE = { decimal: ',', group: '.' };
const FR = { decimal: ',', group: '\u202f' };

describe("parseTypedAmount of a user's input", () => {
  it.each([
    ['12,50', EN, 2, '12.50'],
    ['12.50', EN, 2, '12.50'],
    ['12,50', DE, 2, '12.50'],
    ['12.50', DE, 2, '12.50'],
    ['12.5', FR, 2, '12.5'],
    ['1,234.50', EN, 2, '1234.50'],
    ['1.234,50', EN, 2, '1234.50'],
    ['1.234,50', DE, 2, '1234.50'],
    ['1\u202f234,50', FR, 2, '1234.50'],
    ["1'234.50", DE, 2, '1234.50'],
    ['1.234.567', DE, 2, '1234567'],
    ['1,234', EN, 2, '1234'],
    ['1.234', DE, 2, '1234'],
    ['1.000', DE, 0, '1000'],
    ['1,234', DE, 3, '1.234'],
    ['1.234', EN, 3, '1.234'],
    ['007', EN, 2, '7'],
    ['0.5', EN, 2, '0.5'],
    [',5', DE, 2, '0.5'],
    ['12,', DE, 2, '12'],
    [' 5 ', EN, 2, '5'],
  ])('parses %s', (text, signs, digits, amount) => {
    expect(parseTypedAmount(text, signs, digits)).toBe(amount);
  });

  it.each([
    ['', EN, 2],
    ['abc', EN, 2],
    ['-5', EN, 2],
    ['1e3', EN, 2],
    ['12.345', EN, 2],
    ['1.234', FR, 2],
    ['12,34,56', EN, 2],
    ['1.2.3', EN, 2],
    ['1,234,56', EN, 2],
    ['1.234,567.8', EN, 2],
    ['12.5', EN, 0],
    ['.', EN, 2],
    ['٣', EN, 2],
    ['1,2345.50', EN, 2],
    ['9'.repeat(41), EN, 2],
  ])('rejects %s', (text, signs, digits) => {
    expect(parseTypedAmount(text, signs, digits)).toBeNull();
  });

  it('parses amounts as the pages format them, in every language', () => {
    const written = fc.tuple(fc.integer({ min: 0, max: 99_999_999_999 }), fc.constantFrom(0, 2, 3));
    fc.assert(
      fc.property(written, fc.constantFrom(...LANGUAGES.map(formatLocale)), ([minor, digits], language) => {
        const parts = new Intl.NumberFormat(language).formatToParts(12_345.6);
        const sign = (type: string): string => parts.find((part) => part.type === type)?.value ?? '';
        const text = (minor / 10 ** digits).toFixed(digits);
        const shown = new Intl.NumberFormat(language, { minimumFractionDigits: digits }).format(
          text as `${number}`,
        );
        const signs = { decimal: sign('decimal'), group: sign('group') };
        expect(parseTypedAmount(shown, signs, digits)).toBe(text);
      }),
    );
  });
});
