/** Who may call what: every route with every credential, compared with a table that people read. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Route } from '../../../src/http/server/route.ts';
import { columnsOf, GROUPS, type Column } from './matrix-world.ts';
import { observeServers } from './observed-servers.ts';
import { fresh, World, type Account } from './world.ts';

const served = observeServers();

const world = await World.start();
let columns: Column[];
beforeAll(async () => {
  columns = await columnsOf(world);
});
afterAll(async () => world.end());

/** They end what other requests need: keys that wait for a confirmation, and the cookies of sessions. */
const LAST = ['POST /merchant/keys/confirm', 'DELETE /auth/session'];
/** Ids of nothing, where the thing itself would end what other requests need. */
const NOTHING = {
  keyId: 'key_000000000000000000000000',
  userId: '00000000-0000-4000-8000-000000000000',
  invitationId: 'inv_000000000000000000000000',
  sessionId: 'ses_000000000000000000000000',
  passkeyId: 'pky_000000000000000000000000',
};
const ATTESTATION = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' },
};
const ASSERTION = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' },
};

type Body = Readonly<Record<string, unknown>>;

/** Bodies of routes that no document shows, and of those whose example would change what other requests need. */
const BODIES: Readonly<Record<string, (account: Account) => Body>> = {
  'POST /auth/session': ({ email }) => ({ email, password: 'wrong wrong' }),
  'PATCH /auth/session': () => ({ language: 'en' }),
  'POST /auth/step-up': () => ({ password: 'wrong wrong' }),
  'DELETE /auth/sessions': () => ({ sessionId: NOTHING.sessionId }),
  'POST /auth/reset-password/review': () => ({ token: 'nothing' }),
  'POST /auth/passkeys': () => ({ name: 'Laptop', credential: ATTESTATION }),
  'PATCH /auth/passkeys': () => ({ passkeyId: NOTHING.passkeyId, name: 'Laptop' }),
  'DELETE /auth/passkeys': () => ({ passkeyId: NOTHING.passkeyId }),
  'POST /auth/passkeys/sign-in': () => ({ credential: ASSERTION }),
  'POST /auth/passkeys/step-up': () => ({ credential: ASSERTION }),
  'POST /merchant/people/invite': ({ shop: { merchantId } }) => ({
    merchantId,
    email: `${fresh('clerk')}@example.com`,
    role: 'clerk',
  }),
  'PATCH /merchant/people/edit': ({ shop: { merchantId } }) => ({
    merchantId,
    userId: NOTHING.userId,
    role: 'clerk',
  }),
  'DELETE /merchant/people/remove': ({ shop: { merchantId } }) => ({ merchantId, userId: NOTHING.userId }),
  'DELETE /merchant/people/invitation': ({ shop: { merchantId } }) => ({
    merchantId,
    invitationId: NOTHING.invitationId,
  }),
  'POST /merchant/people/invitation': () => ({ token: 'nothing' }),
  'POST /merchant/people/accept': () => ({ token: 'nothing' }),
  'POST /merchant/wallet/unfreeze': ({ shop: { merchantId } }) => ({ merchantId }),
  'POST /merchant/keys/regenerate': ({ shop: { merchantId } }) => ({
    merchantId,
    gracePeriodSeconds: 604_800,
  }),
  'DELETE /merchant/keys/delete': ({ shop: { merchantId } }) => ({ merchantId, keyId: NOTHING.keyId }),
  'POST /counter/connect': () => ({ code: 'nothing' }),
  'POST /merchant/counter/charge': () => ({ amount: '5' }),
  'POST /merchant/sandbox': () => ({ sandboxMode: true }),
};

/** By either; the example shows both. */
const QUERIES: Readonly<Record<string, (account: Account) => Record<string, string>>> = {
  'GET /merchant/customer/get': ({ shop: { customerId } }) => ({ customerId }),
};

