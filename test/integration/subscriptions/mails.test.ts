/** Mails to the payers of subscriptions: each once, in time, and only while they apply. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../src/i18n/languages.ts';
import { eraseCustomer } from '../../../src/usecases/customers/erase-customer.ts';
import { editSubscription } from '../../../src/usecases/subscriptions/edit-subscription.ts';
import { subscriptionMail } from '../../../src/http/subscription-page/mail.ts';
import { changePortalEmail } from '../../../src/usecases/subscription-mails/change-email.ts';
import { actInPortal } from '../../../src/usecases/subscriptions/portal-actions.ts';
import { rotatePortalToken } from '../../../src/usecases/subscriptions/portal-token.ts';
import { payAhead } from '../../../src/usecases/subscriptions/pay-ahead.ts';
import { findSubscription } from '../../../src/store/subscriptions/subscriptions.ts';
import { readMails, writeMails, type WrittenMail } from '../../_helpers/subscription-mails.ts';
import { SubscriptionWorld } from '../../_helpers/subscription-world.ts';

const DAY = 86_400_000;

let world: SubscriptionWorld;
beforeEach(async () => {
  world = await SubscriptionWorld.open();
  await world.set({ mailsSubscribers: true });
});
afterEach(async () => world.close());

const kinds = async (): Promise<string[]> =>
  (await readMails(world)).map(({ id }) => id.split('/').slice(1).join(' '));
const newest = async (): Promise<WrittenMail> => {
  const mail = (await readMails(world)).at(-1);
  if (mail === undefined) throw new Error('no mail was written');
  return mail;
};
const token = async (id: string): Promise<string> => {
  const row = await findSubscription(world.deps.db, id);
  return row?.portalTokenSealed ?? '';
};
/** Days pass, and mails are written every day. */
const pass = async (days: number): Promise<void> => {
  for (let day = 0; day < days; day += 1) {
    await world.pass(1);
    await writeMails(world);
  }
};
const byLink = { actor: { kind: 'link', id: 'link_1', role: null } } as const;

const changeEmail = async (page: string, email: string): Promise<void> =>
  changePortalEmail(
    { ...world.deps, baseUrl: 'https://pay.example.com', hasMailServer: true },
    { token: page, email },
    (facts) => subscriptionMail(facts, 'https://pay.example.com'),
  );

function fail(): never {
  throw new Error('killed');
}

