import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listIgnoredFields, nameIgnoredFields } from '../../../src/http/server/ignored-fields.ts';

const body = z
  .object({
    amount: z.string().trim(),
    customer: z
      .object({ email: z.string().optional(), metadata: z.record(z.string(), z.unknown()).optional() })
      .optional(),
    lines: z.array(z.object({ name: z.string() })).default([]),
    source: z
      .union([z.object({ a: z.string() }), z.object({ b: z.string() })])
      .nullable()
      .optional(),
    options: z.looseObject({ challenge: z.string() }).optional(),
    upper: z.preprocess((value) => value, z.object({ c: z.string() })).optional(),
  })
  .superRefine(() => undefined);

const list = (given: unknown, auth: 'account' | 'jwt' = 'account') =>
  listIgnoredFields({ auth, body }, given);

function headerOf(given: unknown): string | undefined {
  const headers = new Map<string, string>();
  const res = { setHeader: (name: string, value: string) => headers.set(name, value) };
  nameIgnoredFields(res as never, { auth: 'account', body }, given);
  return headers.get('X-Tilld-Ignored-Fields');
}

describe('listIgnoredFields of a request body', () => {
  it('lists the fields that the schema does not have, with their path', () => {
    expect(
      list({
        amount: '1',
        orderID: 'x',
        customer: { emial: 'a', metadata: { any: { thing: 1 } } },
        lines: [{ name: 'Tea' }, { name: 'Milk', sum: '1', qty: 2 }],
        source: { b: 'x', a2: 1 },
        options: { anything: 1 },
        upper: { d: 1 },
      }),
    ).toEqual(['orderID', 'customer.emial', 'lines[1].sum', 'lines[1].qty', 'source.a2', 'upper.d']);
  });

  it('lists nothing when all fields are known, or the body is not an object', () => {
    for (const given of [{}, { amount: 1 }, undefined, null, [], 'x', { customer: 'x', lines: {} }])
      expect(list(given), JSON.stringify(given)).toEqual([]);
  });

  it('does not list merchantId in routes about one merchant', () => {
    expect(list({ merchantId: 'm' })).toEqual([]);
    expect(list({ merchantId: 'm' }, 'jwt')).toEqual(['merchantId']);
    expect(list({ customer: { merchantId: 'm' } })).toEqual(['customer.merchantId']);
  });

  it('lists fields that are named like prototype properties', () => {
    expect(list(JSON.parse('{"__proto__":1,"constructor":2,"toString":3}'))).toEqual([
      '__proto__',
      'constructor',
      'toString',
    ]);
  });
});

describe('nameIgnoredFields in a response header', () => {
  it('sends no header when no field is ignored', () => {
    expect(headerOf({ amount: '1' })).toBeUndefined();
  });

  it('names ten fields and counts the others', () => {
    const names = Array.from({ length: 15 }, (_, at) => `field${at}`);
    const header = headerOf(Object.fromEntries(names.map((name) => [name, 1])));
    expect(header).toBe([...names.slice(0, 10), '+5'].join(', '));
  });

  it('encodes any field name within the characters and the length of a header', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer()), (given) => {
        const header = headerOf(given) ?? '';
        expect(header).toMatch(/^[A-Za-z0-9_.!~*'()%+, [\]-]*$/);
        expect(header.length).toBeLessThan(1_100);
      }),
    );
    const long = '\u{1F600}\r\nSet-Cookie: a=b, \ud800'.padEnd(80_000, '€');
    expect(headerOf({ [long]: 1, b: 2 })).toMatch(/^%F0%9F%98%80%0D%0ASet-Cookie/);
  });
});
