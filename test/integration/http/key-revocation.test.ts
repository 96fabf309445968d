import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  newMerchant,
  newUser,
  startHttpApp,
  type HttpApp,
  type TestMerchant,
} from '../../_helpers/http-app.ts';

let app: HttpApp;
beforeAll(async () => {
  app = await startHttpApp();
});
afterAll(async () => app.destroy());

async function shop(): Promise<{ token: string; merchant: TestMerchant }> {
  const { token } = await newUser(app);
  return { token, merchant: await newMerchant(app, token) };
}

/** The status of a request that shows a secret key. */
async function tryKey(secret: string): Promise<number> {
  const { status } = await app.api.call('GET', '/merchant/webhook/secret', { token: secret });
  return status;
}

/** Deletes a key from another process, as a command-line tool does. */
function deleteElsewhere(secret: string): void {
  const hash = createHash('sha256').update(secret).digest('hex');
  const file = JSON.stringify(join(app.dir, 'tilld.db'));
  const script = `new (require('better-sqlite3'))(${file}).prepare('DELETE FROM api_keys WHERE key_hash = ?').run('${hash}')`;
  execFileSync(process.execPath, ['-e', script]);
}

describe('a recently used secret key', () => {
  it('is rejected as soon as new keys have replaced it', async () => {
    const { token, merchant } = await shop();
    expect(await tryKey(merchant.auth.secret)).toBe(200);
    const { auth } = await app.api.must<{ auth: { secret: string } }>('POST', '/merchant/keys/regenerate', {
      token,
      body: { merchantId: merchant.id },
    });
    expect(await tryKey(merchant.auth.secret)).toBe(401);
    expect(await tryKey(auth.secret)).toBe(200);
  });

  it('is rejected at the end of its grace period, without a write to the database', async () => {
    const { token, merchant } = await shop();
    await app.api.must('POST', '/merchant/keys/regenerate', {
      token,
      body: { merchantId: merchant.id, gracePeriodSeconds: 60 },
    });
    expect(await tryKey(merchant.auth.secret)).toBe(200);
    app.advance(59_000);
    expect(await tryKey(merchant.auth.secret)).toBe(200);
    app.advance(1_000);
    expect(await tryKey(merchant.auth.secret)).toBe(401);
  });

  it('is rejected once another process has deleted it', async () => {
    const { merchant } = await shop();
    expect(await tryKey(merchant.auth.secret)).toBe(200);
    deleteElsewhere(merchant.auth.secret);
    expect(await tryKey(merchant.auth.secret)).toBe(401);
  });

  it('is rejected for every request after the keys were regenerated, also among many concurrent requests', async () => {
    const { token, merchant } = await shop();
    const { secret } = merchant.auth;
    let hasEnded = false;
    const wrong: number[] = [];
    const counts = { before: 0, after: 0 };
    const client = async (): Promise<void> => {
      while (counts.after < 100) {
        const isAfter = hasEnded;
        const status = await tryKey(secret);
        counts[isAfter ? 'after' : 'before'] += 1;
        if (isAfter && status !== 401) wrong.push(status);
      }
    };
    const clients = Promise.all(Array.from({ length: 8 }, client));
    while (counts.before < 50) await tryKey(secret);
    await app.api.must('POST', '/merchant/keys/regenerate', { token, body: { merchantId: merchant.id } });
    hasEnded = true;
    await clients;
    expect(wrong).toEqual([]);
    expect(counts.before).toBeGreaterThanOrEqual(50);
  });
});

it('an API key is checked against the current state of its merchant', async () => {
  const { token, merchant } = await shop();
  const secretOf = async () =>
    (
      await app.api.must<{ secret: string }>('GET', '/merchant/webhook/secret', {
        token: merchant.auth.secret,
      })
    ).secret;
  const before = await secretOf();
  await app.api.must('POST', '/merchant/webhook/rotate-secret', { token, body: { merchantId: merchant.id } });
  expect(await secretOf()).not.toBe(before);
  expect(await secretOf()).toBe(await secretOf());
});
