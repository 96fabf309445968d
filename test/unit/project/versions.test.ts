import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(path, 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

/** The files with a version besides package.json, and the pattern that finds it. */
const PLACES: readonly (readonly [path: string, version: RegExp])[] = [
  ['package-lock.json', /"version": "([^"]+)"/],
  ['packages/sdk/package.json', /"version": "([^"]+)"/],
  ['packages/vendure/package.json', /"version": "([^"]+)"/],
  ['packages/medusa/package.json', /"version": "([^"]+)"/],
  ['packages/woocommerce/readme.txt', /^Stable tag: (.+)$/m],
  ['packages/woocommerce/tilld-for-woocommerce.php', /^ \* Version: (.+)$/m],
  ['packages/woocommerce/tilld-for-woocommerce.php', /^const VERSION = '(.+)';$/m],
  ['packages/php/src/Tilld.php', /VERSION = '(.+)';/],
];

it.each(PLACES)('%s states the version of package.json (%s)', (path, pattern) => {
  expect(pattern.exec(read(path))?.[1]).toBe(version);
});
