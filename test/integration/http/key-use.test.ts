import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newMerchant, newUser, startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';
import { eventually } from '../../_helpers/poll.ts';

let app: HttpApp;
beforeAll(async () => {
  app = await startHttpApp();
});
afterAll(async () => app.destroy());

interface Key {
  kind: 'public' | 'secret';
  lastUsedAt: string | null;
}

it('the last use of an API key is recorded to the minute, without delaying the request', async () => {
  const { token } = await newUser(app);
  const merchant = await newMerchant(app, token);
  const lastUse = async () => {
    const { keys } = await app.api.must<{ keys: Key[] }>('GET', `/merchant/keys?merchantId=${merchant.id}`, {
      token,
    });
    return Object.fromEntries(keys.map((key) => [key.kind, key.lastUsedAt]));
  };
  const use = async () => app.api.must('GET', '/merchant/webhook/secret', { token: merchant.auth.secret });
  const usedSince = async (time: number) =>
    eventually('the use is noted', lastUse, ({ secret }) => Date.parse(secret ?? '') >= time);

  expect(await lastUse()).toEqual({ public: null, secret: null });
  const first = app.now();
  await use();
  const { secret: noted } = await usedSince(first);
  app.advance(50_000);
  await use();
  expect(await lastUse()).toEqual({ public: null, secret: noted });
  app.advance(10_000);
  const later = app.now();
  await use();
  await usedSince(later);
});

it('API keys are accepted when their use cannot be recorded', async () => {
  const { token } = await newUser(app);
  const merchant = await newMerchant(app, token);
  await sql`CREATE TRIGGER no_notes BEFORE UPDATE ON api_keys BEGIN SELECT RAISE(ABORT, 'disk full'); END`.execute(
    app.db,
  );
  await app.api.must('GET', '/merchant/webhook/secret', { token: merchant.auth.secret });
  await eventually(
    'the trouble is logged',
    () => app.logs.filter((line) => line.includes('recording the last use of an API key failed')),
    (lines) => lines.length > 0,
  );
  await sql`DROP TRIGGER no_notes`.execute(app.db);
});
