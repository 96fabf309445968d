import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Routes that change nothing of a shop or an account, so that the audit log never lists them. */
const NEVER_LISTED = new Set([
  'DELETE /auth/session',
  'POST /auth/forgot-password',
  'POST /auth/reset-password/review',
  'POST /merchant/counter/charge',
  'POST /merchant/wallet/estimate-fee',
]);

it('the audit log of the dashboard has words for every operation that changes something', () => {
  const table = readFileSync('test/integration/api/access-matrix.txt', 'utf8');
  const routes = [...table.matchAll(/\b(?:POST|PATCH|DELETE|PUT) \/\S+/g)].map(([route]) => route);
  expect(routes.length).toBeGreaterThan(60);
  const names = readFileSync('src/web/dashboard/ui/actions.ts', 'utf8');
  const unnamed = routes.filter((route) => !names.includes(`'${route}': t(`) && !NEVER_LISTED.has(route));
  expect(unnamed).toEqual([]);
});
