/** The month-end mail: what a bookkeeper finds in the mailbox on the first of the next month. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Calendar } from '../../../src/domain/calendar.ts';
import type { MailMessage } from '../../../src/domain/mail.ts';
import { putNoticeChoice, putNoticeLanguage } from '../../../src/store/notices/notice-choices.ts';
import { sendMonthEnds, type AttachMonth } from '../../../src/usecases/notices/send-month-ends.ts';
import { LinkWorld } from '../refunds/link-world.ts';

const HOUR_MS = 3_600_000;
const ZONE = 'Pacific/Auckland';
const FILE = { name: 'month.pdf', type: 'application/pdf', base64: 'JVBERi0=' };

let world: LinkWorld;
let attachMonth: AttachMonth = async () => [FILE];

beforeEach(async () => {
  attachMonth = async () => [FILE];
  world = await LinkWorld.open();
  const { db } = world.shop.world.deps;
  await db.updateTable('users').set({ isVerified: true }).execute();
  await db.updateTable('merchants').set({ timeZone: ZONE }).execute();
  await choose(true);
});
afterEach(async () => world[Symbol.asyncDispose]());

const shop = () => world.shop.world.merchant;
const now = (): number => world.shop.world.clock.now();

async function choose(enabled: boolean): Promise<void> {
  const row = {
    userId: shop().userId,
    merchantId: shop().id,
    kind: 'month_end' as const,
    enabled,
    updatedAt: now(),
  };
  await world.shop.world.deps.db.transaction(async (tx) => putNoticeChoice(tx, row));
}

const deps = () => ({
  ...world.deps(),
  baseUrl: 'https://pay.example.com',
  operatorEmail: null,
  attachMonth: async (...given: Parameters<AttachMonth>) => attachMonth(...given),
});

async function mails(): Promise<MailMessage[]> {
  const rows = await world.shop.world.deps.db
    .selectFrom('mails')
    .select('bodySealed')
    .where('kind', '=', 'shop-notice')
    .execute();
  return rows.map(({ bodySealed }) => JSON.parse(bodySealed ?? '{}') as MailMessage);
}

async function count(): Promise<number> {
  await sendMonthEnds(deps());
  return (await mails()).length;
}

/** Moves the clock to an hour of a day of the next month of the shop. */
function moveToNextMonth(day: number, hour: number): string {
  const calendar = new Calendar(ZONE);
  const month = calendar.dayAt(now()).slice(0, 7);
  const { beforeMs } = calendar.monthRange(month);
  world.shop.world.clock.advance(beforeMs + ((day - 1) * 24 + hour) * HOUR_MS - now());
  return month;
}

/** Money in live mode, which is what a bookkeeper is told of. */
async function liveMoney(): Promise<void> {
  await world.paid('exact');
  const { db } = world.shop.world.deps;
  await db.updateTable('movements').set({ mode: 'live' }).execute();
}

describe('sendMonthEnds', () => {
  it('sends the files of the month that has ended once, from the morning of the first on', async () => {
    await liveMoney();
    const month = moveToNextMonth(1, 7);
    expect(await count()).toBe(0);
    world.shop.world.clock.advance(HOUR_MS);
    expect(await count()).toBe(1);
    const [mail] = await mails();
    const name = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
    expect(mail?.subject).toContain(name.format(Date.parse(`${month}-01`)));
    expect(mail?.attachments).toEqual([FILE]);
    expect(mail?.text).toContain(`https://pay.example.com/dashboard/shop/${shop().id}/books`);
    expect(mail?.unsubscribe).toContain('/notices/off?token=');
    world.shop.world.clock.advance(24 * HOUR_MS);
    expect(await count()).toBe(1);
  });

  it('sends one mail when rounds race, and none again when the clock is set back', async () => {
    await liveMoney();
    moveToNextMonth(1, 9);
    await Promise.all([sendMonthEnds(deps()), sendMonthEnds(deps()), sendMonthEnds(deps())]);
    expect(await count()).toBe(1);
    world.shop.world.clock.advance(-3 * 24 * HOUR_MS);
    expect(await count()).toBe(1);
    world.shop.world.clock.advance(4 * 24 * HOUR_MS);
    expect(await count()).toBe(1);
  });

  it('catches up until the tenth after a downtime, and not later', async () => {
    await liveMoney();
    moveToNextMonth(11, 9);
    expect(await count()).toBe(0);
    world.shop.world.clock.advance(-24 * HOUR_MS);
    expect(await count()).toBe(1);
  });

  it('sends nothing about a month without a movement, about test payments, or without the choice', async () => {
    await world.paid('exact');
    moveToNextMonth(1, 9);
    expect(await count()).toBe(0);
    await liveMoney();
    await choose(false);
    moveToNextMonth(1, 9);
    expect(await count()).toBe(0);
  });

  it('sends nothing to an address that is not confirmed', async () => {
    await liveMoney();
    await world.shop.world.deps.db.updateTable('users').set({ isVerified: false }).execute();
    moveToNextMonth(1, 9);
    expect(await count()).toBe(0);
  });

  it('sends the link alone when the files are too large, in the language of the reader', async () => {
    attachMonth = async () => [{ ...FILE, base64: 'A'.repeat(2_000_001) }];
    const { db } = world.shop.world.deps;
    await db.transaction(async (tx) => putNoticeLanguage(tx, shop().userId, 'de'));
    await liveMoney();
    moveToNextMonth(1, 9);
    expect(await count()).toBe(1);
    const [mail] = await mails();
    expect(mail?.attachments).toEqual([]);
    expect(mail?.text).toContain('Laden Sie sie unter „Buchhaltung“ herunter');
  });

  it('retries a month whose files could not be made', async () => {
    attachMonth = async () => {
      throw new Error('no memory');
    };
    await liveMoney();
    moveToNextMonth(1, 9);
    expect(await count()).toBe(0);
    attachMonth = async () => [FILE];
    expect(await count()).toBe(1);
  });
});
