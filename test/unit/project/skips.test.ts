import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Any other condition could skip a test on every machine, and CI counts that as a failure. */
const LACKING = /^(require\w+|available|harness\.available|isThere|both|userInfo|process\.getuid)\b/u;
/** What may precede it. */
const PREFIX = /^(!|NODE_COINS\.every\(|isReal && )+/u;

it('skips tests only for what a machine lacks', () => {
  const files = globSync('test/**/*.test.ts', { exclude: ['**/node_modules'] });
  const conditions = files.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\.skipIf\((.+)/gu)].map(([, condition = '']) => ({
      path,
      condition,
    })),
  );
  expect(conditions.length).toBeGreaterThan(20);
  expect(conditions.filter(({ condition }) => !LACKING.test(condition.replace(PREFIX, '')))).toEqual([]);
});
