import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PAYMENT_STATUSES } from '../../../src/domain/payment/types.ts';
import {
  carriesPlaceholder,
  fillReturnUrl,
  placeholderProblem,
  unfillableReturnUrls,
} from '../../../src/domain/payment/return-url.ts';

const FACTS = { paymentId: 'pay_1', orderId: 'Ö 1/2&b=#', status: 'confirming' } as const;

describe('fillReturnUrl (placeholders in the return URL of a shop)', () => {
  it('percent-encodes the values of placeholders and leaves the rest unchanged', () => {
    expect(fillReturnUrl('HTTPS://Shop.example/Ordner/{orderId}?p={paymentId}&s={status}#é', FACTS)).toBe(
      'HTTPS://Shop.example/Ordner/%C3%96%201%2F2%26b%3D%23?p=pay_1&s=confirming#é',
    );
    expect(fillReturnUrl('https://shop.example/?a={other}', FACTS)).toBe('https://shop.example/?a={other}');
  });

  it('returns null for a string that is not a URL', () => {
    for (const url of ['javascript:alert({orderId})', '/cart', 'ftp://shop.example/{status}'])
      expect(fillReturnUrl(url, FACTS)).toBeNull();
  });

  it.each([
    'https://{orderId}/x',
    'https://{orderId}.shop.example/x',
    'https://shop.example:{orderId}/x',
    'https:///{orderId}/x',
    'https://\\{orderId}/x',
    'https://user:{orderId}@shop.example/x',
  ])('replaces no placeholders before the path in %s', (url) => {
    expect(fillReturnUrl(url, { ...FACTS, orderId: '80' })).toBeNull();
    expect(placeholderProblem(url)).toContain('after the host');
  });

  it.each(['.', '..'])('returns null when the order id %s would shorten the path', (orderId) => {
    expect(fillReturnUrl('https://shop.example/orders/{orderId}', { ...FACTS, orderId })).toBeNull();
    expect(fillReturnUrl('https://shop.example/orders/{orderId}/done', { ...FACTS, orderId })).toBeNull();
    expect(fillReturnUrl('https://shop.example/?o={orderId}', { ...FACTS, orderId })).not.toBeNull();
  });

  it('returns null when the URL exceeds 2,048 characters', () => {
    const url = `https://shop.example/?${'{orderId}'.repeat(10)}`;
    expect(fillReturnUrl(url, { ...FACTS, orderId: 'x'.repeat(200) })).not.toBeNull();
    expect(fillReturnUrl(url, { ...FACTS, orderId: 'é'.repeat(200) })).toBeNull();
  });
});

/** Texts of all kinds, with those that mean something in addresses. */
const text = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        '/',
        '\\',
        '.',
        '..',
        '@',
        ':',
        '?',
        '#',
        '&',
        '=',
        '%2e',
        '%',
        '{orderId}',
        '\n',
        '<"\'>',
        'a',
      ),
      {
        minLength: 1,
        maxLength: 12,
      },
    )
    .map((parts) => parts.join('')),
);

const TEMPLATES = [
  'https://shop.example/{orderId}',
  'https://shop.example/o/{orderId}/{status}?p={paymentId}',
  'http://shop.example:8080?o={orderId}&next=1#{orderId}',
  'https://shop.example\\{orderId}',
  'https://shop.example/a-{orderId}-b?wc-api=tilld-return',
  'https://shop.example#{orderId}',
];

describe('fillReturnUrl with any order id', () => {
  it('changes neither the host, nor the rest of the path, nor other query parameters', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...TEMPLATES),
        text,
        fc.constantFrom(...PAYMENT_STATUSES),
        (template, orderId, status) => {
          const filled = fillReturnUrl(template, { paymentId: 'pay_1', orderId, status });
          if (filled === null) {
            // Refused for what no encoding hides only.
            expect(orderId).toMatch(/^\.{1,2}$/);
            return;
          }
          expect(filled).toMatch(/^[\x21-\x7e]+$/);
          expect(filled).not.toMatch(/["'<>{}]/);
          const [url, plain] = [new URL(filled), new URL(template.replaceAll(/\{\w+\}/g, 'x'))];
          expect(url.origin).toBe(plain.origin);
          expect(url.pathname.split('/')).toHaveLength(plain.pathname.split('/').length);
          expect([...url.searchParams.keys()]).toEqual([...plain.searchParams.keys()]);
          expect(url.username + url.password).toBe('');
          const given = orderId.toWellFormed();
          if (template.includes('o={orderId}')) expect(url.searchParams.get('o')).toBe(given);
          if (template.endsWith('/{orderId}')) expect(decodeURIComponent(url.pathname.slice(1))).toBe(given);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('placeholderProblem of a return URL', () => {
  it.each(['{orderid}', '{order_id}', '{}', '{ orderId }', '{amount}'])(
    'names the unknown placeholder %s',
    (name) => {
      expect(placeholderProblem(`https://shop.example/?o=${name}`)).toContain(name);
    },
  );

  it('accepts the three placeholders, and URLs without any', () => {
    expect(placeholderProblem('https://shop.example/{paymentId}/{orderId}?s={status}')).toBeNull();
    expect(placeholderProblem('https://shop.example/cart')).toBeNull();
    expect(carriesPlaceholder('https://shop.example/{other}')).toBe(false);
    expect(carriesPlaceholder('https://shop.example/{status}')).toBe(true);
  });
});

describe('unfillableReturnUrls', () => {
  it('lists the return URLs whose placeholders cannot be filled in for some state of the payment', () => {
    const urls = { successUrl: 'https://shop.example/{orderId}/', returnUrl: 'https://shop.example/cart' };
    expect(unfillableReturnUrls(urls, { paymentId: 'pay_1', orderId: '..' })).toEqual(['successUrl']);
    expect(unfillableReturnUrls(urls, { paymentId: 'pay_1', orderId: '1' })).toEqual([]);
  });
});