describe('queueSubscriptionMails', () => {
  it('mails an invoice, a reminder three days before its period, and its payment', async () => {
    const { id } = await world.subscribe(await world.price('10.00', 'weekly'));
    await writeMails(world);
    expect(await kinds()).toEqual(['0 invoice 0']);
    expect(await newest()).toMatchObject({ to: 'payer@example.com', link: null, unsubscribe: null });
    expect((await newest()).subject).toMatch(/: the first payment for your subscription$/);
    expect((await newest()).text).toContain(`https://pay.example.com/s/${await token(id)}?lang=en`);
    await world.pay(id);
    await writeMails(world);
    expect((await newest()).text).toMatch(
      /Thank you: your payment for “Tea club” arrived\. It is paid until /,
    );
    await pass(8);
    expect(await kinds()).toEqual(['0 invoice 0', '0 paid 0', '1 invoice 0', '1 reminder 0', '1 past_due 0']);
    const [, , invoice, reminder, overdue] = await readMails(world);
    expect(invoice?.subject).toMatch(/: \$10\.00 due on /);
    expect(reminder?.subject).toMatch(/: reminder, \$10\.00 due on /);
    expect(overdue?.subject).toMatch(/: \$10\.00 is overdue$/);
    expect(overdue?.text).toMatch(/You can use the subscription until .+ otherwise it ends/);
  });

  it('mails each third day of grace, and the end', async () => {
    const { id } = await world.subscribe(await world.price('10.00', 'weekly'));
    await world.pay(id);
    await pass(15);
    expect((await world.read(id)).status).toBe('ended');
    expect((await kinds()).filter((kind) => !kind.startsWith('0'))).toEqual([
      '1 invoice 0',
      '1 reminder 0',
      '1 past_due 0',
      '1 past_due 1',
      '1 past_due 2',
      '2 ended 0',
    ]);
    expect((await newest()).text).toContain('You owe nothing');
  });

  it('writes one mail however often it runs, also after the clock was set back', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id);
    await pass(25);
    const written = await kinds();
    await writeMails(world);
    world.payments.advance(-10 * DAY);
    await world.tick();
    await writeMails(world);
    world.payments.advance(10 * DAY);
    await world.tick();
    await writeMails(world);
    expect(await kinds()).toEqual(written);
    expect(await world.invoices(id)).toHaveLength(2);
  });

  it('merges what came due during a downtime into one mail', async () => {
    const { id } = await world.subscribe(await world.price('10.00', 'daily'));
    await world.pay(id, 450n);
    await world.pass(40);
    for (let run = 0; run < 5; run += 1) await world.tick();
    await writeMails(world);
    expect(
      (await world.invoices(id)).map(({ status }) => status).filter((status) => status === 'open'),
    ).toEqual(['open']);
    expect(await readMails(world)).toHaveLength(1);
    const mail = await newest();
    expect(mail.subject).toMatch(/is overdue$/);
    expect(mail.text).toContain('Thank you');
  });

  it('does not remind of an invoice that was paid', async () => {
    const { id } = await world.subscribe(await world.price('10.00', 'weekly'));
    await writeMails(world);
    await world.pay(id);
    await writeMails(world);
    await pass(2);
    await world.pay(id);
    await pass(3);
    expect(await kinds()).toEqual(['0 invoice 0', '0 paid 0', '1 invoice 0', '1 paid 0']);
  });

  it('mails a pause, a continuation and a cancellation, each once in a period', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id);
    await writeMails(world);
    await world.set({ payerMayPause: true });
    const page = await token(id);
    for (let round = 0; round < 5; round += 1) {
      await actInPortal(world.deps, page, 'pause');
      await writeMails(world);
      world.payments.advance(DAY);
      await actInPortal(world.deps, page, 'resume');
      await writeMails(world);
      world.payments.advance(1_000);
      await actInPortal(world.deps, page, 'cancel');
      await writeMails(world);
      await actInPortal(world.deps, page, 'keep');
      await writeMails(world);
    }
    expect((await kinds()).slice(1)).toEqual(['1 paused 0', '1 resumed 0', '1 cancelled 0']);
    expect((await newest()).text).toMatch(/is cancelled\. You can use it until /);
  });

  it('writes nothing about a cancellation that was undone before', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id);
    await writeMails(world);
    const edit = async (cancelAtPeriodEnd: boolean) =>
      editSubscription(world.deps, {
        merchant: await world.merchant(),
        subscriptionId: id,
        cancelAtPeriodEnd,
      });
    await edit(true);
    await edit(false);
    await writeMails(world);
    expect(await readMails(world)).toHaveLength(1);
  });

  it('mails an invoice that is paid ahead at its usual time only', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id);
    await writeMails(world);
    await payAhead(world.deps, await token(id));
    await writeMails(world);
    expect(await kinds()).toEqual(['0 paid 0']);
    await pass(20);
    expect(await kinds()).toEqual(['0 paid 0']);
    await pass(4);
    expect(await kinds()).toEqual(['0 paid 0', '1 invoice 0']);
  });

  it('stores the mail and its mark in one transaction', async () => {
    await world.subscribe(await world.price('10.00'));
    await writeMails(world, { secretBox: { ...world.deps.secretBox, seal: fail } });
    expect(await readMails(world)).toEqual([]);
    world.payments.advance(60_000);
    await writeMails(world);
    expect(await kinds()).toEqual(['0 invoice 0']);
  });

  it('writes nothing where the shop has switched the mails off, without a mail server, or for an erased customer', async () => {
    const priceId = await world.price('10.00');
    await world.set({ mailsSubscribers: false });
    await world.subscribe(priceId);
    await writeMails(world);
    await world.set({ mailsSubscribers: true });
    await world.subscribe(priceId);
    await writeMails(world, { hasMailServer: false });
    const { customerId } = await world.subscribe(priceId);
    await eraseCustomer(world.deps, { userId: world.payments.wallet.merchant.userId, customerId });
    await writeMails(world);
    expect(await readMails(world)).toEqual([]);
  });

  it('drops a mail that was not sent yet when its customer is erased', async () => {
    const { customerId } = await world.subscribe(await world.price('10.00'));
    await writeMails(world);
    await eraseCustomer(world.deps, { userId: world.payments.wallet.merchant.userId, customerId });
    const mails = await world.deps.db.selectFrom('mails').select(['state', 'bodySealed']).execute();
    expect(mails).toEqual([{ state: 'failed', bodySealed: null }]);
  });

  it('has the new address of the page in mails that wait when the address is replaced', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    const earlier = await token(id);
    await writeMails(world);
    await rotatePortalToken(world.deps, { merchantId: world.merchantId, subscriptionId: id });
    const { text, html } = await newest();
    expect(await token(id)).not.toBe(earlier);
    expect(`${text}${html}`).not.toContain(earlier);
    expect(text).toContain(`/s/${await token(id)}?`);
    expect(html).toContain(`/s/${await token(id)}?`);
  });

  it.each(LANGUAGES)('has the texts of every mail in %s', async (locale) => {
    const { id } = await world.subscribe(await world.price('10.00'), { locale, trialDays: 20 });
    await pass(40);
    const paying = await world.subscribe(await world.price('12.00'), { locale });
    await world.pay(paying.id);
    await pass(30);
    await world.act(paying.id, { type: 'pause', by: 'merchant' });
    await writeMails(world);
    await world.act(paying.id, { type: 'resume', by: 'merchant' });
    await writeMails(world);
    await world.act(paying.id, { type: 'cancel', by: 'merchant', atPeriodEnd: false });
    await writeMails(world);
    expect((await world.read(id)).status).toBe('ended');
    const mails = await readMails(world);
    for (const { subject, text, html } of mails)
      expect(`${subject}\n${text}\n${html}`).not.toMatch(/[{}]|undefined/);
    expect(mails.at(-1)?.text).toContain(`?lang=${locale}`);
    expect(new Set((await kinds()).map((kind) => kind.split(' ')[1]))).toEqual(
      new Set(['invoice', 'reminder', 'past_due', 'ended', 'paid', 'paused', 'resumed', 'cancelled']),
    );
  });
});

