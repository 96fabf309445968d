import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPasswordHasher } from '../../../src/usecases/accounts/passwords/password-hasher.ts';
import { CHEAP_PASSWORDS, newUser, startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';
import { takeMails } from '../../_helpers/outbox.ts';
import { tokenIn } from '../../_helpers/smtp-sink.ts';

const PASSWORD = 'correct horse battery';

let app: HttpApp;
beforeAll(async () => {
  app = await startHttpApp();
});
afterAll(async () => app.destroy());

const refused = (answer: {
  status: number;
  body: { error: { code: string; details?: { field: string; code?: string }[] } | null };
}) => [
  answer.status,
  answer.body.error?.code,
  answer.body.error?.details?.map(({ field, code }) => `${field} ${code}`),
];
const post = async (path: string, body: object, token?: string) =>
  app.api.call('POST', path, { body, ...(token === undefined ? {} : { token }) });

describe('a common password', () => {
  it.each(['password', 'PassWord1', 'qwertyuiop', '12345678', 'iloveyou', 'administrator', 'ｐassword'])(
    'is refused at registration: %s',
    async (password) => {
      const answer = await post('/auth/register', { email: 'common@example.com', password });
      expect(refused(answer)).toEqual([400, 'VALIDATION_INVALID', ['password too_common']]);
      expect(answer.body.error?.message).toContain('one of the most common passwords');
    },
  );

  it('is refused at a password change, and the old password stays valid', async () => {
    const { email, token } = await newUser(app);
    const answer = await post(
      '/auth/change-password',
      { currentPassword: PASSWORD, newPassword: 'trustno1' },
      token,
    );
    expect(refused(answer)).toEqual([400, 'VALIDATION_INVALID', ['newPassword too_common']]);
    expect((await post('/auth/login', { email, password: PASSWORD })).status).toBe(200);
  });

  it('is refused at a password reset, and the link stays valid for another password', async () => {
    const { email } = await newUser(app);
    await post('/auth/forgot-password', { email });
    const token = tokenIn((await takeMails(app, email)).at(-1)?.text ?? '');
    const answer = await post('/auth/reset-password', { token, password: 'letmein1' });
    expect(refused(answer)).toEqual([400, 'VALIDATION_INVALID', ['password too_common']]);
    expect((await post('/auth/reset-password', { token, password: 'an entirely new one' })).status).toBe(200);
  });
});

it('a password that combines several common ones is accepted', async () => {
  const answer = await post('/auth/register', {
    email: 'long@example.com',
    password: 'password letmein dragon',
  });
  expect(answer.status).toBe(201);
});

it('a user whose common password is older than this rule can still sign in', async () => {
  const { email, id } = await newUser(app);
  const passwords = await createPasswordHasher(CHEAP_PASSWORDS);
  const hash = await passwords.hash('password');
  await app.db.updateTable('users').set({ passwordHash: hash }).where('id', '=', id).execute();
  expect((await post('/auth/login', { email, password: 'password' })).status).toBe(200);
});
