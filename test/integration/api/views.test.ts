import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEMBER_ROLES, roleGrants } from '../../../src/domain/roles.ts';
import { SCOPES, grants, type Scope } from '../../../src/domain/scopes.ts';
import { newMember, signedIn } from '../../_helpers/people.ts';
import type { Endpoint } from './contract.ts';
import { PREPARATIONS } from './preparations.ts';
import { credentialsOf, fresh, World, type Account, type Answer, type CredentialKind } from './world.ts';

interface Reader {
  readonly name: string;
  readonly token: string;
  readonly kind: CredentialKind;
  readonly seesAddresses: boolean;
}

const world = await World.start();
let account: Account;
const readers: Reader[] = [];

/** The scopes that let a key read something of a shop, with and without those of webhooks. */
const SINGLE = SCOPES.filter((scope) => scope !== 'wallet:send');

beforeAll(async () => {
  account = await world.account();
  await world.confirm({ email: account.email, token: account.shop.token });
  const { api } = world.till;
  const { merchantId, token, secretKey } = account.shop;
  await account.pending({ webhookUrl: world.sink.url });
  const owner = await signedIn(api, account.email, token);
  readers.push({ name: 'the owner', token, kind: 'userToken', seesAddresses: true });
  readers.push({ name: 'the secret key', token: secretKey, kind: 'secretKey', seesAddresses: true });
  for (const role of MEMBER_ROLES) {
    const person = await newMember(api, owner.session, { merchantId, role });
    const seesAddresses = roleGrants(role, 'webhooks:read');
    readers.push({ name: `a ${role}`, token: person.token, kind: 'userToken', seesAddresses });
  }
  for (const scope of SINGLE) readers.push(await keyReader([scope]));
  const writes = SCOPES.filter((scope) => scope.endsWith(':write') || scope === 'events:read');
  readers.push(await keyReader(writes.filter((scope) => !scope.startsWith('webhooks'))));
  readers.push(await keyReader(writes));
});
afterAll(async () => world.end());

async function keyReader(scopes: readonly Scope[]): Promise<Reader> {
  const { key } = await world.till.api.must<{ key: { value: string } }>('POST', '/merchant/keys/create', {
    token: account.shop.token,
    body: { merchantId: account.shop.merchantId, name: fresh('key'), scopes },
  });
  const seesAddresses = grants(new Set(scopes), 'webhooks:read');
  return { name: `a key with ${scopes.join(' ')}`, token: key.value, kind: 'restrictedKey', seesAddresses };
}

async function ask(endpoint: Endpoint, reader: Reader): Promise<Answer> {
  const example = account.request(endpoint, reader.kind);
  const prepare = PREPARATIONS[endpoint.name];
  const request = prepare === undefined ? example : await prepare(world, account, example);
  // Whole lists: the documented example filters.
  const isList = /\/(list|events)$/.test(endpoint.path);
  const query = isList ? shopOf(reader) : request.query;
  return world.send(endpoint, { ...request, query, token: reader.token });
}

/** A user names the shop. */
function shopOf({ kind }: Reader): Record<string, string> {
  return kind === 'userToken' ? { merchantId: account.shop.merchantId } : {};
}

/** What is read of a shop, and what answers with a payment. */
const VIEWS = [
  'GET /merchant/list',
  'GET /merchant/events',
  'GET /payment/get',
  'GET /payment/list',
  'PATCH /payment/update',
  'POST /payment/cancel',
  'POST /sandbox/payment/simulate',
];
const shown = world.contract.routes.filter(
  (endpoint) =>
    credentialsOf(endpoint).includes('restrictedKey') &&
    (endpoint.method === 'GET' || VIEWS.includes(endpoint.name)),
);

describe('a documented API response', () => {
  it('is tested for every documented view', () => {
    const names = shown.map(({ name }) => name);
    expect(VIEWS.filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(shown)('contains no webhook URL in $name for readers without webhooks:read', async (endpoint) => {
    for (const reader of readers.filter(({ seesAddresses }) => !seesAddresses)) {
      const answer = await ask(endpoint, reader);
      expect(JSON.stringify(answer.body), reader.name).not.toContain(world.sink.url);
      expect(world.contract.answerProblems(endpoint, answer), reader.name).toEqual([]);
    }
  });

  it.each(VIEWS)(
    'has the same fields in %s for every credential, except webhook URLs without webhooks:read',
    async (name) => {
      const endpoint = shown.find((one) => one.name === name);
      if (endpoint === undefined) throw new Error(`${name} is not documented`);
      const seen = new Map<boolean, Set<string>>();
      for (const reader of readers) {
        const { body, status } = await ask(endpoint, reader);
        if (status === 403) continue;
        expect(status, reader.name).toBe(200);
        const fields = fieldsOf(body.data).filter((field) => !ROLE_FIELDS.test(field));
        const known = seen.get(reader.seesAddresses);
        expect(new Set(fields), reader.name).toEqual(known ?? new Set(fields));
        seen.set(reader.seesAddresses, new Set(fields));
      }
      const [whole, less] = [seen.get(true) ?? new Set<string>(), seen.get(false) ?? new Set<string>()];
      const hidden = [...whole].filter((field) => !less.has(field));
      expect([...less].filter((field) => !whole.has(field))).toEqual([]);
      expect(hidden.length).toBeGreaterThan(0);
      expect(hidden.filter((field) => !/\.(webhookUrl|endpoint)$/.test(field))).toEqual([]);
    },
  );
});

/** Only users have a role; what differs between payments is not of the view. */
const ROLE_FIELDS =
  /\.(role|scopes)$|\.(transactions|options|timeline|refunds|metadata|customFields|data|lines)\./;

/** Names of all fields of a value, lists told by their first. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((one: unknown) => fieldsOf(one, `${path}[]`)))];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]: [string, unknown]) => [
    `${path}.${name}`,
    ...fieldsOf(one, `${path}.${name}`),
  ]);
}
