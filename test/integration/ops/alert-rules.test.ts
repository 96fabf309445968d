import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const LIMIT_MS = 600_000;

const promtool = async (...options: string[]): Promise<string> =>
  (await promisify(execFile)('promtool', options)).stdout;

it('promtool accepts config/alerts.yml', async () => {
  expect(await promtool('check', 'rules', 'config/alerts.yml')).toMatch(/SUCCESS: \d+ rules found/);
});

it(
  'each alert of config/alerts.yml fires at the time that config/alerts.test.yml expects, and not before',
  async () => {
    expect(await promtool('test', 'rules', 'config/alerts.test.yml')).toContain('SUCCESS');
  },
  LIMIT_MS,
);
