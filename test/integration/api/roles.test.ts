import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEMBER_ROLES, type MemberRole } from '../../../src/domain/roles.ts';
import { newMember, newPerson, signedIn, type Person } from '../../_helpers/people.ts';
import { observeServers } from './observed-servers.ts';
import { credentialsOf, fresh, World, type Account, type Request } from './world.ts';

const served = observeServers();

const world = await World.start();
const { api } = world.till;
let account: Account;
let owner: Person;
let stranger: Person;
const people = new Map<MemberRole, Person>();
/** What a member made, by the name of the field that refers to it. */
const madeByMember: Record<string, string> = {};
beforeAll(async () => {
  account = await world.account();
  // Only a confirmed account may invite.
  await world.confirm({ email: account.email, token: account.shop.token });
  owner = await signedIn(api, account.email, account.shop.token);
  const { merchantId } = account.shop;
  for (const role of MEMBER_ROLES)
    people.set(role, await newMember(api, owner.session, { merchantId, role }));
  stranger = await newPerson(api, 'stranger');
  const { token } = people.get('manager') ?? owner;
  const terms = { merchantId, amount: '50', currency: 'USD' };
  const order = { ...terms, customerId: account.shop.customerId, orderId: fresh('order') };
  const link = { ...terms, name: 'A mug' };
  const make = async (path: string, body: object) =>
    (await api.must<{ id: string }>('POST', path, { token, body })).id;
  madeByMember['paymentId'] = await make('/payment/create', order);
  madeByMember['paymentLinkId'] = await make('/merchant/link/create', link);
});
afterAll(async () => world.end());

/**
 * The permissions of each role, written out here, so that a new route or a changed scope shows which roles get it. `+` for
 * the manager alone.
 */
const READS = {
  clerk: [
    'GET /merchant/attention',
    'GET /merchant/counter/list',
    'GET /merchant/customer/get',
    'GET /merchant/customer/list',
    'GET /merchant/link/list',
    'GET /merchant/list',
    'GET /merchant/price/list',
    'GET /merchant/product/list',
    'GET /merchant/volume',
    'GET /payment/get',
    'GET /payment/list',
    'GET /payment/note',
    'GET /payment/receipt',
    'GET /payment/refund-links',
    'GET /rates',
  ],
  bookkeeper: [
    'GET /merchant/attention',
    'GET /merchant/customer/get',
    'GET /merchant/customer/list',
    'GET /merchant/list',
    'GET /merchant/price/list',
    'GET /merchant/product/list',
    'GET /merchant/subscription/get',
    'GET /merchant/subscription/invoices',
    'GET /merchant/subscription/list',
    'GET /merchant/subscription/summary',
    'GET /merchant/volume',
    'GET /merchant/wallet/addresses',
    'GET /merchant/wallet/balances',
    'GET /merchant/wallet/forward',
    'GET /merchant/wallet/freeze',
    'GET /merchant/wallet/labels',
    'GET /merchant/wallet/limits',
    'GET /merchant/wallet/outputs',
    'GET /merchant/wallet/send/approvals',
    'GET /merchant/wallet/send-status',
    'GET /merchant/wallet/transactions',
    'GET /merchant/wallet/treasury',
    'GET /merchant/wallet/watch',
    'GET /payment/export',
    'GET /payment/get',
    'GET /payment/list',
    'GET /payment/note',
    'GET /payment/month-report',
    'GET /payment/receipt',
    'GET /payment/refund-links',
    'GET /rates',
    'POST /merchant/wallet/estimate-fee',
  ],
} as const;
const WRITES_OF_CLERK = [
  'DELETE /merchant/link/delete',
  'PATCH /merchant/link/edit',
  'PATCH /payment/note',
  'PATCH /payment/update',
  'POST /merchant/attention/dismiss',
  'POST /merchant/link/create',
  'POST /payment/cancel',
  'POST /payment/create',
  'POST /payment/receipt/mail',
  'POST /sandbox/payment/simulate',
];
/** What is about the person who asks, whatever the role. */
const ONES_OWN = ['GET /merchant/notices', 'PATCH /merchant/notices'];
/** Of routes that take a user token and are about a shop: what only its owner may. */
const OWNERS_ALONE = [
  'DELETE /merchant/keys/delete',
  'DELETE /merchant/wallet/forward',
  'DELETE /merchant/wallet/forward/pending',
  'DELETE /merchant/wallet/limits/pending',
  'DELETE /merchant/wallet/watch',
  'DELETE /merchant/wallet/watch/pending',
  'GET /merchant/keys',
  'GET /merchant/setup',
  'PATCH /merchant/edit',
  'POST /merchant/counter/connect',
  'PATCH /merchant/wallet/forward',
  'PATCH /merchant/wallet/limits',
  'POST /connect/approve',
  'POST /merchant/keys/confirm',
  'POST /merchant/keys/create',
  'POST /merchant/keys/regenerate',
  'POST /merchant/sandbox',
  'POST /merchant/verify-domain',
  'POST /merchant/verify-domain/check',
  'POST /merchant/wallet/consolidate',
  'POST /merchant/wallet/freeze',
  'POST /merchant/wallet/labels',
  'POST /merchant/wallet/outputs/freeze',
  'POST /merchant/wallet/outputs/unfreeze',
  'POST /merchant/wallet/psbt/submit',
  'POST /merchant/wallet/send',
  'POST /merchant/wallet/send/approve',
  'POST /merchant/wallet/send/bump',
  'POST /merchant/wallet/send/cancel',
  'POST /merchant/wallet/send/reject',
  'POST /merchant/wallet/watch',
  'POST /merchant/wallet/watch/confirm',
  'POST /payment/refund',
  'POST /payment/refund-link/approve',
];

