import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NOTICES_PER_HOUR, type NoticeReason } from '../../../src/domain/notices.ts';
import type { MailMessage } from '../../../src/domain/mail.ts';
import { dueNotices, insertNotice } from '../../../src/store/notices/notices.ts';
import { upsertMember } from '../../../src/store/merchants/members.ts';
import { suspendAllMerchants } from '../../../src/store/merchants/merchants.ts';
import { markVerified } from '../../../src/store/accounts/users.ts';
import { summariseNotices } from '../../../src/usecases/notices/summarise-notices.ts';
import { sendNotices } from '../../../src/usecases/notices/send-notices.ts';
import { createSecretBox } from '../../../src/wallet/secret-box.ts';
import { newMerchant, newUser, startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';
import { takeMails } from '../../_helpers/outbox.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const REASONS: readonly NoticeReason[] = [
  'reversed',
  'send_failed',
  'webhook_failing',
  'refund_failed',
  'paid',
];

let app: HttpApp;
beforeAll(async () => {
  app = await startHttpApp();
});
afterAll(async () => app.destroy());

const deps = () => ({
  db: app.db,
  clock: { now: () => app.now() },
  logger: SILENT,
  secretBox: createSecretBox(app.keyring),
  baseUrl: 'https://pay.example.com',
  operatorEmail: 'operator@example.com',
});

async function shopOf(owner: { token: string; id: string }): Promise<string> {
  await app.db.transaction(async (tx) => markVerified(tx, owner.id, app.now()));
  return (await newMerchant(app, owner.token)).id;
}

let notices = 0;

async function happen(merchantId: string, reason: NoticeReason): Promise<void> {
  notices += 1;
  await app.db.transaction(async (tx) =>
    insertNotice(tx, {
      key: `${reason} subject-${notices}`,
      reason,
      merchantId,
      mode: 'live',
      subject: `subject-${notices}`,
      detailsJson: '{}',
      createdAt: app.now(),
      dueAt: app.now(),
      toldAt: null,
    }),
  );
}

interface Sent {
  readonly at: number;
  readonly mail: MailMessage;
}

/** What the daemon's loop does; the mails that are queued then. */
async function loop(sent: Sent[]): Promise<void> {
  while ((await sendNotices(deps())) > 0);
  await summariseNotices(deps());
  for (const mail of await takeMails(app)) sent.push({ at: app.now(), mail });
}

const countIn = ({ subject, text }: MailMessage): number =>
  subject.endsWith(' more notices') ? Number(/(\d+) more notices about/.exec(text)?.[1]) : 1;

it('email notices stay below the hourly limit, report every event, and reach only their recipients', async () => {
  const step = fc.record({
    count: fc.integer({ min: 0, max: 40 }),
    minutes: fc.integer({ min: 0, max: 25 }),
    reason: fc.constantFrom(...REASONS),
    shop: fc.constantFrom(0, 1, 2),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const owners = [await newUser(app), await newUser(app)];
      const shops = [await shopOf(owners[0]!), await shopOf(owners[1]!), ''];
      await takeMails(app);
      const sent: Sent[] = [];
      const happened = [0, 0, 0];
      for (const { count, minutes, reason, shop } of steps) {
        for (let each = 0; each < count; each += 1)
          await happen(shops[shop]!, shop === 2 ? 'node_down' : reason);
        // By default no one is notified of each paid payment.
        happened[shop]! += shop !== 2 && reason === 'paid' ? 0 : count;
        await loop(sent);
        app.advance(minutes * MINUTE_MS);
        await loop(sent);
      }
      for (let quarter = 0; quarter < 8; quarter += 1) {
        app.advance(15 * MINUTE_MS);
        await loop(sent);
      }
      const people = [owners[0]!.email, owners[1]!.email, 'operator@example.com'];
      for (const [at, email] of people.entries()) {
        const mine = sent.filter(({ mail }) => mail.to === email);
        expect(mine.reduce((sum, { mail }) => sum + countIn(mail), 0)).toBe(happened[at]);
        for (const { at: end } of mine) {
          const within = mine.filter((other) => other.at <= end && other.at > end - HOUR_MS);
          expect(within.length).toBeLessThanOrEqual(NOTICES_PER_HOUR + 1);
        }
        const others = shops.filter((id, shop) => shop !== at && id !== '');
        for (const { mail } of mine) for (const id of others) expect(mail.text).not.toContain(id);
      }
      expect(sent.every(({ mail }) => people.includes(mail.to))).toBe(true);
      app.advance(2 * HOUR_MS);
    }),
    { numRuns: 12 },
  );
});

it('email notices contain no folder, address or secret, and no order id that a mail client could show as a link', async () => {
  const owner = await newUser(app);
  const shop = await shopOf(owner);
  await takeMails(app);
  await happen(shop, 'webhook_failing');
  await happen('', 'backup_old');
  const sent: Sent[] = [];
  await loop(sent);
  const operator = sent.find(({ mail }) => mail.to === 'operator@example.com')?.mail;
  expect(operator).toMatchObject({
    unsubscribe: null,
    subject: 'pay.example.com: the newest backup is too old',
  });
  expect(operator?.text).not.toContain(app.dir);
  expect(sent.filter(({ mail }) => mail.to === owner.email)).toHaveLength(1);
});

it('an email notice whose time is in the future, after the clock was set back, is sent immediately, with its reminder within a day', async () => {
  const owner = await newUser(app);
  const merchantId = await shopOf(owner);
  await takeMails(app);
  await happen(merchantId, 'send_failed');
  app.advance(-30 * 24 * HOUR_MS);
  await sendNotices(deps());
  expect(await takeMails(app, owner.email)).toHaveLength(1);
  const row = await app.db
    .selectFrom('notices')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .executeTakeFirstOrThrow();
  expect(row.toldAt).toBeLessThanOrEqual(app.now());
  const isLeft = async () => (await dueNotices(app.db, { now: app.now(), reminderMs: 1 }, 10)).length;
  await app.db
    .updateTable('notices')
    .set({ dueAt: app.now() + 24 * HOUR_MS })
    .where('key', '=', row.key)
    .execute();
  app.advance(-24 * HOUR_MS);
  expect(await isLeft()).toBe(1);
  await sendNotices(deps());
  expect(await isLeft()).toBe(0);
  app.advance(31 * 24 * HOUR_MS);
});

it('members receive no notices about a shop that is suspended after a restore', async () => {
  const [owner, member] = [await newUser(app), await newUser(app)];
  const merchantId = await shopOf(owner);
  const now = app.now();
  await app.db.transaction(async (tx) => {
    await markVerified(tx, member.id, now);
    await upsertMember(tx, { merchantId, userId: member.id, role: 'manager', createdAt: now });
  });
  const told = async (): Promise<string[]> => {
    await takeMails(app);
    await happen(merchantId, 'reversed');
    const sent: Sent[] = [];
    await loop(sent);
    return sent.map(({ mail }) => mail.to);
  };
  expect((await told()).toSorted()).toEqual([owner.email, member.email].toSorted());
  await app.db.transaction(async (tx) => suspendAllMerchants(tx, now));
  expect(await told()).toEqual([owner.email]);
});
