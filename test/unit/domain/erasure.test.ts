import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, erasedEmail, erasedEmailKey, isErased } from '../../../src/domain/erasure.ts';

const ada = (metadata: Record<string, unknown> = {}) =>
  createRedactor({ id: 'cus_1', email: 'ada-l+x@example.com', metadata });

describe('createRedactor', () => {
  it('erases the email address in any case, in URLs, and in the masked form that payers see', () => {
    const { url } = ada();
    expect(url('https://shop.example/?m=ada-l%2Bx%40example.com')).toBe('https://shop.example/?m=erased');
    expect(url('To ADA-L+X@Example.com or a…@example.com')).toBe('To erased or erased');
  });

  it.each([
    ['ada-l+x%40example.com', 'ada-l+x@example.com'],
    ['ada%2Dl%2bx%40example%2ecom', 'ada-l+x@example.com'],
    ['o%27neil@example.com', "o'neil@example.com"],
    ['z%C3%B6e@example.com', 'zöe@example.com'],
    ['zo%CC%88e%40example.com', 'zöe@example.com'],
  ])('erases the email address as %s', (written, email) => {
    const { url } = createRedactor({ id: 'cus_1', email, metadata: {} });
    expect(url(`https://shop.example/?m=${written}`)).toBe('https://shop.example/?m=erased');
  });

  it('erases email address and names also from the keys of free-form data', () => {
    const { json, freeJson } = ada({ name: 'Ada Lovelace' });
    expect(freeJson('{"ada-l+x@example.com":1,"by":{"Ada Lovelace":2}}')).toBe(
      '{"erased":1,"by":{"erased":2}}',
    );
    expect(json('{"metadata":{"Ada-L+x@example.com":{"paid":1}}}')).toBe(
      '{"metadata":{"erased":{"paid":1}}}',
    );
  });

  it('erases names from free text as whole words, the longest name first', () => {
    const { text } = ada({ name: 'Ada Lovelace', lastName: 'Ada', nickname: 'A.' });
    expect(text('For ADA LOVELACE: Adamant Ada')).toBe('For erased: Adamant erased');
  });

  it('leaves ids, statuses and numbers unchanged, also numbers beyond the precision of a float', () => {
    const { json } = ada({ name: 'completed', status: 'completed', id: 'pay_1', sandbox: true });
    const body =
      '{"type":"payment.completed","data":{"payment":{"id":"pay_1","status":"completed","sandbox":true}}}';
    expect(json(body)).toBe(body);
    expect(json('{"metadata":{"at":12345678901234567890}}')).toBe('{"metadata":{"at":12345678901234567890}}');
  });

  it('erases copies of the customer metadata from free-form data, and keeps other values of the same keys', () => {
    const { json, freeJson } = ada({ plan: 'gold', tags: ['a'], isNew: true });
    expect(freeJson('{"plan":"gold","tags":["a"],"isNew":true,"order":"gold"}')).toBe(
      '{"isNew":true,"order":"gold"}',
    );
    expect(json('{"payment":{"plan":"gold","metadata":{"plan":"gold"},"customFields":{"plan":"tin"}}}')).toBe(
      '{"payment":{"plan":"gold","metadata":{},"customFields":{"plan":"tin"}}}',
    );
  });

  it('erases the answers to a payment link, and the customer id wherever it occurs', () => {
    const { json } = ada();
    expect(json('{"metadata":{"paymentLinkId":"plink_1","email":"b@c.de","name":"B","note":"C"}}')).toBe(
      '{"metadata":{"paymentLinkId":"plink_1"}}',
    );
    const shown = '{"data":{"id":"cus_1","email":"other@example.com","metadata":{"a":1}}}';
    expect(JSON.parse(json(shown))).toEqual({
      data: { id: 'cus_1', email: erasedEmail('cus_1'), metadata: {} },
    });
  });

  it('keeps the order id and the URLs of webhook endpoints', () => {
    const { json } = ada();
    const kept =
      '{"orderId":"ada-l+x@example.com 1","webhookUrl":"https://shop.example/ada-l+x@example.com"}';
    expect(json(kept)).toBe(kept);
  });

  it('removes any address and any name completely', () => {
    fc.assert(
      fc.property(
        fc.emailAddress(),
        fc.string({ unit: 'binary', minLength: 3, maxLength: 20 }),
        (email, name) => {
          const { text, json } = createRedactor({ id: 'cus_1', email, metadata: { name } });
          expect(text(`<${email.toUpperCase()}>`).toLowerCase()).not.toContain(email.toLowerCase());
          expect(json(JSON.stringify({ error: email }))).toBe('{"error":"erased"}');
        },
      ),
    );
  });
});

it('isErased distinguishes an erased customer from one whose email address equals the placeholder', () => {
  expect(isErased({ id: 'cus_1', emailKey: erasedEmailKey('cus_1') })).toBe(true);
  expect(isErased({ id: 'cus_2', emailKey: erasedEmail('cus_1') })).toBe(false);
});