const ofShop = world.contract.routes.filter((endpoint) => {
  const { parameters = [], requestBody } = endpoint.operation;
  const fields = requestBody?.content['application/json']?.schema.properties ?? {};
  const namesShop = parameters.some(({ name }) => name === 'merchantId') || 'merchantId' in fields;
  return credentialsOf(endpoint).includes('userToken') && namesShop;
});
const shown = ofShop.map(({ name }) => name);

function may(role: MemberRole, name: string): boolean {
  if (ONES_OWN.includes(name)) return true;
  if (role === 'bookkeeper') return READS.bookkeeper.some((one) => one === name);
  if (role === 'clerk') return [...READS.clerk, ...WRITES_OF_CLERK].some((one) => one === name);
  return !OWNERS_ALONE.includes(name);
}

const URLS: ReadonlySet<string> = new Set(['successUrl', 'returnUrl', 'webhookUrl']);

/** A change as a clerk may make it: of what a member made, and of nothing that says where payers or events go. */
function asClerk({ body = {}, ...request }: Request): Request {
  const kept = Object.entries(body).filter(([name]) => !URLS.has(name));
  return {
    ...request,
    body: Object.fromEntries(kept.map(([name, value]) => [name, madeByMember[name] ?? value])),
  };
}

describe.each(MEMBER_ROLES)('a member with the role %s', (role) => {
  it.each(ofShop)('is allowed or refused by $name according to the role', async (endpoint) => {
    const { token } = people.get(role) ?? owner;
    const example = account.request(endpoint, 'userToken');
    const request = role === 'clerk' && endpoint.method !== 'GET' ? asClerk(example) : example;
    const answer = await world.send(endpoint, { ...request, token });
    if (may(role, endpoint.name)) {
      expect([401, 403]).not.toContain(answer.status);
      expect(answer.body.error?.code).not.toBe('MERCHANT_NOT_FOUND');
    } else {
      expect([answer.status, answer.body.error?.code, answer.body.data]).toEqual([403, 'FORBIDDEN', null]);
    }
    expect(world.contract.answerProblems(endpoint, answer)).toEqual([]);
  });
});

