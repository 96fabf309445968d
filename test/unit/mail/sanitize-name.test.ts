import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameForBody, nameForSubject } from '../../../src/usecases/mail/sanitize-name.ts';

/** What programs that show mails make a link of: a scheme, an address, a host with a domain. */
const LINK = /\w:\/\/|\S@\S|\S[.。．｡]\S|www\S/u;

describe('nameForSubject of a shop in an email', () => {
  it.each([
    'Blumen Müller',
    'Café 21',
    'O’Neill & Sons Ltd.',
    '寿司 東京',
    'L’Épicerie',
    'St. Mary’s Bakery',
    '24 Hours 7 Days',
    'Pizza 2000 No. 1',
    'ラーメン',
  ])('keeps the name of an ordinary shop: %s', (name) => expect(nameForSubject(name, 'A shop')).toBe(name));

  it.each([
    'Your account is locked, call us now',
    'evil.example',
    'Prize: https://evil.example/x',
    'Bank (evil.example)',
    'Write to boss@evil.example',
    'Call 0800 123 456',
    'Call +1-202-555-0143',
    'Call ０８００１２３４５６',
    'Call ٠٨٠٠١٢٣٤٥٦',
    'Call 0800’123’456',
    'Call 0800+123+456',
    'paypalꓸcom',
    'Shop\r\nBcc: victim@example.com',
    'a'.repeat(41),
    '\u202egro.live',
    '。evil。example',
    '',
    ' ',
  ])('replaces a name that could imitate another message: %j', (name) =>
    expect(nameForSubject(name, 'A shop')).toBe('A shop'),
  );

  it('never contains a link, a phone number or more than five words', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.webUrl(), fc.emailAddress()), (name) => {
        const shown = nameForSubject(name, 'A shop');
        expect(shown).not.toMatch(LINK);
        expect(shown).not.toMatch(/(?:\d[ .-]?){6}/);
        expect(shown.split(/\s/).length).toBeLessThanOrEqual(5);
        expect(shown).not.toBe('');
      }),
    );
  });
});

describe('nameForBody of a shop in an email', () => {
  it('writes the name on one line, without anything that mail clients turn into a link', () => {
    expect(nameForBody('Blumen Müller')).toBe('Blumen Müller');
    expect(nameForBody('a\nb')).toBe('a b');
    expect(nameForBody('shop.example')).toBe('shop.\u200bexample');
    expect(nameForBody('x'.repeat(255))).toHaveLength(80);
  });

  it('breaks every link so that mail clients do not show it as one', () => {
    const anything = fc.oneof(fc.string({ unit: 'grapheme' }), fc.webUrl(), fc.emailAddress());
    fc.assert(
      fc.property(anything, (name) => {
        const words = nameForBody(name).split(/[\s\u200b]/u);
        for (const word of words) expect(word.slice(0, -1)).not.toMatch(/[.@:/\\]/);
      }),
    );
  });
});
