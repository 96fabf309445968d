/** Answers in other types than JSON are what the document says of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveResponse } from '../../../src/http/openapi/types.ts';
import type { Endpoint } from './contract.ts';
import { World, type Account } from './world.ts';

const world = await World.start();
let account: Account;
beforeAll(async () => {
  account = await world.account();
});
afterAll(async () => world.end());

function contentOf({ operation }: Endpoint) {
  const response = operation.responses['200'];
  return response === undefined ? {} : (resolveResponse(world.contract.document, response).content ?? {});
}

const streamed = world.contract.routes.filter((endpoint) => Object.keys(contentOf(endpoint)).length > 1);

it('the OpenAPI document describes streamed responses', () => {
  expect(streamed.map(({ name }) => name)).toContain('GET /payment/export');
});

describe.each(streamed)('the streamed response of $name', (endpoint) => {
  const ask = async (format: string, token: string): Promise<Response> => {
    const { parameters = [] } = endpoint.operation;
    const query = new URLSearchParams({ format });
    if (parameters.some(({ name }) => name === 'coin')) query.set('coin', 'BTC');
    return fetch(`${world.till.api.baseUrl}${endpoint.path}?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
  };
  const types = Object.keys(contentOf(endpoint));

  it.each(types)('has the content type %s when requested, as documented', async (type) => {
    const format = type.split('/')[1] ?? '';
    const response = await ask(format, account.shop.secretKey);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(new RegExp(`^${type}(;|$)`));
    expect(response.headers.get('cache-control')).toBe('no-store');
    const text = await response.text();
    if (type === 'application/json') {
      const answer = { status: 200, headers: response.headers, body: JSON.parse(text) as unknown };
      expect(world.contract.answerProblems(endpoint, answer)).toEqual([]);
      return;
    }
    if (type === 'application/pdf') {
      expect(text.slice(0, 5)).toBe('%PDF-');
      return;
    }
    if (type === 'application/jsonl') {
      for (const line of text.split('\n').filter((each) => each !== '')) JSON.parse(line);
      return;
    }
    const example = String(contentOf(endpoint)[type]?.example);
    expect(text.replace('\uFEFF', '').split('\r\n')[0]).toBe(example.split('\r\n')[0]);
    expect(text.split('\r\n').length).toBeGreaterThan(2);
  });

  it.each(types)(
    'is an error in the usual JSON format, whatever content type was requested: %s',
    async (type) => {
      const response = await ask(type.split('/')[1] ?? '', 'sk_nonsense');
      expect(response.status).toBe(401);
      const body: unknown = await response.json();
      expect(body).toMatchObject({ success: false, error: { code: 'UNAUTHORISED' }, data: null });
    },
  );
});
