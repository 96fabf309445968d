import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES, type Scope } from '../../../src/domain/scopes.ts';
import type { Endpoint } from './contract.ts';
import { credentialsOf, fresh, World, type Account, type Answer } from './world.ts';

const world = await World.start();
const byScope = new Map<string, string>();
let account: Account;
beforeAll(async () => {
  account = await world.account();
  for (const scope of SCOPES) byScope.set(scope, await keyWith([scope]));
});
afterAll(async () => world.end());

async function keyWith(scopes: readonly Scope[], of = account): Promise<string> {
  const { key } = await world.till.api.must<{ key: { value: string } }>('POST', '/merchant/keys/create', {
    token: of.shop.token,
    body: { merchantId: of.shop.merchantId, name: fresh('key'), scopes },
  });
  return key.value;
}

/** The documented example, which needs preparations to succeed but none to be let in. */
async function ask(endpoint: Endpoint, token: string): Promise<Answer> {
  const kind = credentialsOf(endpoint).includes('restrictedKey') ? 'restrictedKey' : null;
  return world.send(endpoint, { ...account.request(endpoint, kind), token });
}

/** As the document says it in prose: all that is listed, where `write` includes `read`. */
function isAllowed(needed: readonly string[], scope: string): boolean {
  return needed.every(
    (one) => one === scope || (one.endsWith(':read') && scope === one.replace('read', 'write')),
  );
}

const guarded = world.contract.routes.filter((endpoint) => credentialsOf(endpoint).length > 0);
const open = guarded.filter((endpoint) => credentialsOf(endpoint).includes('restrictedKey'));
const closed = guarded.filter((endpoint) => !credentialsOf(endpoint).includes('restrictedKey'));

describe('a restricted key with one scope', () => {
  it.each(open)('is accepted by $name with the documented scope only', async (endpoint) => {
    const needed = endpoint.operation['x-scope'];
    if (needed === undefined) throw new Error('no scope is documented');
    for (const scope of SCOPES) {
      const { status, body, ...rest } = await ask(endpoint, byScope.get(scope) ?? '');
      const answer = { status, body, ...rest };
      if (isAllowed(needed, scope)) {
        expect([401, 403], scope).not.toContain(status);
      } else {
        expect([status, body.error?.code, body.data], scope).toEqual([403, 'FORBIDDEN', null]);
        const lacking = needed.filter((one) => !isAllowed([one], scope));
        for (const one of lacking) expect(body.error?.message).toContain(one);
        expect(body.error?.details).toHaveLength(lacking.length);
      }
      expect(world.contract.answerProblems(endpoint, answer)).toEqual([]);
    }
  });

  it.each(closed)('is refused by $name with every scope', async (endpoint) => {
    expect(endpoint.operation['x-scope']).toBeUndefined();
    const { status, body } = await ask(endpoint, account.restrictedKey);
    expect(body.data).toBeNull();
    // Where a secret key is taken the key is known but not allowed; elsewhere no key is.
    const takesKeys = credentialsOf(endpoint).includes('secretKey');
    expect([status, body.error?.code]).toEqual(takesKeys ? [403, 'FORBIDDEN'] : [401, 'UNAUTHORISED']);
  });

  it('covers every scope, and routes that need several, any or no scope', () => {
    const named = new Set(open.flatMap(({ operation }) => operation['x-scope'] ?? []));
    expect(named).toEqual(new Set(SCOPES));
    expect(
      open.filter(({ operation }) => operation['x-scope']?.length === 0).map(({ name }) => name),
    ).toEqual(['GET /merchant/list', 'GET /rates']);
    expect(closed.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/auth/me', '/merchant/create', '/merchant/edit', '/merchant/keys/create']),
    );
  });

  it('is documented as a role of the OpenAPI security scheme', () => {
    for (const { operation, name } of open) {
      const roles = (operation.security ?? []).flatMap((requirement) => requirement['restrictedKey'] ?? []);
      expect(roles, name).toEqual(operation['x-scope']);
    }
  });
});

/** Sends, sweeps and refunds there were. */
async function outgoing(): Promise<string[]> {
  const { transactions } = await world.till.api.must<{ transactions: { id: string }[] }>(
    'GET',
    '/merchant/wallet/transactions?limit=100&direction=out',
    { token: account.shop.secretKey },
  );
  return transactions.map(({ id }) => id);
}

describe('the key of a shop plugin', () => {
  const PLUGIN: readonly Scope[] = [
    'payments:write',
    'refunds:write',
    'customers:write',
    'events:read',
    'webhooks:write',
  ];
  /** Where coins leave the wallet, are bound, or a send is changed. */
  const MOVES_MONEY = guarded.filter(({ operation }) => operation['x-scope']?.includes('wallet:send'));

  it('cannot move money', async () => {
    const key = await keyWith(PLUGIN);
    const before = await outgoing();
    expect(MOVES_MONEY.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        '/payment/refund',
        '/merchant/wallet/send',
        '/merchant/wallet/send/bump',
        '/merchant/wallet/send/cancel',
        '/merchant/wallet/psbt/submit',
        '/merchant/wallet/consolidate',
      ]),
    );
    for (const endpoint of MOVES_MONEY) {
      const { status, body } = await ask(endpoint, key);
      expect([status, body.error?.code], endpoint.name).toEqual([403, 'FORBIDDEN']);
    }
    // What it may call moves nothing either.
    for (const endpoint of open.filter((one) => !MOVES_MONEY.includes(one))) await ask(endpoint, key);
    expect(before.length).toBeGreaterThan(0);
    expect(await outgoing()).toEqual(before);
  });

  it('cannot create or list keys', async () => {
    const key = await keyWith(SCOPES);
    const { merchantId } = account.shop;
    const body = { merchantId, name: 'More', scopes: ['wallet:send'] };
    for (const [method, path] of [
      ['POST', '/merchant/keys/create'],
      ['POST', '/merchant/keys/regenerate'],
      ['DELETE', '/merchant/keys/delete'],
      ['GET', `/merchant/keys?merchantId=${merchantId}`],
    ] as const) {
      const answer = await world.till.api.call(method, path, {
        token: key,
        ...(method === 'GET' ? {} : { body }),
      });
      expect([answer.status, answer.body.error?.code], path).toEqual([401, 'UNAUTHORISED']);
    }
  });
});
