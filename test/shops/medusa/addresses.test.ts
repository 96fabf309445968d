import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Imported by its path: the types that it needs are installed in Medusa only. */
const SOURCE = join(import.meta.dirname, '../../../packages/medusa/src/providers/tilld/addresses.ts');
const { parseAddresses } = (await import(SOURCE)) as {
  readonly parseAddresses: (data: object, config: object) => object;
};

const config = { projectConfig: { http: { storeCors: 'https://shop.example, null' } } };

it.each([
  ['https://shop.example/thanks?{orderId}', 'https://shop.example/thanks?{orderId}'],
  ['https://shop.example.evil.example/', null],
  ['https://shop.example@evil.example/', null],
  ['//evil.example/', null],
  ['javascript:alert(1)//https://shop.example', null],
  ['data:text/html,hello', null],
  ['blob:https://shop.example/5d2f', null],
  [['https://shop.example/'], null],
])('parseAddresses turns the address %s into %s', (given, taken) => {
  expect(parseAddresses({ success_url: given, return_url: given }, config)).toEqual({
    success_url: taken,
    return_url: taken,
  });
});
