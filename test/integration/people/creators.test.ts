import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { newMember, newPerson, type Person } from '../../_helpers/people.ts';
import { Till } from '../../_helpers/till.ts';

const HOOK = 'https://elsewhere.example/hook?secret=1';

let till: Till;
let owner: Person;
let shop: Shop;
let manager: Person;
beforeAll(async () => {
  till = await Till.start();
  await till.ready();
  owner = await newPerson(till.api, 'owner');
});
afterAll(async () => till.end());
beforeEach(async () => {
  shop = await Shop.open(till.api, { owner: owner.token });
  const { merchantId } = shop;
  manager = await newMember(till.api, owner.session, { merchantId, role: 'manager' });
});

type By = { readonly token: string };
interface Creator {
  readonly kind: string;
  readonly id: string;
  readonly name: string | null;
}
interface Thing {
  readonly id: string;
  readonly createdBy: Creator | null;
}

const make = async (by: By, path: string, fields: object) => {
  const body = { ...fields, merchantId: shop.merchantId };
  return till.api.must<Thing>('POST', path, { token: by.token, body });
};
const endpoint = async (by: By) => make(by, '/merchant/webhook/endpoint/create', { url: HOOK });
const link = async (by: By) =>
  make(by, '/merchant/link/create', { name: 'A mug', amount: '5', currency: 'USD' });
const key = async () => {
  const fields = { name: 'Books', scopes: ['webhooks:write', 'payments:write'] };
  const made = await make(owner, '/merchant/keys/create', fields);
  return (made as unknown as { key: Thing & { value: string } }).key;
};
const list = async <T>(by: By, path: string) =>
  till.api.must<T>('GET', `${path}?merchantId=${shop.merchantId}`, { token: by.token });
const endpoints = async (by: By = owner) =>
  (await list<{ endpoints: Thing[] }>(by, '/merchant/webhook/endpoint/list')).endpoints;
const links = async (by: By = owner) => (await list<{ links: Thing[] }>(by, '/merchant/link/list')).links;
const keys = async () => (await list<{ restricted: Thing[] }>(owner, '/merchant/keys')).restricted;
const idsOf = (things: readonly { id: string }[]) => things.map(({ id }) => id).toSorted();
const remove = async (by: Person, userId: string, fields: object = {}) => {
  const body = { merchantId: shop.merchantId, userId, ...fields };
  const answer = await by.session.call<{ ended: object }>('DELETE', '/merchant/people/remove', body);
  return answer.body.data;
};
const giveRole = async (role: string) => {
  const body = { merchantId: shop.merchantId, userId: manager.userId, role };
  return (await owner.session.call<{ ended: object }>('PATCH', '/merchant/people/edit', body)).body.data;
};

/** As if a person had made a key while they owned the shop. */
function giveKey(keyId: string, userId: string): void {
  const db = new Sqlite(join(till.dataDir, 'tilld.sqlite'));
  db.prepare('UPDATE restricted_keys SET creator_id = ? WHERE id = ?').run(userId, keyId);
  db.close();
}

describe('webhook endpoints, payment links and keys', () => {
  it('record their creator, whom only the owner sees', async () => {
    const restricted = await key();
    const byManager = { kind: 'user', id: manager.userId };
    expect((await endpoint(manager)).createdBy).toEqual({ ...byManager, name: null });
    await endpoint({ token: shop.secretKey });
    await endpoint({ token: restricted.value });
    await link(manager);
    const named = { ...byManager, name: manager.email };
    expect((await endpoints()).map(({ createdBy }) => createdBy)).toEqual([
      named,
      { kind: 'secret', id: shop.merchantId, name: null },
      { kind: 'restricted', id: restricted.id, name: 'Books' },
    ]);
    expect((await endpoints(manager))[0]?.createdBy).toEqual({ ...byManager, name: null });
    expect((await links()).map(({ createdBy }) => createdBy)).toEqual([named]);
    const byOwner = { kind: 'user', id: owner.userId, name: owner.email };
    expect(restricted.createdBy).toEqual(byOwner);
    expect((await keys()).map(({ createdBy }) => createdBy)).toEqual([byOwner]);
  });
});

describe('the list of members', () => {
  it('shows what each of them created, also with one of their keys', async () => {
    const restricted = await key();
    giveKey(restricted.id, manager.userId);
    const [first, second, page] = [
      await endpoint(manager),
      await endpoint({ token: restricted.value }),
      await link(manager),
    ];
    await endpoint(owner);
    await link({ token: shop.secretKey });
    const { body } = await owner.session.call<{ members: { made: unknown }[] }>(
      'GET',
      `/merchant/people?merchantId=${shop.merchantId}`,
    );
    expect(body.data.members.map(({ made }) => made)).toEqual([
      {
        endpoints: [first, second].map(({ id }) => ({ id, url: HOOK })),
        keys: [{ id: restricted.id, name: 'Books' }],
        links: [{ id: page.id, name: 'A mug' }],
      },
    ]);
  });
});

