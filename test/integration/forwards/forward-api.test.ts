/** Forwards to cold storage as an owner, a key and the reader of a mail see them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { newMember, newPerson, type Person, signedIn } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';
import { readable } from '../../_helpers/smtp-sink.ts';
import { choose, to } from '../../_helpers/notice-mails.ts';
import { World } from '../api/world.ts';
import { COLD_KEY } from './forward-world.ts';

let world: World;
let cold: string;
beforeAll(async () => {
  world = await World.start(undefined, { TILLD_FORWARD_DELAY: '24h' });
  cold = (await Shop.open(world.till.api)).wallets.BTC;
});
afterAll(async () => world.end());

interface ForwardJson {
  readonly [field: string]: unknown;
  readonly destination: string | null;
  readonly pending: { readonly addresses: string[]; readonly descriptor: string | null } | null;
}

let owner: Person;
let shop: Shop;
beforeEach(async () => {
  const { api } = world.till;
  const person = await newPerson(api, 'owner');
  await world.confirm(person);
  shop = await Shop.open(api, { owner: person.token });
  await choose(shop, { testPayments: true });
  owner = await signedIn(api, person.email);
});

const edit = async (terms: object, session = owner.session) =>
  session.call<ForwardJson>('PATCH', '/merchant/wallet/forward', {
    merchantId: shop.merchantId,
    coin: 'BTC',
    ...terms,
  });
const list = async () =>
  (
    await world.till.api.must<{ forwards: ForwardJson[] }>('GET', '/merchant/wallet/forward', {
      token: shop.secretKey,
    })
  ).forwards;

async function mails(subject: RegExp, count = 1) {
  return eventually(
    `${count} mails about ${subject.source}`,
    () => to(world.smtp, owner.email, subject),
    (found) => found.length >= count,
    30_000,
  );
}

describe('PATCH /merchant/wallet/forward', () => {
  it('shows the next addresses of a descriptor before it takes effect, to keys with wallet:read as well', async () => {
    const answer = await edit({
      descriptor: COLD_KEY,
      threshold: '0.1',
      keep: '0.01',
      intervalMinutes: 1440,
    });
    expect(answer.body.error).toBeNull();
    expect(answer.body.data).toMatchObject({
      coin: 'BTC',
      active: true,
      destination: null,
      descriptor: null,
      keep: '0.01',
      threshold: '0.1',
      intervalMinutes: 1440,
      status: 'no_destination',
    });
    expect(answer.body.data.pending?.addresses).toHaveLength(5);
    expect(await list()).toEqual([answer.body.data]);
  });

  it('is refused to members, keys and sessions without a recent proof, and repeats no private key', async () => {
    const manager = await newMember(world.till.api, owner.session, {
      merchantId: shop.merchantId,
      role: 'manager',
    });
    const terms = { destination: cold, threshold: '0.1' };
    expect((await edit(terms, manager.session)).status).toBe(403);
    const body = { merchantId: shop.merchantId, coin: 'BTC', ...terms };
    const byKey = await world.till.api.call('PATCH', '/merchant/wallet/forward', {
      token: shop.secretKey,
      body,
    });
    expect(byKey.status).toBe(401);
    const secret = `tprv${'8'.repeat(107)}`;
    const refused = await edit({ descriptor: secret, threshold: '0.1' });
    expect(refused.body.error?.code).toBe('VALIDATION_INVALID');
    expect(JSON.stringify(refused.body)).not.toContain(secret.slice(4, 40));
    expect(await list()).toEqual([]);
  });
});

describe('the mail about a new destination', () => {
  it('shows its first address and has a link that undoes it, once, by its button alone', async () => {
    const { body } = await edit({ descriptor: COLD_KEY, threshold: '0.1' });
    const [mail] = await mails(/BTC is to be forwarded to another wallet/);
    const text = readable(mail?.raw ?? '');
    expect(text).toContain(body.data.pending?.addresses[0]);
    const [link = ''] = /http\S+\/notices\/forward\?token=[^\s"<]+/.exec(text) ?? [];
    const local = link.replace(/^https?:\/\/[^/]+/, world.till.api.baseUrl);
    // A mail program opens links: that changes nothing.
    const shown = await fetch(local);
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Undo this change?')]);
    expect((await list())[0]?.pending).not.toBeNull();
    const undone = await fetch(local, { method: 'POST' });
    expect([undone.status, await undone.text()]).toEqual([
      200,
      expect.stringContaining('The change is undone'),
    ]);
    expect((await list())[0]).toMatchObject({ pending: null, status: 'no_destination' });
    const again = await fetch(local, { method: 'POST' });
    expect([again.status, await again.text()]).toEqual([400, expect.stringContaining('no longer pending')]);
    await mails(/the new destination of BTC was dropped/);
    const wrong = await fetch(`${world.till.api.baseUrl}/notices/forward?token=x`);
    expect(wrong.status).toBe(400);
    const { entries } = (
      await owner.session.call<{ entries: { action: string; actor: { kind: string; name: string } }[] }>(
        'GET',
        `/merchant/audit?merchantId=${shop.merchantId}`,
      )
    ).body.data;
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: 'forward change undone',
        actor: expect.objectContaining({ kind: 'daemon', name: 'Link in an email' }) as object,
      }),
    );
  });

  it('is sent for other changes and for the end of a rule as well', async () => {
    await edit({ destination: cold, threshold: '0.1' });
    await edit({ active: false });
    await owner.session.call('DELETE', '/merchant/wallet/forward', {
      merchantId: shop.merchantId,
      coin: 'BTC',
    });
    await mails(/the forward of BTC was changed/, 2);
    expect(await list()).toEqual([]);
  });
});
