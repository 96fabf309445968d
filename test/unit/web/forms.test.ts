/** What is typed into forms, and what is said about it. */
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hostName } from '../../../src/web/dashboard/ui/host-name.ts';
import { relativeTime, sharesMinute } from '../../../src/web/dashboard/ui/relative-time.ts';

/** Of a module whose types are those of a browser. */
const { fieldWords } = (await import(resolve('src/web/dashboard/ui/field-words.ts'))) as {
  fieldWords: (message: string) => { text: string; isRaw: boolean };
};

describe('hostName of a domain that a user pasted', () => {
  it.each([
    ['shop.example', 'shop.example'],
    ['https://shop.example/', 'shop.example'],
    ['  HTTPS://Shop.Example/cart?x=1#top ', 'shop.example'],
    ['http://user@shop.example:8080/', 'shop.example'],
    ['www.shop.example/cart', 'www.shop.example'],
    ['Shop.Example\u200b', 'shop.example'],
    ['müller.example', 'müller.example'],
  ])('reads %j as %s', (typed, host) => {
    expect(hostName(typed)).toBe(host);
  });

  it.each(['', 'nonsense', 'two words', 'name@'])(
    'returns %j unchanged, for the server to reject',
    (typed) => {
      expect(hostName(typed)).toBe(typed);
    },
  );
});

describe('fieldWords for a validation error of the API', () => {
  it.each([
    ['is required', 'Please fill this in.'],
    ['is required, or priceId', 'Please fill this in.'],
    ['must not be empty', 'Please fill this in.'],
    ['must have at least 8 characters', 'Please use at least 8 characters.'],
    [
      'must be an ISO 4217 currency code such as USD',
      'This is not a currency. Enter its three letters, such as EUR.',
    ],
    ['must be a decimal string such as "12.50"', 'Please enter an amount such as 12.50.'],
    ['must have at most 2 decimals for EUR', 'Please use at most 2 digits after the point.'],
    [
      'must be a host name such as shop.example.com, without scheme, port or path',
      'Please enter the name of your site, such as shop.example.com.',
    ],
    ['must be an http or https URL', 'Please enter an address that begins with https://.'],
    ['must be https', 'Please enter an address that begins with https://.'],
    ['must be an e-mail address', 'Please enter an e-mail address such as name@example.com.'],
    ['must be one of a, b', 'Possible here: a, b.'],
    ['is not a Litecoin testnet address', 'This is not a valid Litecoin testnet address.'],
    ['is mistyped: its checksum is wrong', 'This address is mistyped: please copy it once more.'],
  ])('translates "%s" into words for a merchant', (message, text) => {
    expect(fieldWords(message)).toEqual({ text, isRaw: false });
  });

  it('shows a message without a translation unchanged', () => {
    expect(fieldWords('is stranger than that')).toEqual({ text: 'Is stranger than that', isRaw: true });
  });
});

describe('relativeTime', () => {
  const now = Date.parse('2026-05-01T12:00:00Z');
  it.each([
    [0, 'en', 'now'],
    [-59, 'en', 'now'],
    [-180, 'en', '3 minutes ago'],
    [-3_599, 'en', '59 minutes ago'],
    [-7_200, 'en', '2 hours ago'],
    [2_400, 'en', 'in 40 minutes'],
    [-180, 'de', 'vor 3 Minuten'],
    [-180, 'pt', 'há 3 minutos'],
  ])('formats %i seconds, in %s, as "%s"', (seconds, language, text) => {
    expect(relativeTime(now + seconds * 1_000, now, language)).toBe(text);
  });

  it('uses the date from one day on', () => {
    expect(relativeTime(now - 86_400_000, now, 'en')).toBeNull();
  });

  it('includes seconds when several events share a minute', () => {
    const times = ['2026-05-01T12:00:01Z', '2026-05-01T12:00:59Z', '2026-05-01T12:01:00Z'];
    expect(sharesMinute(times)).toEqual([true, true, false]);
  });
});
