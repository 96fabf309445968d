import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LONGEST } from '../../_helpers/timing/longest-first.ts';

it('the test files that run first exist', () => {
  expect(LONGEST.filter((path) => !existsSync(path))).toEqual([]);
});
