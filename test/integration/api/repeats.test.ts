import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../src/domain/errors.ts';
import { defineRoute } from '../../../src/http/server/route.ts';
import { startHttpApp } from '../../_helpers/http-app.ts';
import { putShopInMode, unfreezeWallets } from '../../_helpers/shop-mode.ts';
import type { Endpoint } from './contract.ts';
import { PREPARATIONS } from './preparations.ts';
import { credentialsOf, fresh, World, type Account } from './world.ts';

const world = await World.start();
let account: Account;
beforeAll(async () => {
  account = await world.account();
});
// One of the routes freezes the wallet.
afterEach(() => unfreezeWallets(world.till));
afterAll(async () => world.end());

const posts = world.contract.routes.filter(({ method }) => method === 'POST');

/** Answers INVALID_STATE, documented or not. */
const route = (path: string, errors: readonly ['INVALID_STATE'] | readonly []) =>
  defineRoute({
    method: 'GET',
    path,
    summary: '',
    description: '',
    tags: [],
    auth: 'none',
    scope: 'never',
    data: z.object({}),
    status: 200,
    errors,
    handler: async () => {
      throw new AppError('INVALID_STATE', 'not now');
    },
  });

/** On routes about the account, the shop only says in whose. */
function needsMerchant({ operation }: Endpoint): boolean {
  const { description } = operation.parameters?.find(({ name }) => name === 'merchantId') ?? {};
  return description?.startsWith('Required') === true;
}

describe('an Idempotency-Key', () => {
  it.each(posts)('makes $name run once, and is rejected for a different request', async (endpoint) => {
    const example = account.request(endpoint);
    const prepared = (await PREPARATIONS[endpoint.name]?.(world, account, example)) ?? example;
    const headers = { ...prepared.headers, 'idempotency-key': fresh('key') };
    const first = await world.send(endpoint, { ...prepared, headers });
    expect(first.body.error).toBeNull();
    expect(first.headers.has('idempotent-replayed')).toBe(false);
    // What changed since must not matter: the old token of a changed password or factor still asks who it is.
    const again = await world.send(endpoint, { ...prepared, headers });
    if (again.status !== 401) {
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect([again.status, again.body]).toEqual([first.status, first.body]);
      const other = await world.send(endpoint, { ...prepared, headers, query: { another: 'request' } });
      expect([other.status, other.body.error?.code]).toEqual(
        prepared.query['merchantId'] === undefined || !needsMerchant(endpoint)
          ? [422, 'IDEMPOTENCY_MISMATCH']
          : [400, 'VALIDATION_INVALID'],
      );
      expect(world.contract.answerProblems(endpoint, other)).toEqual([]);
    } else {
      expect(['/auth/change-password', '/auth/totp/enable', '/auth/totp/disable']).toContain(endpoint.path);
    }
  });

  it.each(posts)(
    'is rejected by $name when it is empty, too long or has invalid characters',
    async (endpoint) => {
      const request = account.request(endpoint);
      for (const key of ['', 'x'.repeat(256)]) {
        const answer = await world.send(endpoint, { ...request, headers: { 'idempotency-key': key } });
        expect([answer.status, answer.body.error?.details?.[0]?.field]).toEqual([400, 'Idempotency-Key']);
        expect(world.contract.answerProblems(endpoint, answer)).toEqual([]);
      }
    },
  );
});

/** What belongs to the account, not to a shop, has no mode. */
const OF_THE_ACCOUNT: ReadonlySet<string> = new Set(['Customers', 'Catalog']);
const withMode = posts.filter(
  (endpoint) =>
    credentialsOf(endpoint).includes('secretKey') &&
    !endpoint.operation.tags.some((tag) => OF_THE_ACCOUNT.has(tag)) &&
    !/^\/merchant\/(create|sandbox|verify-domain.*)$/.test(endpoint.path),
);

describe('a sandbox response', () => {
  afterEach(() => putShopInMode(world.till, account.shop.merchantId, 'sandbox'));

  it.each(withMode)(
    'is not replayed by $name to a live request with the same Idempotency-Key',
    async (endpoint) => {
      const example = account.request(endpoint, 'secretKey');
      const prepared = (await PREPARATIONS[endpoint.name]?.(world, account, example)) ?? example;
      const request = { ...prepared, headers: { 'idempotency-key': fresh('key') } };
      const played = await world.send(endpoint, request);
      expect(played.body.error).toBeNull();
      putShopInMode(world.till, account.shop.merchantId, 'live');
      const live = await world.send(endpoint, request);
      expect(live.headers.has('idempotent-replayed')).toBe(false);
    },
  );
});

describe('an undocumented error', () => {
  it('never occurred in the tests of this file, so that every route documents its errors', async () => {
    const extraRoutes = [route('/test/known', ['INVALID_STATE']), route('/test/unknown', [])];
    const app = await startHttpApp({ extraRoutes });
    try {
      expect((await app.api.call('GET', '/test/known')).status).toBe(409);
      expect((await app.api.call('GET', '/test/unknown')).status).toBe(500);
      expect(app.logs.join()).toContain('INVALID_STATE, which its documentation does not list');
    } finally {
      await app.destroy();
    }
  });
});