describe('removing a member', () => {
  it('deletes the webhook endpoints and keys of that member, and nothing of others', async () => {
    const [theirs, others] = [await key(), await key()];
    giveKey(theirs.id, manager.userId);
    await endpoint(manager);
    await endpoint({ token: theirs.value });
    const kept = await endpoint(owner);
    const page = await link(manager);
    const { ended } = await remove(owner, manager.userId);
    expect(ended).toEqual({ endpoints: 2, keys: 1, links: 0 });
    expect(idsOf(await endpoints())).toEqual([kept.id]);
    expect(idsOf(await keys())).toEqual([others.id]);
    expect(idsOf(await links())).toEqual([page.id]);
    const answer = await till.api.call('GET', '/payment/list', { token: theirs.value });
    expect(answer.status).toBe(401);
  });

  it('keeps or deletes webhook endpoints, keys and payment links of the member, as the owner chooses', async () => {
    const made = await key();
    giveKey(made.id, manager.userId);
    const hook = await endpoint(manager);
    await link(manager);
    const { ended } = await remove(owner, manager.userId, {
      revokeCreated: { endpoints: false, keys: false, links: true },
    });
    expect(ended).toEqual({ endpoints: 0, keys: 0, links: 1 });
    expect(idsOf(await endpoints())).toEqual([hook.id]);
    expect(idsOf(await keys())).toEqual([made.id]);
    expect(await links()).toEqual([]);
  });

  it('deletes a webhook endpoint of another creator if that member changed its URL', async () => {
    const hook = await endpoint(owner);
    const edit = async (by: By, fields: object) =>
      till.api.must<Thing>('PATCH', '/merchant/webhook/endpoint/edit', {
        token: by.token,
        body: { endpointId: hook.id, ...fields },
      });
    const byOwner = { kind: 'user', id: owner.userId };
    expect((await edit(manager, { url: HOOK, active: true })).createdBy).toMatchObject(byOwner);
    const moved = await edit(manager, { url: 'https://mine.example/hook' });
    expect(moved.createdBy).toMatchObject({ kind: 'user', id: manager.userId });
    expect((await remove(owner, manager.userId)).ended).toEqual({ endpoints: 1, keys: 0, links: 0 });
    expect(await endpoints()).toEqual([]);
  });

  it('ends all read access of the member', async () => {
    await endpoint(manager);
    const { ended } = await remove(manager, manager.userId, {
      revokeCreated: { endpoints: false, links: true },
    });
    expect(ended).toEqual({ endpoints: 1, keys: 0, links: 0 });
    expect(await endpoints()).toEqual([]);
  });

  it('records each deletion in the audit log, and each key in the list of revocations', async () => {
    const made = await key();
    giveKey(made.id, manager.userId);
    const hook = await endpoint(manager);
    const page = await link(manager);
    await remove(owner, manager.userId, { revokeCreated: { links: true } });
    const { body } = await owner.session.call<{
      entries: { action: string; objectId: string; result: string }[];
    }>('GET', `/merchant/audit?merchantId=${shop.merchantId}&limit=4`);
    expect(body.data.entries.map(({ action, objectId, result }) => [action, objectId, result])).toEqual([
      ['DELETE /merchant/keys/delete', made.id, 'OK'],
      ['DELETE /merchant/link/delete', page.id, 'OK'],
      ['DELETE /merchant/webhook/endpoint/delete', hook.id, 'OK'],
      ['DELETE /merchant/people/remove', manager.userId, 'OK'],
    ]);
    const db = new Sqlite(join(till.dataDir, 'tilld.sqlite'), { readonly: true });
    const revoked = db.prepare('SELECT kind FROM revocations WHERE subject = ?').pluck().all(made.id);
    db.close();
    expect(revoked).toEqual(['key']);
  });
});

describe('changing the role of a member', () => {
  it('deletes webhook endpoints and keys of the member when the new role does not include webhooks', async () => {
    const made = await key();
    giveKey(made.id, manager.userId);
    await endpoint(manager);
    const kept = await endpoint(owner);
    const page = await link(manager);
    expect(await giveRole('bookkeeper')).toMatchObject({ ended: { endpoints: 1, keys: 1, links: 0 } });
    expect(idsOf(await endpoints())).toEqual([kept.id]);
    expect(await keys()).toEqual([]);
    expect(idsOf(await links())).toEqual([page.id]);
  });

  it('deletes nothing when the role stays the same or gets no fewer permissions', async () => {
    const hook = await endpoint(manager);
    const nothing = { ended: { endpoints: 0, keys: 0, links: 0 } };
    expect(await giveRole('manager')).toMatchObject(nothing);
    expect(idsOf(await endpoints())).toEqual([hook.id]);
    await giveRole('clerk');
    expect(await giveRole('manager')).toMatchObject(nothing);
  });
});
