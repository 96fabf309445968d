/** Watched accounts as an owner, a key, a payer and the reader of a mail see them. */
import { randomBytes } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { newMember, newPerson, type Person, signedIn } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';
import { readable } from '../../_helpers/smtp-sink.ts';
import { choose, to } from '../../_helpers/notice-mails.ts';
import { World } from '../api/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start(undefined, { TILLD_FORWARD_DELAY: '24h' });
});
afterAll(async () => world.end());

interface AccountJson {
  readonly id: string;
  readonly state: string;
  readonly addresses: string[];
}

let owner: Person;
let shop: Shop;
let xpub: string;
beforeEach(async () => {
  const { api } = world.till;
  const person = await newPerson(api, 'owner');
  await world.confirm(person);
  shop = await Shop.open(api, { owner: person.token });
  await choose(shop, { testPayments: true });
  owner = await signedIn(api, person.email);
  const versions = { private: 0x04_35_83_94, public: 0x04_35_87_cf };
  xpub = HDKey.fromMasterSeed(randomBytes(32), versions).derive("m/84'/1'/0'").publicExtendedKey;
});

const propose = async (body: object = { xpub }, session = owner.session) =>
  session.call<AccountJson>('POST', '/merchant/wallet/watch', {
    merchantId: shop.merchantId,
    coin: 'BTC',
    ...body,
  });
const confirm = async (id: string, session = owner.session) =>
  session.call<AccountJson>('POST', '/merchant/wallet/watch/confirm', { merchantId: shop.merchantId, id });
const list = async () =>
  (
    await world.till.api.must<{ accounts: AccountJson[] }>('GET', '/merchant/wallet/watch', {
      token: shop.secretKey,
    })
  ).accounts;
async function orderAddress(): Promise<string> {
  const { id } = await shop.createPayment();
  return (await shop.payment(id)).options.BTC.address;
}

describe('POST /merchant/wallet/watch/confirm', () => {
  it('pays new orders to the addresses that were shown, and keys read the account', async () => {
    const { body } = await propose();
    expect(body.error).toBeNull();
    const { id, addresses } = body.data;
    expect([addresses.length, body.data.state]).toEqual([5, 'proposed']);
    expect((await confirm(id)).body.data.state).toBe('active');
    expect([await orderAddress(), await orderAddress()]).toEqual(addresses.slice(0, 2));
    const ended = await owner.session.call('DELETE', '/merchant/wallet/watch', {
      merchantId: shop.merchantId,
      coin: 'BTC',
    });
    expect(ended.body.data).toEqual({ ended: true });
    expect(addresses).not.toContain(await orderAddress());
    expect((await list()).map((one) => [one.id, one.state])).toEqual([[id, 'ended']]);
  });

  it('is refused to members and keys, and private keys are neither repeated nor stored', async () => {
    const { merchantId } = shop;
    const manager = await newMember(world.till.api, owner.session, { merchantId, role: 'manager' });
    expect((await propose({ xpub }, manager.session)).status).toBe(403);
    const { id } = (await propose()).body.data;
    expect((await confirm(id, manager.session)).status).toBe(403);
    const body = { merchantId, coin: 'BTC', xpub };
    const byKey = await world.till.api.call('POST', '/merchant/wallet/watch', {
      token: shop.secretKey,
      body,
    });
    expect(byKey.status).toBe(401);
    const node = HDKey.fromMasterSeed(randomBytes(32), { private: 0x04_35_83_94, public: 0x04_35_87_cf });
    const refused = await propose({ xpub: node.privateExtendedKey });
    expect(refused.body.error?.code).toBe('VALIDATION_INVALID');
    expect(JSON.stringify(refused.body)).not.toContain(node.privateExtendedKey.slice(4, 40));
    expect((await list()).map((one) => one.id)).toEqual([id]);
  });
});

describe('the mail about another account', () => {
  it('shows its first address and has a link that drops it, once, by its button alone', async () => {
    await orderAddress();
    const { id, addresses } = (await propose()).body.data;
    expect((await confirm(id)).body.data.state).toBe('pending');
    const [mail] = await eventually(
      'the mail',
      () => to(world.smtp, owner.email, /BTC of new orders is to go to another wallet/),
      (found) => found.length > 0,
      30_000,
    );
    const text = readable(mail?.raw ?? '');
    expect(text).toContain(addresses[0]);
    const [link = ''] = /http\S+\/notices\/watch\?token=[^\s"<]+/.exec(text) ?? [];
    const local = link.replace(/^https?:\/\/[^/]+/, world.till.api.baseUrl);
    const shown = await fetch(local);
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Undo this change?')]);
    expect((await list())[0]?.state).toBe('pending');
    const undone = await fetch(local, { method: 'POST' });
    expect([undone.status, await undone.text()]).toEqual([
      200,
      expect.stringContaining('The change is undone'),
    ]);
    expect((await list())[0]?.state).toBe('ended');
    const again = await fetch(local, { method: 'POST' });
    expect([again.status, await again.text()]).toEqual([400, expect.stringContaining('no longer pending')]);
    const forged = await fetch(`${world.till.api.baseUrl}/notices/watch?token=x`);
    expect(forged.status).toBe(400);
    const { entries } = (
      await owner.session.call<{ entries: { action: string }[] }>(
        'GET',
        `/merchant/audit?merchantId=${shop.merchantId}`,
      )
    ).body.data;
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining([
        'watched account undone',
        'POST /merchant/wallet/watch/confirm',
        'POST /merchant/wallet/watch',
      ]),
    );
  });
});
