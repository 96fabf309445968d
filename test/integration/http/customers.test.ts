import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newMerchant, newUser, startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';

interface CustomerJson {
  id: string;
  email: string;
  metadata: object;
  createdAt: string;
  updatedAt: string;
}

let app: HttpApp;
let token: string;
beforeAll(async () => {
  app = await startHttpApp();
});
beforeEach(async () => {
  ({ token } = await newUser(app));
});
afterAll(async () => app.destroy());

const create = async (body: object, credential = token) =>
  app.api.call<CustomerJson>('POST', '/merchant/customer/create', { token: credential, body });
const edit = async (body: object, credential = token) =>
  app.api.call<CustomerJson>('PATCH', '/merchant/customer/edit', { token: credential, body });
const list = async (query = '', credential = token) =>
  app.api.call<{ customers: CustomerJson[]; pagination: object }>('GET', `/merchant/customer/list${query}`, {
    token: credential,
  });
const outcome = ({
  status,
  body,
}: {
  status: number;
  body: { error: { code: string; details?: { field: string }[] } | null };
}) => [status, body.error?.code ?? null, ...(body.error?.details?.map(({ field }) => field) ?? [])];
const emails = ({ body }: { body: { data: { customers: CustomerJson[] } } }) =>
  body.data.customers.map(({ email }) => email);

describe('POST /merchant/customer/create', () => {
  it('answers 201 with the customer', async () => {
    const metadata = { plan: 'gold', tags: ['a', { b: null }], n: 1.5 };
    const { status, body } = await create({ email: 'Buyer@Example.com', metadata });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      id: expect.stringMatching(/^cus_\w{24}$/),
      email: 'Buyer@Example.com',
      metadata,
    });
    expect(body.data.createdAt).toMatch(/Z$/);
    expect((await create({ email: 'plain@example.com' })).body.data.metadata).toEqual({});
  });

  it('refuses an email address that another customer of the account has, whatever its case', async () => {
    await create({ email: 'one@example.com' });
    expect(outcome(await create({ email: 'ONE@Example.com' }))).toEqual([400, 'DUPLICATE_ENTRY', 'email']);
    const other = await newUser(app);
    expect((await create({ email: 'one@example.com' }, other.token)).status).toBe(201);
  });

  it('accepts one of several concurrent requests with one email address', async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => create({ email: 'same@example.com' })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error?.code === 'DUPLICATE_ENTRY')).toHaveLength(4);
  });

  it.each([
    ['email', {}],
    ['email', { email: 'x' }],
    ['email', { email: null }],
    ['metadata', { email: 'm@x.com', metadata: null }],
    ['metadata', { email: 'm@x.com', metadata: [] }],
    ['metadata', { email: 'm@x.com', metadata: 'text' }],
    ['metadata', { email: 'm@x.com', metadata: { big: 'x'.repeat(16_384) } }],
    ['metadata', { email: 'm@x.com', metadata: { nul: 'a\0b' } }],
    ['metadata', { email: 'm@x.com', metadata: { ['k\0']: 1 } }],
  ])('answers 400 naming %s', async (field, body) => {
    expect(outcome(await create(body))).toEqual([400, 'VALIDATION_INVALID', field]);
  });

  it('accepts metadata of exactly 16 kB and rejects one byte more', async () => {
    const room = 16_384 - JSON.stringify({ k: '' }).length;
    expect((await create({ email: 'fits@x.com', metadata: { k: 'x'.repeat(room) } })).status).toBe(201);
    expect((await create({ email: 'not@x.com', metadata: { k: 'x'.repeat(room + 1) } })).status).toBe(400);
    expect((await create({ email: 'not@x.com', metadata: { k: 'é'.repeat(room / 2 + 1) } })).status).toBe(
      400,
    );
  });

  it('requires a secret key or the owner, and rejects public keys', async () => {
    const shop = await newMerchant(app, token);
    const made = await create({ email: 'key@x.com' }, shop.auth.secret);
    expect(made.status).toBe(201);
    expect(emails(await list())).toEqual(['key@x.com']);
    expect(outcome(await create({ email: 'k2@x.com' }, shop.auth.public))).toEqual([
      401,
      'UNAUTHORISED',
      'authorization',
    ]);
    expect(outcome(await app.api.call('POST', '/merchant/customer/create', { body: {} }))).toEqual([
      401,
      'UNAUTHORISED',
      'authorization',
    ]);
  });
});

