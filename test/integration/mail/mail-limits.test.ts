import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markVerified } from '../../../src/store/accounts/users.ts';
import type { MailRow } from '../../../src/store/schema/accounts.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { pruned } from '../../_helpers/pruned.ts';
import { queueMail } from '../../../src/usecases/mail/queue-mail.ts';
import { layOut } from '../../_helpers/earlier-databases.ts';
import {
  newConfirmedUser,
  newMerchant,
  newUser,
  startHttpApp,
  type HttpApp,
} from '../../_helpers/http-app.ts';
import { invite, newPerson, signedIn } from '../../_helpers/people.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { Till } from '../../_helpers/till.ts';
import { createSecretBox } from '../../../src/wallet/secret-box.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const text = { subject: '', text: '', html: '', link: null, unsubscribe: null };

let app: HttpApp;
let count = 0;
beforeAll(async () => {
  app = await startHttpApp();
});
afterAll(async () => app.destroy());

async function mail(to: string, kind: MailRow['kind'], userId: string | null = null): Promise<number> {
  const deps = { clock: { now: () => app.now() }, secretBox: createSecretBox(app.keyring) };
  const expiresAt = app.now() + DAY_MS;
  return app.db.transaction(async (tx) => queueMail(tx, deps, { userId, to, kind, text, expiresAt }));
}

const fresh = (): string => `mailbox${(count += 1)}@example.org`;

