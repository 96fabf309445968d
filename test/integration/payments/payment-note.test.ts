/** A note of the shop's own on a payment. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { newMember, newPerson, type Person } from '../../_helpers/people.ts';
import { Till } from '../../_helpers/till.ts';

const NOTE = 'Ms Öztürk collects it on Friday\nat the back door';

let till: Till;
let owner: Person;
let shop: Shop;

beforeAll(async () => {
  till = await Till.start();
  await till.ready();
  owner = await newPerson(till.api, 'owner');
  shop = await Shop.open(till.api, { owner: owner.token });
});
afterAll(async () => till.end());

const write = async (paymentId: string, note: string, token = shop.secretKey) =>
  till.api.call<{ paymentId: string; hasNote: boolean }>('PATCH', '/payment/note', {
    token,
    body: { merchantId: shop.merchantId, paymentId, note },
  });
const read = async (paymentId: string, token = shop.secretKey) =>
  till.api.call<{ note: string | null; updatedBy: string | null; updatedAt: string | null }>(
    'GET',
    `/payment/note?merchantId=${shop.merchantId}&paymentId=${paymentId}`,
    { token },
  );
const find = async (search: string): Promise<string[]> => {
  const query = new URLSearchParams({ search });
  const { payments } = await till.api.must<{ payments: { id: string }[] }>('GET', `/payment/list?${query}`, {
    token: shop.secretKey,
  });
  return payments.map(({ id }) => id);
};

describe('PATCH /payment/note', () => {
  it('stores a note that its shop reads with author and time, replaces it, and removes it when empty', async () => {
    const { id } = await shop.createPayment();
    expect((await read(id)).body.data).toEqual({
      paymentId: id,
      note: null,
      updatedBy: null,
      updatedAt: null,
    });
    expect((await write(id, `  ${NOTE} `)).body.data).toEqual({ paymentId: id, hasNote: true });
    expect((await read(id)).body.data).toMatchObject({ note: NOTE, updatedBy: 'Secret key' });
    await write(id, 'Collected', owner.token);
    const { note, updatedBy, updatedAt } = (await read(id)).body.data;
    expect([note, updatedBy]).toEqual(['Collected', owner.email]);
    expect(Date.parse(updatedAt ?? '')).toBeGreaterThan(0);
    expect((await write(id, '')).body.data).toEqual({ paymentId: id, hasNote: false });
    expect((await read(id)).body.data.note).toBeNull();
  });

  it('refuses a note that is too long, and a payment of another shop', async () => {
    const { id } = await shop.createPayment();
    const { status, body } = await write(id, 'x'.repeat(1_001));
    expect([status, body.error?.details?.[0]?.field]).toEqual([400, 'note']);
    expect((await write(id, '🎁'.repeat(1_000))).status).toBe(200);
    const { id: foreign } = await (await Shop.open(till.api)).createPayment();
    expect((await write(foreign, NOTE)).body.error?.code).toBe('PAYMENT_NOT_FOUND');
    expect((await read(foreign)).body.error?.code).toBe('PAYMENT_NOT_FOUND');
  });

  it.each([
    ['manager', 200],
    ['clerk', 200],
    ['bookkeeper', 403],
  ] as const)('lets a %s read it, and answers a change with %i', async (role, status) => {
    const { id } = await shop.createPayment();
    await write(id, NOTE);
    const member = await newMember(till.api, owner.session, { merchantId: shop.merchantId, role });
    expect((await read(id, member.token)).body.data.note).toBe(NOTE);
    expect((await write(id, 'Changed', member.token)).status).toBe(status);
  });

  it('is in no view of the payer, and is not read with a public key', async () => {
    const { id } = await shop.createPayment();
    await write(id, NOTE);
    const page = await (await fetch(`${till.api.baseUrl}/checkout/${id}`)).text();
    const payer = await till.api.call('GET', `/payment/get?paymentId=${id}`, { token: shop.publicKey });
    for (const text of [page, JSON.stringify(payer.body)]) expect(text).not.toContain('Öztürk');
    expect((await read(id, shop.publicKey)).status).toBeGreaterThan(400);
  });

  it('is found by the search of payments, in any case of its letters, by its own shop only', async () => {
    const { id } = await shop.createPayment();
    await write(id, 'Wrapped as a GIFT for Zoë');
    expect(await find('as a gift')).toEqual([id]);
    expect(await find('Zoë')).toEqual([id]);
    const other = await Shop.open(till.api);
    const list = await till.api.must<{ payments: object[] }>('GET', '/payment/list?search=gift', {
      token: other.secretKey,
    });
    expect(list.payments).toEqual([]);
  });

  it('is deleted when its customer is erased', async () => {
    const { id: customerId } = await till.api.must<{ id: string }>('POST', '/merchant/customer/create', {
      token: shop.secretKey,
      body: { email: 'rosa@example.com' },
    });
    const { id } = await shop.createPayment({ customerId });
    await write(id, 'Rosa called, 030 1234567');
    const erased = await till.api.call('DELETE', '/merchant/customer/erase', {
      token: shop.secretKey,
      body: { customerId },
    });
    expect(erased.status).toBe(200);
    expect((await read(id)).body.data.note).toBeNull();
  });
});
