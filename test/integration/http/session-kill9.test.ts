import { expect, it } from 'vitest';
import { SessionClient } from '../../_helpers/session-client.ts';
import { TillProcess } from '../../_helpers/till.ts';

const PASSWORD = 'correct horse battery';

const status = async (client: SessionClient) => (await client.call('GET', '/auth/session')).status;

it('sessions survive kill -9 unchanged, and ended sessions stay ended', async () => {
  await using till = await TillProcess.start();
  const person = { email: 'owner@example.com', password: PASSWORD };
  await till.api.must('POST', '/auth/register', { body: person });
  const { baseUrl } = till.api;
  const [going, ended] = [
    await SessionClient.signIn(baseUrl, person),
    await SessionClient.signIn(baseUrl, person),
  ];
  const copy = new SessionClient(baseUrl, ended.cookie);
  await going.call('POST', '/auth/step-up', { password: PASSWORD });
  await ended.call('DELETE', '/auth/session');
  await till.kill9();
  await till.up();
  expect(await status(going)).toBe(200);
  expect(await status(copy)).toBe(401);
  const send = await going.call('POST', '/merchant/wallet/send', {});
  expect(send.body.error?.code).toBe('VALIDATION_INVALID');
});
