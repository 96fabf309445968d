import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Endpoint } from './contract.ts';
import { World, type Account } from './world.ts';

const world = await World.start();
let account: Account;
beforeAll(async () => {
  account = await world.account();
});
// Random requests may well replace the very keys they came with.
beforeEach(async () => {
  const { token, secretKey } = account.shop;
  const me = await world.till.api.call('GET', '/auth/me', { token });
  const key = await world.till.api.call('GET', '/merchant/wallet/balances', { token: secretKey });
  if (me.status === 401 || key.status === 401) account = await world.account();
});
afterAll(async () => world.end());

const { routes } = world.contract;
const paths = [...new Set(routes.map(({ path }) => path))];
const writes = routes.filter(({ method }) => method !== 'GET');

function names(endpoint: Endpoint): string[] {
  return Object.keys(endpoint.operation.requestBody?.content['application/json']?.schema.properties ?? {});
}

/** Bodies near the documented one: its fields with their example, another's, or anything at all. */
function bodies(endpoint: Endpoint): fc.Arbitrary<unknown> {
  const example = account.request(endpoint).body ?? {};
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.string({ unit: 'binary' }),
    fc.integer(),
    fc.constantFrom(null, ...Object.values(example)),
  );
  const fields = Object.fromEntries(
    names(endpoint).map((name) => [
      name,
      fc.oneof({ weight: 3, arbitrary: fc.constant(example[name]) }, { weight: 1, arbitrary: anything }),
    ]),
  );
  return fc.oneof(
    { weight: 5, arbitrary: fc.record(fields, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.dictionary(fc.string(), fc.jsonValue()) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
}

function queries(endpoint: Endpoint): fc.Arbitrary<Record<string, string>> {
  const fields = (endpoint.operation.parameters ?? [])
    .filter(({ in: place }) => place === 'query')
    .map(({ name, example }) => [
      name,
      fc.oneof(fc.constant(String(example)), fc.string({ unit: 'binary' }), fc.integer().map(String)),
    ]);
  const shape = Object.fromEntries(fields) as Record<string, fc.Arbitrary<string>>;
  return fc.record(shape, { requiredKeys: [] }) as fc.Arbitrary<Record<string, string>>;
}

describe('arbitrary input', () => {
  it.each(routes)('gets a documented response from $name', async (endpoint) => {
    const request = account.request(endpoint);
    await fc.assert(
      fc.asyncProperty(bodies(endpoint), queries(endpoint), async (body, query) => {
        const answer = await world.send(endpoint, {
          token: request.token,
          query: { ...(fc.sample(fc.boolean(), 1)[0] === true ? request.query : {}), ...query },
          body: endpoint.method === 'GET' ? undefined : (body as Record<string, unknown>),
        });
        expect(answer.status).not.toBe(500);
        expect(world.contract.answerProblems(endpoint, answer)).toEqual([]);
      }),
      { numRuns: 20, endOnFailure: true },
    );
  });
});

describe('the API on unsupported requests', () => {
  it.each(paths)('answers 405 with Allow to other methods on %s', async (path) => {
    const known = routes.filter((endpoint) => endpoint.path === path).map(({ method }) => method);
    const allowed = known.includes('GET') ? [...known, 'HEAD'] : known;
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
      (name) => !allowed.includes(name),
    )) {
      const response = await fetch(world.till.api.baseUrl + path, { method });
      expect([method, response.status]).toEqual([method, 405]);
      expect(new Set(response.headers.get('allow')?.split(', '))).toEqual(new Set(allowed));
      expect(await response.json()).toMatchObject({
        success: false,
        error: { code: 'METHOD_NOT_ALLOWED' },
        data: null,
      });
    }
  });

  it.each(paths)('answers 404 on paths below or near %s', async (path) => {
    for (const near of [`${path}/x`, `${path}x`, `/v1${path}`]) {
      const response = await fetch(world.till.api.baseUrl + near);
      expect([near, response.status]).toEqual([near, 404]);
      expect(await response.json()).toMatchObject({
        success: false,
        error: { code: 'NOT_FOUND' },
        data: null,
      });
    }
  });

  it.each(writes)('refuses bodies of $name that are not JSON, or above their limit', async (endpoint) => {
    const { token } = account.request(endpoint);
    const post = async (body: string) => {
      const response = await fetch(world.till.api.baseUrl + endpoint.path, {
        method: endpoint.method,
        body,
        headers: {
          'content-type': 'application/json',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
      });
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as { error: { code: string } },
      };
    };
    for (const text of ['{', '{"a":}', 'a=b', "{'a':1}", '{"a":1}}', '\u0000']) {
      const answer = await post(text);
      expect([text, answer.status, answer.body.error.code]).toEqual([text, 400, 'VALIDATION_INVALID']);
      expect(world.contract.answerProblems(endpoint, answer)).toEqual([]);
    }
    // Signed transactions and lists of addresses are larger than other requests.
    const limits = { '/merchant/wallet/psbt/submit': 501, '/merchant/wallet/watch': 701 };
    const kilobytes =
      Object.entries(limits).find(
        ([path]) => endpoint.path.endsWith(path) && endpoint.method === 'POST',
      )?.[1] ?? 101;
    const large = await post(JSON.stringify({ junk: 'x'.repeat(kilobytes * 1024) }));
    expect([large.status, large.body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(world.contract.answerProblems(endpoint, large)).toEqual([]);
  });
});
