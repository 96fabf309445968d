import { expect, it } from 'vitest';
import { TillProcess } from '../../_helpers/till.ts';

const body = { email: 'owner@example.com', password: 'correct horse battery' };
const tokenIn = (output: string): string | undefined =>
  /"registerUrl":"[^"]*\/dashboard\/register#setup=(\w{32})"/.exec(output)?.[1];

it('the log of a daemon in first-user mode contains the setup token until the first account exists', async () => {
  await using till = await TillProcess.start({ TILLD_REGISTRATION: 'first-user', TILLD_LOG_LEVEL: 'info' });
  const first = tokenIn(till.output);
  expect(first).toBeDefined();
  expect((await till.api.call('POST', '/auth/register', { body })).status).toBe(400);
  await till.terminate();
  await till.up();
  const stale = await till.api.call('POST', '/auth/register', { body: { ...body, setupToken: first } });
  expect(stale.body.error).toMatchObject({ details: [{ field: 'setupToken', code: 'invalid' }] });
  const second = till.output.slice(till.output.lastIndexOf('registerUrl') - 1);
  const setupToken = tokenIn(second);
  await till.api.must('POST', '/auth/register', { body: { ...body, setupToken } });
  await till.terminate();
  const before = till.output.length;
  await till.up();
  expect(till.output.slice(before)).not.toContain('#setup=');
});

it('the log of a daemon with open registration contains no setup token', async () => {
  await using till = await TillProcess.start({ TILLD_LOG_LEVEL: 'info' });
  expect(till.output).not.toContain('#setup=');
  await till.api.must('POST', '/auth/register', { body });
});