it.each(ofShop)('$name hides the shop from users without a role', async (endpoint) => {
  const request = account.request(endpoint, 'userToken');
  const { status, body } = await world.send(endpoint, { ...request, token: stranger.token });
  const id = endpoint.name.startsWith('GET /payment/get') ? 'PAYMENT_NOT_FOUND' : 'MERCHANT_NOT_FOUND';
  expect([status, body.data]).toEqual([404, null]);
  expect([id, 'MERCHANT_NOT_FOUND']).toContain(body.error?.code);
});

it('the role tests cover only existing routes', () => {
  const named = [...READS.clerk, ...READS.bookkeeper, ...WRITES_OF_CLERK, ...ONES_OWN, ...OWNERS_ALONE];
  expect(named.filter((name) => !shown.includes(name))).toEqual([]);
});

it('keys, people and the audit log are accessible only to the owner', async () => {
  const { merchantId } = account.shop;
  const { keyId } = account.ids;
  const someone = (people.get('clerk') ?? owner).userId;
  const requests = [
    ['GET', `/merchant/keys?merchantId=${merchantId}`],
    ['POST', '/merchant/keys/create', { merchantId, name: 'Mine', scopes: ['wallet:send'] }],
    ['POST', '/merchant/keys/regenerate', { merchantId }],
    ['DELETE', '/merchant/keys/delete', { merchantId, keyId }],
    ['POST', '/merchant/keys/confirm', { merchantId }],
    ['POST', '/merchant/wallet/unfreeze', { merchantId }],
    ['PATCH', '/merchant/wallet/forward', { merchantId, coin: 'BTC' }],
    ['DELETE', '/merchant/wallet/forward', { merchantId, coin: 'BTC' }],
    ['DELETE', '/merchant/wallet/forward/pending', { merchantId, coin: 'BTC' }],
    ['POST', '/merchant/wallet/watch', { merchantId, coin: 'BTC', descriptor: 'x' }],
    ['POST', '/merchant/wallet/watch/confirm', { merchantId, id: 'wat_x' }],
    ['DELETE', '/merchant/wallet/watch', { merchantId, coin: 'BTC' }],
    ['DELETE', '/merchant/wallet/watch/pending', { merchantId, coin: 'BTC' }],
    ['PATCH', '/merchant/wallet/limits', { merchantId }],
    ['DELETE', '/merchant/wallet/limits/pending', { merchantId }],
    ['GET', `/merchant/people?merchantId=${merchantId}`],
    ['POST', '/merchant/people/invite', { merchantId, email: 'me@example.com', role: 'manager' }],
    ['PATCH', '/merchant/people/edit', { merchantId, userId: someone, role: 'manager' }],
    ['DELETE', '/merchant/people/remove', { merchantId, userId: owner.userId }],
    ['DELETE', '/merchant/people/invitation', { merchantId, invitationId: 'inv_1' }],
    ['GET', `/merchant/audit?merchantId=${merchantId}`],
  ] as const;
  const aboutMerchant = served.routes.filter(
    ({ auth, path }) =>
      auth === 'jwt' &&
      /^\/merchant\/(?!create$|notices$|wallet\/send\/|people\/(accept|invitation$))/.test(path),
  );
  expect(new Set(requests.map(([, path]) => path.split('?')[0]))).toEqual(
    new Set([...aboutMerchant.map(({ path }) => path), '/merchant/people/invitation']),
  );
  for (const role of MEMBER_ROLES) {
    const { session } = people.get(role) ?? owner;
    for (const [method, path, body] of requests) {
      const answer = await session.call(method, path, body);
      expect([answer.status, answer.body.error?.code], `${role} ${method} ${path}`).toEqual([
        403,
        'FORBIDDEN',
      ]);
    }
  }
});

it("the list of shops contains the user's own shops first, then shops of others with the user's role", async () => {
  const { token } = people.get('clerk') ?? owner;
  const { merchants } = await api.must<{ merchants: object[] }>('GET', '/merchant/list', { token });
  expect(merchants).toEqual([expect.objectContaining({ id: account.shop.merchantId, role: 'clerk' })]);
});
