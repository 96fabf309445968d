import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  coinAmount,
  fiatAmount,
  fiatAmountProblem,
  refineFiatAmount,
} from '../../../src/http/schemas/amounts.ts';
import { coin, currency } from '../../../src/http/schemas/codes.ts';
import { metadata } from '../../../src/http/schemas/metadata.ts';
import {
  booleanQuery,
  integerQuery,
  momentQuery,
  pageQuery,
  timeQuery,
} from '../../../src/http/schemas/query.ts';
import { domainName, email, httpUrl, text } from '../../../src/http/schemas/text.ts';

/** What a schema makes of a value; undefined when it refuses it. */
function read<T extends z.ZodType>(schema: T, value: unknown): z.output<T> | undefined {
  const result = schema.safeParse(value);
  return result.success ? result.data : undefined;
}

describe('text schema', () => {
  it('trims, counts characters instead of UTF-16 code units, and rejects characters that a database cannot store', () => {
    expect(read(text(), '  a b  ')).toBe('a b');
    expect(read(text(), '🦊'.repeat(255))).toHaveLength(510);
    for (const bad of ['', '   ', 'x'.repeat(256), 'a\0', '\udc00', 5, null, ['a']]) {
      expect(read(text(), bad)).toBeUndefined();
    }
    expect(read(text({ trim: false }), ' a ')).toBe(' a ');
    expect(read(text({ min: 0 }), '')).toBe('');
  });
});

describe('email schema', () => {
  it.each(['a@b.co', "o'brien+tag/x@sub.example.com", 'jörg@münchen.de', '用户@例子.公司', ' a@b.co '])(
    'accepts %s',
    (value) => {
      expect(read(email(), value)).toBe(value.trim());
    },
  );

  it.each([
    '',
    'a',
    '@b.co',
    'a@',
    'a@b',
    'a@b..co',
    '.a@b.co',
    'a.@b.co',
    'a..b@c.co',
    'a b@c.co',
    'a@b.co\n.x',
    'a@b.\tco',
    'a@b%2eco',
    'a@b.co/x',
    'a@@b.co',
    'a@1.2.3.4',
    'a@[::1]',
    'a@b_c.co',
    '<a@b.co>',
    `${'l'.repeat(65)}@b.co`,
  ])('rejects %j', (value) => {
    expect(read(email(), value)).toBeUndefined();
  });
});

describe('URL and domain schemas', () => {
  it.each(['http://localhost:8080/hook', 'HTTPS://Shop.example/a?b=c#d', 'https://[2001:db8::1]/'])(
    'accept %s unchanged',
    (value) => {
      expect(read(httpUrl(), value)).toBe(value);
    },
  );

  it.each([
    '',
    'shop.example',
    '//shop.example',
    'http:shop',
    'https://',
    'ftp://x.example',
    'data:text/html,x',
    'https://u@x.example',
    'https://x.example/\ta',
    'https://x.example/\ud800',
    'https://x.example/\udfffa',
    `https://x.example/${'a'.repeat(2048)}`,
  ])('reject %j', (value) => {
    expect(read(httpUrl(), value)).toBeUndefined();
  });

  it('accept an empty URL only where it clears the field', () => {
    expect(read(httpUrl({ empty: true }), '')).toBe('');
    expect(read(httpUrl({ empty: true }), 'x')).toBeUndefined();
  });

  it.each([
    ['Shop.Example.COM', 'shop.example.com'],
    ['shop.example.', 'shop.example'],
    ['Straße.example', 'xn--strae-oqa.example'],
    ['shop。example', 'shop.example'],
  ])('read the domain %s as %s', (value, domain) => {
    expect(read(domainName(), value)).toBe(domain);
  });
});

describe('coin and currency schemas', () => {
  it('reject non-ASCII letters whose upper case is ASCII', () => {
    expect(read(currency(), '\u0131SK')).toBeUndefined();
  });

  it('convert codes to upper case and reject unknown ones', () => {
    expect(read(coin(), ' btc ')).toBe('BTC');
    expect(read(currency(), 'eur')).toBe('EUR');
    for (const bad of ['DOGE', '', 5, null]) expect(read(coin(), bad)).toBeUndefined();
    for (const bad of ['US', 'USDT', 'XXX', 'BTC', '', 5, null])
      expect(read(currency(), bad)).toBeUndefined();
  });
});

