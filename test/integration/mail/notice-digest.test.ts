import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Calendar } from '../../../src/domain/calendar.ts';
import { dismissItem } from '../../../src/usecases/attention/dismiss-item.ts';
import { roleScopes, type MemberRole } from '../../../src/domain/roles.ts';
import { LANGUAGES, type Language } from '../../../src/i18n/languages.ts';
import { putNoticeChoice, putNoticeLanguage } from '../../../src/store/notices/notice-choices.ts';
import type { MailText } from '../../../src/usecases/mail/mail-texts.ts';
import { sendDigests } from '../../../src/usecases/notices/send-digests.ts';
import { LinkWorld } from '../refunds/link-world.ts';

const HOUR_MS = 3_600_000;
const ZONE = 'Pacific/Auckland';

let world: LinkWorld;

beforeEach(async () => {
  world = await LinkWorld.open();
  const { db } = world.shop.world.deps;
  await db.updateTable('users').set({ isVerified: true }).execute();
  await db.updateTable('merchants').set({ timeZone: ZONE }).execute();
  await choose('digest');
  await choose('test_payments');
});
afterEach(async () => world[Symbol.asyncDispose]());

const shop = () => world.shop.world.merchant;
const now = (): number => world.shop.world.clock.now();

async function choose(
  kind: 'digest' | 'test_payments',
  enabled = true,
  userId = shop().userId,
): Promise<void> {
  const row = { userId, merchantId: shop().id, kind, enabled, updatedAt: now() };
  await world.shop.world.deps.db.transaction(async (tx) => putNoticeChoice(tx, row));
}

const noFaults = {
  isBackupTooOld: () => false,
  isReplicaBehind: () => false,
  isCertificateEnding: () => false,
  areRatesUnsure: () => false,
  newerRelease: () => null,
};

function deps() {
  const baseUrl = 'https://pay.example.com';
  const known = { ...world.deps(), baseUrl, operatorEmail: null };
  return { ...known, attention: { ...known, followedChains: () => [], faults: noFaults } };
}

/** Moves the clock to the next time of day of the shop. */
function moveTo(hour: number, minute = 0): void {
  const calendar = new Calendar(ZONE);
  const local = new Date(calendar.wallTimeAt(now()));
  const minutes = (hour - local.getUTCHours()) * 60 + minute - local.getUTCMinutes();
  world.shop.world.clock.advance((minutes > 0 ? minutes : minutes + 24 * 60) * 60_000);
}

async function mails(): Promise<MailText[]> {
  const rows = await world.shop.world.deps.db
    .selectFrom('mails')
    .select('bodySealed')
    .where('kind', '=', 'shop-notice')
    .orderBy('createdAt')
    .execute();
  return rows.map(({ bodySealed }) => JSON.parse(bodySealed ?? '{}') as MailText);
}

const digest = async (): Promise<number> => {
  await sendDigests(deps());
  return (await mails()).length;
};

async function overpaid(): Promise<{ id: string }> {
  const payment = await world.paid('exact');
  await world.pay(payment, 'overpay');
  return payment;
}

async function addMember(role: MemberRole): Promise<string> {
  const { db } = world.shop.world.deps;
  const owner = await db.selectFrom('users').selectAll().executeTakeFirstOrThrow();
  const userId = `usr_${role}`;
  const email = `${role}@shop.example`;
  await db
    .insertInto('users')
    .values({ ...owner, id: userId, email, emailKey: email })
    .execute();
  await db.insertInto('members').values({ merchantId: shop().id, userId, role, createdAt: now() }).execute();
  await choose('digest', true, userId);
  await choose('test_payments', true, userId);
  return userId;
}