/** What fields that need a step-up are given. */
const VALUES: Readonly<Record<string, unknown>> = {
  amount: '5',
  currency: 'USD',
  events: null,
  active: true,
  quantity: 2,
  webhookUrl: 'http://127.0.0.1:9/',
  url: 'http://127.0.0.1:9/',
  successUrl: 'https://shop.example/thanks',
  returnUrl: 'https://shop.example/cart',
  tolerancePercent: '0.5',
  latePayments: 'accept',
  supportContact: 'help@shop.example',
  business: { legalName: 'Shop', addressLines: ['Street 1'], country: 'DE', taxNumber: null, email: null },
  embedOrigins: [],
  urls: 'true',
};

/** A link that is given its amount is given none of these. */
const OTHER_TERMS: ReadonlySet<string> = new Set(['priceId', 'openAmount']);

function valueOf(field: string): unknown {
  const value = VALUES[field];
  if (value === undefined) throw new Error(`no value for the field ${field}`);
  return value;
}

/** Deleting takes what it names: a new one once the one before is gone. */
const MADE: Readonly<Record<string, (account: Account) => Promise<Body>>> = {
  'DELETE /merchant/customer/erase': async ({ shop }) => {
    const body = { email: `gone-${fresh('customer')}@example.com` };
    return { customerId: (await make(shop.token, '/merchant/customer/create', body)).id };
  },
  'DELETE /merchant/product/delete': async ({ shop }) => {
    const body = { name: 'Soon gone', merchantIds: [shop.merchantId] };
    const { id } = await make(shop.token, '/merchant/product/create', body);
    return { productId: id };
  },
  'DELETE /merchant/price/delete': async ({ shop, ids }) => {
    const body = { productId: ids['productId'], amount: '5', currency: 'USD' };
    return { priceId: (await make(shop.token, '/merchant/price/create', body)).id };
  },
  'DELETE /merchant/link/delete': async ({ shop: { token, merchantId } }) => {
    const body = { merchantId, name: 'Soon gone', amount: '5', currency: 'USD' };
    return { paymentLinkId: (await make(token, '/merchant/link/create', body)).id };
  },
  'DELETE /merchant/counter/delete': async ({ shop: { token, merchantId } }) => {
    const body = { merchantId, name: 'Soon gone' };
    return { counterId: (await make(token, '/merchant/counter/create', body)).id };
  },
  'DELETE /merchant/webhook/endpoint/delete': async ({ shop: { token, merchantId } }) => {
    const body = { merchantId, url: world.sink.url, active: false };
    const { id } = await make(token, '/merchant/webhook/endpoint/create', body);
    return { endpointId: id };
  },
};

async function make(token: string, path: string, body: Body): Promise<{ id: string }> {
  return world.till.api.must('POST', path, { token, body });
}

const made = new Map<string, Body>();
const placeOf = (name: string, { shop }: Account): string => `${name} ${shop.merchantId}`;

async function madeFor(name: string, account: Account): Promise<Body | undefined> {
  const place = placeOf(name, account);
  const body = made.get(place) ?? (await MADE[name]?.(account));
  if (body !== undefined) made.set(place, body);
  return body;
}

/** A request of a route that is well formed and names what the account owns. */
async function requestOf(
  route: Route,
  account: Account,
): Promise<{ query: Record<string, string>; body: Body | undefined }> {
  const name = nameOf(route);
  const documented = world.contract.routes.find((endpoint) => endpoint.name === name);
  const example =
    documented === undefined ? { query: {}, body: undefined } : account.request(documented, null);
  const { merchantId } = account.shop;
  const namesShop = route.auth !== 'none' && (route.auth !== 'jwt' || route.method === 'GET');
  const body = (await madeFor(name, account)) ?? BODIES[name]?.(account) ?? example.body;
  const without = <V>(fields: Readonly<Record<string, V>>): Record<string, V> =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => !route.stepUp.fields.includes(field)));
  return {
    query: { ...without(QUERIES[name]?.(account) ?? example.query), ...(namesShop ? { merchantId } : {}) },
    body: body === undefined ? undefined : without(body),
  };
}

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const isOfAnother = (code: string): boolean =>
  [
    'MERCHANT_NOT_FOUND',
    'PAYMENT_NOT_FOUND',
    'PAYMENT_LINK_NOT_FOUND',
    'COUNTER_NOT_FOUND',
    'SEND_NOT_FOUND',
    'LINK_NOT_FOUND',
    'LOG_NOT_FOUND',
    'ENDPOINT_NOT_FOUND',
    'CUSTOMER_NOT_FOUND',
    'PRODUCT_NOT_FOUND',
    'PRICE_NOT_FOUND',
  ].includes(code);

