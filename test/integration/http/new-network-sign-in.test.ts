import { afterAll, beforeAll, expect, it } from 'vitest';
import { newUser, startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';
import { takeMails } from '../../_helpers/outbox.ts';

let app: HttpApp;
beforeAll(async () => {
  app = await startHttpApp({ settings: { trustProxy: 1 } });
});
afterAll(async () => app.destroy());

const signIn = async (email: string, from: string) =>
  app.api.call('POST', '/auth/login', {
    body: { email, password: 'correct horse battery' },
    headers: { 'x-forwarded-for': from },
  });

it('a sign-in from a new network is notified by email and recorded once', async () => {
  const { email, id } = await newUser(app);
  await takeMails(app);
  expect((await signIn(email, '203.0.113.7')).status).toBe(200);
  const [mail, ...others] = await takeMails(app, email);
  expect(mail?.subject).toContain('A sign-in from a new place');
  expect(mail?.text).toContain('203.0.113.');
  expect(others).toEqual([]);
  await signIn(email, '203.0.113.8');
  expect(await takeMails(app, email)).toEqual([]);
  const rows = await app.db.selectFrom('audit_log').select('action').where('actorId', '=', id).execute();
  expect(rows.filter(({ action }) => action === 'sign-in from a new place')).toHaveLength(1);
});

it('a failed sign-in from a new network is not notified', async () => {
  const { email } = await newUser(app);
  await takeMails(app);
  const body = { email, password: 'wrong password' };
  await app.api.call('POST', '/auth/login', { body, headers: { 'x-forwarded-for': '198.51.100.1' } });
  expect(await takeMails(app, email)).toEqual([]);
});