describe('sendDigests (daily email with open decisions)', () => {
  it('sends open decisions once a day at 8:00 in the time zone of the shop', async () => {
    const payment = await overpaid();
    await world.paid('exact');
    moveTo(7, 59);
    expect(await digest()).toBe(0);
    moveTo(8);
    expect(await digest()).toBe(1);
    const [mail] = await mails();
    const { orderId } = await world.read(payment);
    expect(mail?.subject).toMatch(/: Needs you \(1\)$/);
    expect(mail?.text).toContain(`Test: A payer paid too much · Order ${orderId} · 0.`);
    expect(mail?.text).toContain(`https://pay.example.com/dashboard/shop/${shop().id}/attention`);
    expect(mail?.unsubscribe).toContain('/notices/off?token=');
    for (const hour of [9, 11, 13, 20]) {
      moveTo(hour);
      expect(await digest()).toBe(1);
    }
    moveTo(8, 30);
    expect(await digest()).toBe(2);
  });

  it('sends nothing when there is no open decision at 8:00, also when one appears later that day', async () => {
    moveTo(8);
    expect(await digest()).toBe(0);
    await overpaid();
    moveTo(10);
    expect(await digest()).toBe(0);
    moveTo(8);
    expect(await digest()).toBe(1);
  });

  it('sends a missed email later that morning, but not in the afternoon', async () => {
    await overpaid();
    moveTo(11, 30);
    expect(await digest()).toBe(1);
    moveTo(13);
    await choose('digest', false);
    moveTo(12, 30);
    await choose('digest');
    expect(await digest()).toBe(1);
  });

  it('sends one email when several runs race, and none again when clock or time zone are changed', async () => {
    await overpaid();
    moveTo(8);
    await Promise.all([sendDigests(deps()), sendDigests(deps()), sendDigests(deps())]);
    expect(await digest()).toBe(1);
    const { clock } = world.shop.world;
    clock.advance(24 * HOUR_MS);
    expect(await digest()).toBe(2);
    clock.advance(-24 * HOUR_MS);
    expect(await digest()).toBe(2);
    clock.advance(24 * HOUR_MS);
    expect(await digest()).toBe(2);
    // In the new zone it is the morning of another day.
    await world.shop.world.deps.db.updateTable('merchants').set({ timeZone: 'Pacific/Honolulu' }).execute();
    for (let hour = 0; hour < 19; hour++) {
      clock.advance(HOUR_MS);
      expect(await digest()).toBe(2);
    }
  });

  it('stores neither the sent mark nor the email when the transaction fails, and sends the email in the next run', async () => {
    await overpaid();
    moveTo(8);
    const { secretBox } = deps();
    let calls = 0;
    const failing = {
      ...secretBox,
      // The first one seals the address to unsubscribe, the second one the mail.
      seal: (text: string): string => {
        calls += 1;
        if (calls > 1) throw new Error('killed');
        return secretBox.seal(text);
      },
    };
    await sendDigests({ ...deps(), secretBox: failing });
    expect(await mails()).toEqual([]);
    expect(await digest()).toBe(1);
  });

  it('omits dismissed items, sandbox items unless selected, and users who disabled the email', async () => {
    const payment = await overpaid();
    await choose('test_payments', false);
    moveTo(8);
    expect(await digest()).toBe(0);
    await choose('test_payments');
    await choose('digest', false);
    moveTo(8);
    expect(await digest()).toBe(0);
    await choose('digest');
    const scopes = roleScopes('owner');
    const actor = { role: 'owner', kind: 'user', id: shop().userId } as const;
    const reader = { merchant: shop(), scopes, actor };
    await dismissItem(deps().attention, reader, { id: payment.id, note: null });
    moveTo(8);
    expect(await digest()).toBe(0);
  });

  it('sends each member the items that their role may read, in their language', async () => {
    await overpaid();
    const clerk = await addMember('clerk');
    await world.shop.world.deps.db.transaction(async (tx) => putNoticeLanguage(tx, clerk, 'de'));
    moveTo(8);
    expect(await digest()).toBe(2);
    const words = (await mails()).map(({ text }) => /Bestellung|Order/.exec(text)?.[0]);
    expect(new Set(words)).toEqual(new Set(['Bestellung', 'Order']));
  });

  it.each(LANGUAGES as readonly Language[])('fills in all texts in %s', async (language) => {
    await overpaid();
    const { db } = world.shop.world.deps;
    await db.transaction(async (tx) => putNoticeLanguage(tx, shop().userId, language));
    moveTo(8);
    expect(await digest()).toBe(1);
    const [mail] = await mails();
    expect(`${mail?.subject}\n${mail?.text}`).not.toMatch(/[{}]|undefined/);
  });
});