/** One letter of the table; `!` is never right. */
function letterOf(code: string | null): string {
  if (code === 'UNAUTHORISED') return '-';
  if (code === 'FORBIDDEN') return 'f';
  if (code === 'STEP_UP_REQUIRED') return 's';
  if (code === 'EMAIL_UNCONFIRMED') return 'u';
  if (code === 'INTERNAL_ERROR') return '!';
  return code !== null && isOfAnother(code) ? 'n' : 'Y';
}

async function letter(route: Route, column: Column, marked: Body): Promise<string> {
  const { query, body } = await requestOf(route, column.about);
  const isRead = route.method === 'GET';
  const asked = Object.entries(isRead ? marked : {}).map(([name, value]) => [name, String(value)]);
  const search = new URLSearchParams({ ...query, ...Object.fromEntries(asked) }).toString();
  const { body: answer } = await world.till.api.call(
    route.method,
    search === '' ? route.path : `${route.path}?${search}`,
    {
      headers: { ...column.headers },
      ...(isRead ? {} : { body: { ...body, ...marked } }),
    },
  );
  if (answer.success) made.delete(placeOf(nameOf(route), column.about));
  return letterOf(answer.error?.code ?? null);
}

/** Of the columns at once, but where one takes what the next one names. */
async function lettersOf(route: Route, marked: Body): Promise<string[]> {
  if (MADE[nameOf(route)] === undefined && !LAST.includes(nameOf(route)))
    return Promise.all(columns.map(async (column) => letter(route, column, marked)));
  const letters: string[] = [];
  for (const column of columns) letters.push(await letter(route, column, marked));
  return letters;
}

async function lineOf(route: Route, marked: Body = {}): Promise<string> {
  const letters = await lettersOf(route, marked);
  const groups = GROUPS.map((group) =>
    letters.filter((_letter, index) => columns[index]?.group === group).join(''),
  );
  const fields = Object.keys(marked).join(', ');
  return `${groups.join(' ')}  ${nameOf(route)}${fields === '' ? '' : ` {${fields}}`}`;
}

function legend(): string[] {
  const lines = GROUPS.map((group) => {
    const names = columns.filter((column) => column.group === group).map(({ name }) => name);
    return `# ${group}: ${names.join('; ')}`;
  });
  return [
    '# Who may call what. One letter for each credential:',
    '# Y let in; - 401; f 403 FORBIDDEN; s 403 STEP_UP_REQUIRED; u 403 EMAIL_UNCONFIRMED; n 404, as if it did not exist.',
    '# Sessions have stepped up where nothing else is said. Braces: the request gives these fields.',
    ...lines,
  ];
}

it('every route allows exactly the credentials of the access table', async () => {
  const ordered = served.routes.toSorted((a, b) => LAST.indexOf(nameOf(a)) - LAST.indexOf(nameOf(b)));
  const lines: string[] = [];
  for (const route of ordered) {
    lines.push(await lineOf(route));
    const fields = route.stepUp.fields.filter((field) => !OTHER_TERMS.has(field));
    if (fields.length > 0)
      lines.push(await lineOf(route, Object.fromEntries(fields.map((field) => [field, valueOf(field)]))));
  }
  expect(lines.filter((line) => line.includes('!'))).toEqual([]);
  const sorted = lines.toSorted((a, b) => pathIn(a).localeCompare(pathIn(b)) || a.localeCompare(b));
  await expect(`${[...legend(), ...sorted].join('\n')}\n`).toMatchFileSnapshot('access-matrix.txt');
});

const pathIn = (line: string): string => /(?<=[A-Z] )\/.*/.exec(line)?.[0] ?? line;
