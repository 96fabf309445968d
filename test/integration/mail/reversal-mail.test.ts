import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../../src/i18n/languages.ts';
import type { MailText } from '../../../src/usecases/mail/mail-texts.ts';
import { storeEventNotices } from '../../../src/usecases/notices/store-event-notices.ts';
import { LinkWorld } from '../refunds/link-world.ts';

/** The address of the customer of every order of this shop. */
const PAYER = 'payer@example.com';

let world: LinkWorld;

beforeEach(async () => {
  world = await LinkWorld.open();
  // In the sandbox only people of the shop get mails as payers.
  await db().updateTable('users').set({ isVerified: true, email: PAYER, emailKey: PAYER }).execute();
  await round();
});
afterEach(async () => world[Symbol.asyncDispose]());

const db = () => world.shop.world.deps.db;
const deps = () => ({ ...world.deps(), baseUrl: 'https://pay.example.com' });
const round = async (of: object = {}) => storeEventNotices({ ...deps(), ...of }, true);

async function mails(): Promise<(MailText & { to: string })[]> {
  const rows = await db()
    .selectFrom('mails')
    .select('bodySealed')
    .where('id', 'like', 'reversed%')
    .orderBy('createdAt')
    .execute();
  return rows.map(({ bodySealed }) => JSON.parse(bodySealed ?? '{}') as MailText & { to: string });
}

async function reversed(): Promise<{ id: string }> {
  const payment = await world.shop.order(['LTC']);
  await world.shop.simulate(payment, { scenario: 'double-spend', coin: 'LTC' });
  return payment;
}

function fail(): never {
  throw new Error('killed');
}

describe('storeEventNotices for payment.reversed', () => {
  it('queues an email to the payer once when the network drops the money', async () => {
    const { id } = await reversed();
    await round();
    await round();
    const [mail, ...more] = await mails();
    expect(more).toEqual([]);
    expect(mail?.to).toBe(PAYER);
    expect(mail?.subject).toMatch(/^Test: .+: the network dropped your payment for order-1$/);
    expect(mail?.text).toContain('check your wallet before paying again');
    expect(mail?.text).toContain(`https://pay.example.com/checkout/${id}?lang=en`);
  });

  it('queues no email when the dropped money is seen again before the email is queued', async () => {
    const payment = await reversed();
    await world.shop.simulate(payment, { scenario: 'exact', coin: 'LTC' });
    expect((await world.read(payment)).exception).toBeNull();
    await round();
    expect(await mails()).toEqual([]);
  });

  it('queues another email when the money is dropped again', async () => {
    const payment = await reversed();
    await round();
    await world.shop.simulate(payment, { scenario: 'double-spend', coin: 'LTC' });
    await round();
    expect(await mails()).toHaveLength(2);
  });

  it('queues no email to payers in sandbox mode', async () => {
    await db()
      .updateTable('users')
      .set({ email: 'owner@example.com', emailKey: 'owner@example.com' })
      .execute();
    await reversed();
    await round();
    expect(await mails()).toEqual([]);
  });

  it('queues the email in the transaction that marks the event as processed', async () => {
    await reversed();
    await expect(round({ secretBox: { ...deps().secretBox, seal: fail } })).rejects.toThrow('killed');
    expect(await mails()).toEqual([]);
    await round();
    expect(await mails()).toHaveLength(1);
  });

  it.each(LANGUAGES as readonly Language[])('fills in all texts of a reversal in %s', async (language) => {
    const { id } = await reversed();
    await db().updateTable('payments').set({ locale: language }).where('id', '=', id).execute();
    await round();
    const [mail] = await mails();
    expect(`${mail?.subject}\n${mail?.text}`).not.toMatch(/[{}]|undefined/);
    expect(mail?.text).toContain(`lang=${language}`);
  });
});
