import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../_helpers/poll.ts';
import { PREPARATIONS } from './preparations.ts';
import { credentialsOf, World, type Account, type CredentialKind } from './world.ts';
import type { Endpoint } from './contract.ts';

const world = await World.start();
let account: Account;
beforeAll(async () => {
  account = await world.account();
});
afterAll(async () => world.end());

const cases = world.contract.routes.flatMap((endpoint): [string, Endpoint, CredentialKind | null][] => {
  const kinds = credentialsOf(endpoint);
  if (kinds.length === 0) return [[endpoint.name, endpoint, null]];
  return kinds.map((kind) => [`${endpoint.name} with a ${kind}`, endpoint, kind]);
});

describe('the documented example of an endpoint', () => {
  it.each(cases)('gets a documented response from %s', async (_name, endpoint, kind) => {
    const example = account.request(endpoint, kind);
    const prepare = PREPARATIONS[endpoint.name];
    const request = prepare === undefined ? example : await prepare(world, account, example);
    const surplus = { ...request, query: { ...request.query, unknownField: '1' } };
    const answer = await world.send(endpoint, {
      ...surplus,
      body: request.body === undefined ? undefined : { ...request.body, unknownField: { any: ['thing'] } },
    });
    expect(answer.body.error).toBeNull();
    expect(answer.body.success).toBe(true);
    // A 202 is the answer where the work goes on, which no example makes it do.
    const [documented] = Object.keys(endpoint.operation.responses)
      .filter((status) => status.startsWith('2') && status !== '202')
      .slice(-1);
    expect(String(answer.status)).toBe(documented);
    expect(world.contract.answerProblems(endpoint, answer)).toEqual([]);
  });
});

describe('other documented request bodies', () => {
  it('create a payment by product and price', async () => {
    const endpoint = world.contract.routes.find(({ name }) => name === 'POST /payment/create');
    const examples = endpoint?.operation.requestBody?.content['application/json']?.examples ?? {};
    for (const { value } of Object.values(examples)) {
      const body = account.own(value as Record<string, unknown>);
      const answer = await world.send(endpoint!, { query: {}, body, token: account.shop.publicKey });
      expect(answer.body.error).toBeNull();
      expect(answer.status).toBe(201);
      const again = await world.send(endpoint!, { query: {}, body, token: account.shop.publicKey });
      expect(again.status).toBe(200);
      expect(world.contract.answerProblems(endpoint!, again)).toEqual([]);
    }
  });
});

describe('endpoints for the operator', () => {
  it.each(world.contract.endpoints.filter(({ operation }) => operation.tags.includes('Service')))(
    'answer $name with a documented response',
    async ({ path, operation }) => {
      // What was simulated before may have moved a tip by many blocks: /readyz says so until they are read.
      const response = await eventually(
        `${path} answers 200`,
        () => fetch(world.till.api.baseUrl + path),
        ({ status }) => status === 200,
      );
      const [type] = Object.keys((operation.responses['200'] as { content: object }).content);
      expect(response.headers.get('content-type')).toContain(type);
      expect(response.headers.has('x-request-id')).toBe(true);
    },
  );

  it('answer /healthz and /readyz as documented', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const endpoint = world.contract.endpoints.find((candidate) => candidate.path === path);
      const answer = await world.send(endpoint!, { query: {}, body: undefined, token: null });
      expect(world.contract.answerProblems(endpoint!, answer)).toEqual([]);
    }
  });
});
