/** Mails to those who may approve a send that waits, by SMTP. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../src/i18n/languages.ts';
import { noticeTexts } from '../../../src/usecases/notices/index.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { arrived, to } from '../../_helpers/notice-mails.ts';
import { newPerson, type Person, signedIn } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';
import { readable, subjectOf } from '../../_helpers/smtp-sink.ts';
import { paidPayment, World } from '../api/world.ts';
import { type Approver, newApprover, prove, withApp } from '../limits/approver.ts';

const MERGED_MS = 15 * 60_000;
const SUBJECT = /wait for approval/;
const waiting = (count: number): string => `Test: Shop: sends wait for approval (${count})`;

let world: World;
let payee: string;
let owner: Approver;
let shop: Shop;
let first: Approver;
let second: Approver;

beforeAll(async () => {
  world = await World.start(undefined, { TILLD_BASE_URL: 'https://pay.example.com' });
  payee = (await Shop.open(world.till.api)).wallets.BTC;
});
afterAll(async () => world.end());
beforeEach(async () => {
  const { api } = world.till;
  const person = await newPerson(api, 'owner');
  await world.confirm(person);
  shop = await Shop.open(api, { owner: person.token });
  owner = await withApp(await signedIn(api, person.email), world);
  await paidPayment(shop, { amount: '20000' });
  first = await newApprover(world, owner.session, shop.merchantId);
  second = await newApprover(world, owner.session, shop.merchantId);
  for (const { session } of [owner, first, second]) await choose(session, { testPayments: true });
});

const choose = async (session: Person['session'], fields: object): Promise<void> => {
  const { body } = await session.call('PATCH', '/merchant/notices', {
    merchantId: shop.merchantId,
    ...fields,
  });
  expect(body.error).toBeNull();
};
const limit = async (approvers: readonly Person[]): Promise<void> => {
  const body = {
    merchantId: shop.merchantId,
    perSend: '1',
    approvers: approvers.map(({ userId }) => userId),
  };
  await prove(owner.session, owner.app);
  expect((await owner.session.call('PATCH', '/merchant/wallet/limits', body)).body.error).toBeNull();
};
const send = async (token = shop.secretKey): Promise<string> => {
  const body = { coin: 'BTC', amount: '0.001', destination: payee };
  const held = await world.till.api.call<{ id: string }>('POST', '/merchant/wallet/send', { token, body });
  expect(held.status).toBe(202);
  return held.body.data.id;
};
const subjects = async ({ email }: Person, count: number): Promise<string[]> =>
  (await arrived(world.smtp, email, SUBJECT, count)).map(subjectOf);
const counts = (people: readonly Person[]): number[] =>
  people.map(({ email }) => to(world.smtp, email, SUBJECT).length);

describe('emails about sends that need an approval', () => {
  it('are sent once to each approver for several sends, without amounts and addresses', async () => {
    await limit([first, second]);
    await send();
    const [mail] = await arrived(world.smtp, first.email, SUBJECT);
    expect(subjectOf(mail!)).toBe(waiting(1));
    const text = readable(mail!.raw);
    expect(text).toContain(`https://pay.example.com/dashboard/shop/${shop.merchantId}/wallet`);
    expect(text).not.toContain(payee);
    expect(text).not.toContain('0.001');
    for (let more = 0; more < 3; more += 1) await send();
    world.till.clock.advance(MERGED_MS);
    const both = [waiting(1), waiting(4)];
    expect(await subjects(first, 2)).toEqual(both);
    expect(await subjects(second, 2)).toEqual(both);
    expect(counts([owner, first, second])).toEqual([0, 2, 2]);
  });

  it('are not sent to the person who requested the send, and count only sends that still need an approval', async () => {
    await limit([owner, second]);
    await send();
    expect(await subjects(second, 1)).toEqual([waiting(1)]);
    expect(counts([owner, first])).toEqual([0, 0]);
    const rejected = await send();
    await second.session.call('POST', '/merchant/wallet/send/reject', {
      merchantId: shop.merchantId,
      sendId: rejected,
    });
    await send();
    world.till.clock.advance(MERGED_MS);
    expect(await subjects(second, 2)).toEqual([waiting(1), waiting(2)]);
    expect(counts([owner, first])).toEqual([0, 0]);
  });

  it('are sent to the owner who requested the send if no other person may approve it, and cannot be switched off', async () => {
    await limit([]);
    await send();
    expect(await subjects(owner, 1)).toEqual([waiting(1)]);
    expect(counts([first, second])).toEqual([0, 0]);
    const off = await owner.session.call('PATCH', '/merchant/notices', {
      merchantId: shop.merchantId,
      kinds: { approval: false },
    });
    expect(off.body.error?.code).toBe('VALIDATION_INVALID');
  });

  it.each(LANGUAGES)('are written in %s', async (language) => {
    await limit([first]);
    await choose(first.session, { language });
    await send();
    const mail = await eventually(
      'the mail',
      () =>
        world.smtp.mails.find(
          (one) => one.to[0] === first.email && readable(one.raw).includes(`${shop.merchantId}/wallet`),
        ),
      (found) => found !== undefined,
    );
    const text = Buffer.from(readable(mail?.raw ?? ''), 'latin1').toString();
    expect(text).toContain(noticeTexts(language).bodies.approval_needed.split('{count}').at(-1));
    expect(mail?.raw).not.toContain('List-Unsubscribe');
  });
});
