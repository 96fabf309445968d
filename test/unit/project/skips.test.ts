import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
/** What a machine may lack. Any other condition would skip a test on every machine, and CI counts that as a failure. */
const LACKING =
  /^(requireNode|requireAnvil|require\w+|available|harness\.available|isThere|both|userInfo|process\.getuid)\b/;

/** The condition after the file's name, without what it begins with. */
const words = (line: string): string =>
  line.slice(line.indexOf(': ') + 2).replace(/^(!|NODE_COINS\.every\(|isReal && )+/u, '');

it('skips tests only for what a machine lacks', () => {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.test.ts'),
  );
  const conditions = files.flatMap((name) =>
    [...readFileSync(join(ROOT, name), 'utf8').matchAll(/\.skipIf\((.+)/gu)].map(
      (match) => `${name}: ${match[1]}`,
    ),
  );
  expect(conditions.length).toBeGreaterThan(20);
  expect(conditions.filter((line) => !LACKING.test(words(line)))).toEqual([]);
});