describe('PATCH /merchant/customer/edit', () => {
  it('changes the given fields, replaces metadata as a whole, and updates updatedAt', async () => {
    const { id, updatedAt } = (await create({ email: 'a@x.com', metadata: { a: 1 } })).body.data;
    app.advance(1000);
    const { status, body } = await edit({ customerId: id, metadata: { b: 2 } });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ id, email: 'a@x.com', metadata: { b: 2 } });
    expect(Date.parse(body.data.updatedAt)).toBeGreaterThan(Date.parse(updatedAt));
    expect((await edit({ customerId: id, email: 'A@x.com' })).body.data).toMatchObject({
      email: 'A@x.com',
      metadata: { b: 2 },
    });
  });

  it('refuses the email address of another customer', async () => {
    await create({ email: 'taken@x.com' });
    const { id } = (await create({ email: 'mine@x.com' })).body.data;
    expect(outcome(await edit({ customerId: id, email: 'TAKEN@x.com' }))).toEqual([
      400,
      'DUPLICATE_ENTRY',
      'email',
    ]);
    expect(emails(await list('?search=mine'))).toEqual(['mine@x.com']);
  });

  it('answers 404 for an unknown id and for another account', async () => {
    const { id } = (await create({ email: 'a@x.com' })).body.data;
    const other = await newUser(app);
    for (const customerId of ['cus_nope', 'whatever']) {
      expect(outcome(await edit({ customerId }))).toEqual([404, 'CUSTOMER_NOT_FOUND']);
    }
    expect(outcome(await edit({ customerId: id, email: 'b@x.com' }, other.token))).toEqual([
      404,
      'CUSTOMER_NOT_FOUND',
    ]);
  });

  it('names every invalid field in one response', async () => {
    expect(outcome(await edit({ email: '', metadata: 1 }))).toEqual([
      400,
      'VALIDATION_INVALID',
      'customerId',
      'email',
      'metadata',
    ]);
  });
});

describe('GET /merchant/customer/list', () => {
  it('returns pages, newest first, in a stable order, with the total', async () => {
    for (let i = 0; i < 12; i += 1) await create({ email: `c${i}@x.com` });
    const first = await list();
    expect(first.body.data.customers).toHaveLength(10);
    expect(first.body.data.pagination).toEqual({ page: 1, limit: 10, total: 12 });
    const pages = [
      ...emails(await list('?page=1&limit=5')),
      ...emails(await list('?page=2&limit=5')),
      ...emails(await list('?page=3&limit=5')),
    ];
    expect(new Set(pages).size).toBe(12);
    expect(emails(await list('?limit=100'))).toEqual(pages);
    expect(emails(await list('?page=9'))).toEqual([]);
  });

  it('searches any part of the email address, in any case, and treats wildcards literally', async () => {
    for (const email of ['per%cent@x.com', 'under_score@x.com', 'Anna@Example.com', 'back~slash@x.com']) {
      expect([email, (await create({ email })).status]).toEqual([email, 201]);
    }
    expect(emails(await list('?search=ANNA@ex'))).toEqual(['Anna@Example.com']);
    expect(emails(await list('?search=%25'))).toEqual(['per%cent@x.com']);
    expect(emails(await list('?search=_'))).toEqual(['under_score@x.com']);
    expect(emails(await list('?search=%5C'))).toEqual([]);
    expect(emails(await list('?search=nobody'))).toEqual([]);
    expect(emails(await list('?search='))).toHaveLength(4);
    expect(emails(await list("?search=' OR 1=1 --"))).toEqual([]);
  });

  it('lists no customers of another account', async () => {
    await create({ email: 'hidden@x.com' });
    const other = await newUser(app);
    expect((await list('', other.token)).body.data.pagination).toEqual({ page: 1, limit: 10, total: 0 });
  });

  it('lists the customers with the given ids, of this account only, and combines that with a search', async () => {
    const made: string[] = [];
    for (const email of ['a@x.com', 'b@x.com', 'c@y.com']) made.push((await create({ email })).body.data.id);
    const other = await newUser(app);
    const theirs = (await create({ email: 'theirs@x.com' }, other.token)).body.data.id;
    const [a = '', , c = ''] = made;
    const ids = [c, theirs, 'cus_none', a, a].join(', ');
    const answer = await list(`?customerIds=${encodeURIComponent(ids)}`);
    expect(emails(answer)).toEqual(['c@y.com', 'a@x.com']);
    expect(answer.body.data.pagination).toEqual({ page: 1, limit: 10, total: 2 });
    expect(emails(await list(`?customerIds=${made.join()}&search=X.com`))).toEqual(['b@x.com', 'a@x.com']);
    expect(emails(await list(`?customerIds=${made.join()}`, other.token))).toEqual([]);
  });

  it.each([
    ['customerIds', '?customerIds='],
    ['customerIds', `?customerIds=${Array.from({ length: 101 }, (_, at) => `c${at}`).join()}`],
    ['customerIds', '?customerIds=a%00b'],
    ['page', '?page=0'],
    ['page', '?page=-1'],
    ['page', '?page=1.5'],
    ['page', '?page='],
    ['page', '?page=1&page=2'],
    ['page', '?page=0x1'],
    ['limit', '?limit=101'],
    ['limit', '?limit=0'],
    ['limit', '?limit=ten'],
    ['search', `?search=${'x'.repeat(256)}`],
    ['search', '?search=%00'],
  ])('answers 400 naming %s for %s', async (field, query) => {
    expect(outcome(await list(query))).toEqual([400, 'VALIDATION_INVALID', field]);
  });
});
