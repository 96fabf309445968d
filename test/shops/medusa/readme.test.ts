import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

it('the README of the Medusa plugin begins with the configuration that all tests of the plugin use', () => {
  const [, example] = /```js\n(.*?)```/s.exec(read('../../../packages/medusa/README.md')) ?? [];
  expect(example).toBe(read('shop/medusa-config.js'));
});