describe('amount schemas', () => {
  it.each(['1', '0.01', '000.5', '999999999999.99', '12.50'])('accept %s', (value) => {
    expect(read(fiatAmount(), value)).toBe(value);
  });

  it.each([
    '0',
    '0.00',
    '-1',
    '+1',
    '1,5',
    '1e3',
    '.5',
    '5.',
    '',
    ' ',
    '1000000000000',
    'NaN',
    '0x1',
    '١',
    5,
    null,
  ])('reject %j', (value) => {
    expect(read(fiatAmount(), value)).toBeUndefined();
  });

  it('accept coin amounts of any size as positive decimals', () => {
    expect(read(coinAmount(), '0.000000000000000001')).toBe('0.000000000000000001');
    for (const bad of ['0', '1e-8', '-0.1', '9'.repeat(65)]) expect(read(coinAmount(), bad)).toBeUndefined();
  });

  it('limit decimals to those of the currency', () => {
    expect(fiatAmountProblem('1.00', 'JPY')).toContain('whole number');
    expect(fiatAmountProblem('1.234', 'USD')).toContain('2 decimals');
    expect(fiatAmountProblem('1.234', 'KWD')).toBeNull();
    const body = z.object({ amount: fiatAmount(), currency: currency() }).superRefine(refineFiatAmount);
    expect(body.safeParse({ amount: '1.234', currency: 'usd' }).error?.issues[0]?.path).toEqual(['amount']);
  });

  it('never accept anything but plain positive decimals', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.bigInt().map(String)), (value) => {
        const taken = read(fiatAmount(), value);
        if (taken !== undefined) expect(taken).toMatch(/^\d+(\.\d+)?$/);
      }),
    );
  });
});

describe('query schemas', () => {
  it('accept integers only in plain decimal form', () => {
    const schema = integerQuery({ min: 1, max: 100 });
    expect([read(schema, '1'), read(schema, '100'), read(schema, '007')]).toEqual([1, 100, 7]);
    for (const bad of ['0', '101', '1.0', '1e1', '-1', ' 1', '', '0x1', ['1', '2'], '9'.repeat(400)]) {
      expect(read(schema, bad)).toBeUndefined();
    }
    expect(read(z.object(pageQuery()), {})).toEqual({ page: 1, limit: 10 });
  });

  it('accept only true and false as booleans', () => {
    expect([read(booleanQuery(), 'true'), read(booleanQuery(), 'false')]).toEqual([true, false]);
    for (const bad of ['', '1', '0', 'True', 'yes', 'null', ['true']])
      expect(read(booleanQuery(), bad)).toBeUndefined();
  });

  it.each([
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00.123456Z', '2026-01-31T12:00:00.123Z'],
    ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
    ['2026-01-31T12:00:00 02:00', '2026-01-31T10:00:00.000Z'],
    ['2026-01-31T12:00:00-0530', '2026-01-31T17:30:00.000Z'],
    ['2026-01-31T12:00', '2026-01-31T12:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('read the time %s as %s', (value, expected) => {
    expect(new Date(read(timeQuery('from'), value) ?? 0).toISOString()).toBe(expected);
  });

  it('read a date without time as the end of that day in an upper bound', () => {
    expect(new Date(read(timeQuery('until'), '2026-01-31') ?? 0).toISOString()).toBe(
      '2026-01-31T23:59:59.999Z',
    );
  });

  it.each([
    '',
    'yesterday',
    '1767225600',
    '2026-02-29',
    '2026-13-01',
    '2026-01-01T24:30:00Z',
    '2026-01-01T12:00:00+99:00',
    '2026-1-1',
    'Sat, 31 Jan 2026',
  ])('reject %j', (value) => {
    expect(read(timeQuery('from'), value)).toBeUndefined();
  });
});

describe('moment schema (a date or time)', () => {
  it('accepts a date, in the time zone of the request, or a time with its offset', () => {
    expect(read(momentQuery(), '2026-01-31')).toEqual({ day: '2026-01-31' });
    const atMs = Date.parse('2026-01-31T10:00:00Z');
    for (const text of ['2026-01-31T10:00Z', '2026-01-31T12:00:00+02:00', '2026-01-31T12:00:00.000 02:00'])
      expect(read(momentQuery(), text)).toEqual({ atMs });
  });

  it.each([
    '',
    'today',
    '2026-02-29',
    '2026-13-01',
    '1969-12-31',
    '2026-01-31T10:00:00',
    '2026-01-31T25:00Z',
    '1767225600',
  ])('rejects %j', (text) => {
    expect(read(momentQuery(), text)).toBeUndefined();
  });
});

describe('metadata schema', () => {
  it('keeps any small JSON object unchanged', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.jsonValue({ maxDepth: 3 })),
        (value) => {
          const json = JSON.stringify(value);
          if (json.length < 4000 && !json.includes('\\u0000')) expect(read(metadata(), value)).toEqual(value);
        },
      ),
    );
  });

  it('accepts 32 nesting levels and rejects 33', () => {
    const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
    expect(read(metadata(), nested(32))).toBeDefined();
    expect(read(metadata(), nested(33))).toBeUndefined();
  });

  it.each([
    ['\ud800', 'well-formed Unicode'],
    ['a\udfffb', 'well-formed Unicode'],
    ['a\0b', 'null characters'],
  ])('rejects %j as a value, in a list and as a key', (bad, words) => {
    for (const value of [{ a: bad }, { a: [{ b: bad }] }, { [bad]: 1 }, { a: { [bad]: 1 } }]) {
      const result = metadata().safeParse(value);
      expect(result.error?.issues.map(({ message }) => message)).toEqual([
        `must ${words.startsWith('w') ? 'be' : 'not contain'} ${words}`,
      ]);
    }
  });

  it('accepts characters beyond the basic multilingual plane, and strings that only look like an escape', () => {
    const value = { fox: '🦊', '🦊': '\\ud800', zero: '\\u0000' };
    expect(read(metadata(), value)).toEqual(value);
  });
});