describe('mails about a subscription that a link started', () => {
  it('are one until it is paid, and then like those of any other', async () => {
    const { id } = await world.subscribe(await world.price('10.00'), byLink);
    await pass(12);
    expect((await world.read(id)).status).toBe('ended');
    expect(await kinds()).toEqual(['0 invoice 0']);
    const paid = await world.subscribe(await world.price('11.00'), byLink);
    await world.pay(paid.id);
    await writeMails(world);
    expect((await newest()).text).toContain('Thank you');
  });

  it('are three a day to one mailbox, and take nothing from the limit of paid subscriptions', async () => {
    const paying = await world.subscribe(await world.price('10.00'));
    await world.pay(paying.id);
    await writeMails(world);
    for (let n = 0; n < 6; n += 1) {
      const payer = { kind: 'email', email: `payer+${n}@example.com`, metadata: {} } as const;
      await world.subscribe(await world.price('10.00'), { ...byLink, payer });
      await writeMails(world);
    }
    const starts = await world.deps.db
      .selectFrom('mails')
      .select('id')
      .where('kind', '=', 'subscription-start')
      .execute();
    expect(starts).toHaveLength(3);
    await world.act(paying.id, { type: 'pause', by: 'merchant' });
    await writeMails(world);
    expect((await newest()).text).toContain('is paused');
  });

  it('are a hundred a day of one shop', async () => {
    const priceId = await world.price('10.00');
    for (let n = 0; n < 103; n += 1) {
      const payer = { kind: 'email', email: `person-${n}@example.com`, metadata: {} } as const;
      await world.subscribe(priceId, { ...byLink, payer });
      await writeMails(world);
    }
    expect(await readMails(world)).toHaveLength(100);
  });
});

describe('a mailbox with many subscriptions', () => {
  it('gets twenty mails a day, and the others when the limit allows them', async () => {
    const priceId = await world.price('10.00');
    for (let n = 0; n < 22; n += 1) await world.subscribe(priceId);
    await writeMails(world);
    expect(await readMails(world)).toHaveLength(20);
    world.payments.advance(DAY + 1_000);
    await writeMails(world);
    expect(await readMails(world)).toHaveLength(22);
  });
});

describe('a changed address of mails', () => {
  it('is reported to the former address once, in masked form, and gets the mails that follow', async () => {
    const { id } = await world.subscribe(await world.price('10.00', 'weekly'), { locale: 'de' });
    await world.pay(id);
    await writeMails(world);
    const before = (await readMails(world)).length;
    const page = await token(id);
    await changeEmail(page, 'thief@example.com');
    await changeEmail(page, 'THIEF@example.com');
    const [notice, ...others] = (await readMails(world)).slice(before);
    expect(others).toEqual([]);
    expect(notice).toMatchObject({ to: 'payer@example.com' });
    expect(notice?.subject).toMatch(/: E-Mails zu Ihrem Abo gehen an eine andere Adresse$/);
    expect(notice?.text).not.toContain('thief@');
    await pass(3);
    expect(await newest()).toMatchObject({ to: 'THIEF@example.com' });
  });

  it('is not reported by a shop that mails its subscribers itself, nor to an address that a stranger entered', async () => {
    const link = await world.subscribe(await world.price('10.00'), byLink);
    await changeEmail(await token(link.id), 'other@example.com');
    await world.pay(link.id);
    await world.set({ mailsSubscribers: false });
    await changeEmail(await token(link.id), 'third@example.com');
    expect(await readMails(world)).toEqual([]);
  });
});

describe('a hostile name or address', () => {
  it('starts no header and no link', async () => {
    await world.set({ name: 'Tea\r\nBcc: victim@example.com' });
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.deps.db.updateTable('products').set({ name: 'Call\n<b>evil.example</b>' }).execute();
    await writeMails(world);
    const mail = await newest();
    expect(mail.subject).not.toMatch(/[\r\n]|Bcc/);
    expect(mail.html).not.toContain('<b>');
    expect(mail.text).not.toContain('evil.example');
    const page = await token(id);
    await expect(changeEmail(page, 'a@example.com\r\nBcc: b@example.com')).rejects.toThrow('e-mail address');
  });
});