describe('emails to an unconfirmed address', () => {
  it('are limited to five invitations a day per mailbox, whatever account sends them and however the address is spelled', async () => {
    const [name = '', host] = fresh().split('@');
    const senders = [await newConfirmedUser(app), await newConfirmedUser(app)];
    const spellings = [`${name}@${host}`, `${name}+a@${host}`, `m.${name.toUpperCase().slice(1)}@${host}`];
    const waits: number[] = [];
    for (let sent = 0; sent < 7; sent += 1)
      waits.push(await mail(spellings[sent % 3] ?? '', 'notice', senders[sent % 2]?.id));
    expect(waits.map((wait) => wait > 0)).toEqual([...Array<boolean>(5).fill(false), true, true]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(DAY_MS);
    expect(await mail(`${name}@${host}`, 'receipt')).toBe(0);
    app.advance(DAY_MS + 1);
    expect(await mail(`${name}@${host}`, 'notice', senders[0]?.id)).toBe(0);
  });

  it('are limited to fifty invitations a day per account', async () => {
    const { id } = await newConfirmedUser(app);
    for (let sent = 0; sent < 50; sent += 1) expect(await mail(fresh(), 'notice', id)).toBe(0);
    expect(await mail(fresh(), 'notice', id)).toBeGreaterThan(0);
    const other = await newConfirmedUser(app);
    expect(await mail(fresh(), 'notice', other.id)).toBe(0);
  });

  it('never exceed the limit of their kind in any 24 hours', async () => {
    const kinds = ['verify-email', 'reset-password', 'notice', 'receipt'] as const;
    const most = { 'verify-email': 10, 'reset-password': 10, notice: 5, receipt: 20 };
    const windows = { 'verify-email': DAY_MS, 'reset-password': HOUR_MS, notice: DAY_MS, receipt: DAY_MS };
    const step = fc.record({
      kind: fc.constantFrom(...kinds),
      tag: fc.constantFrom('', '+a', '+b'),
      pauseMs: fc.constantFrom(0, 0, 60_000, HOUR_MS, 6 * HOUR_MS),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const name = `random${(count += 1)}`;
        const sent: { kind: (typeof kinds)[number]; at: number }[] = [];
        for (const { kind, tag, pauseMs } of steps) {
          app.advance(pauseMs);
          if ((await mail(`${name}${tag}@example.org`, kind)) === 0) sent.push({ kind, at: app.now() });
        }
        for (const { kind, at } of sent) {
          const within = sent.filter(
            (other) => other.kind === kind && other.at <= at && other.at > at - windows[kind],
          );
          expect(within.length).toBeLessThanOrEqual(most[kind]);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('count for a day, after which the record of their mailbox is deleted', async () => {
    const to = fresh();
    await mail(to, 'receipt');
    const known = async () =>
      (await app.db.selectFrom('mails').select('id').where('recipientHash', 'is not', null).execute()).length;
    expect(await known()).toBeGreaterThan(0);
    app.advance(DAY_MS + 1);
    await pruned(app.db, app.now());
    expect(await known()).toBe(0);
  });
});

describe('emails to the confirmed address of the account', () => {
  it('are not limited', async () => {
    const { id, email } = await newConfirmedUser(app);
    for (let sent = 0; sent < 60; sent += 1) expect(await mail(email, 'notice', id)).toBe(0);
    const rows = app.db.selectFrom('mails').select('recipientHash').where('userId', '=', id);
    const hashes = (await rows.where('kind', '=', 'notice').execute()).map((row) => row.recipientHash);
    expect(new Set(hashes)).toEqual(new Set([null]));
  });
});

describe('registration', () => {
  it('sends at most ten emails to different spellings of one mailbox, and still creates further accounts', async () => {
    const name = `crowd${(count += 1)}`;
    for (let tag = 0; tag < 12; tag += 1) {
      const body = { email: `${name}+${tag}@example.org`, password: 'correct horse battery' };
      expect((await app.api.call('POST', '/auth/register', { body })).status).toBe(201);
    }
    const rows = await app.db
      .selectFrom('mails')
      .innerJoin('users', 'users.id', 'mails.userId')
      .select('mails.id')
      .where('users.email', 'like', `${name}+%`)
      .execute();
    expect(rows).toHaveLength(10);
  });

  it('allows an unconfirmed account only the configured number of shops', async () => {
    const limited = await startHttpApp({ shopsPerAccount: 2 });
    const { token } = await newUser(limited);
    const other = await newUser(limited);
    await newMerchant(limited, token);
    await newMerchant(limited, token);
    const body = { name: 'Third', domain: 'third.example' };
    const { status, body: answer } = await limited.api.call('POST', '/merchant/create', { token, body });
    expect([status, answer.error?.code]).toEqual([409, 'INVALID_STATE']);
    await newMerchant(limited, other.token);
    await limited.destroy();
  });
});

describe('an invitation', () => {
  it('is answered with 429 and Retry-After above the limit of its address or account', async () => {
    await using till = await Till.start();
    const boss = await newPerson(till.api, 'boss');
    const shops = [
      await Shop.open(till.api, { owner: boss.token }),
      await Shop.open(till.api, { owner: boss.token }),
    ];
    const asked = (email: string) => ({
      merchantId: shops[0]?.merchantId ?? '',
      email,
      role: 'clerk' as const,
    });
    for (let sent = 0; sent < 5; sent += 1) await invite(boss.session, asked('same+x@example.org'));
    const refused = await boss.session.call('POST', '/merchant/people/invite', {
      ...asked('same@example.org'),
      merchantId: shops[1]?.merchantId,
    });
    expect([refused.status, refused.body.error?.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(80_000);
    till.clock.advance(DAY_MS + 1);
    await invite((await signedIn(till.api, boss.email)).session, asked('same@example.org'));
  });
});

it('emails that were sent before an upgrade do not count towards the limit of a mailbox', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tilld-mails-'));
  layOut('0048-revocations.json.gz', dir);
  const earlier = await openDatabase(join(dir, 'tilld.sqlite'));
  const hashes = (await earlier.db.selectFrom('mails').select('recipientHash').execute()).map(
    (row) => row.recipientHash,
  );
  expect(hashes.length).toBeGreaterThan(0);
  expect(new Set(hashes)).toEqual(new Set([null]));
  await earlier.close();
  rmSync(dir, { recursive: true, force: true });
});

it('emails of another account to a confirmed address are limited', async () => {
  const [sender, reader] = [await newConfirmedUser(app), await newUser(app)];
  await app.db.transaction((tx) => markVerified(tx, reader.id, app.now()));
  for (let sent = 0; sent < 5; sent += 1) expect(await mail(reader.email, 'notice', sender.id)).toBe(0);
  expect(await mail(reader.email, 'notice', sender.id)).toBeGreaterThan(0);
});
