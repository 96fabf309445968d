import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ApiAnswer } from '../../_helpers/api-client.ts';
import { DomainWorld } from '../../_helpers/domains/domain-world.ts';
import { newMerchant, newUser } from '../../_helpers/http-app.ts';

let world: DomainWorld;
beforeAll(async () => {
  world = await DomainWorld.open();
});
afterAll(async () => world.close());
beforeEach(async () => world.newShop());

const outcome = ({ status, body }: ApiAnswer<unknown>) =>
  [status, body.error?.code, body.error?.details?.[0]?.field].filter((part) => part !== undefined);

describe('POST /merchant/verify-domain', () => {
  it('returns the same token for all methods and stores the last chosen method', async () => {
    for (const method of ['dns', 'file', 'meta']) {
      const { status, body } = await world.choose(method);
      expect(status).toBe(200);
      expect(body.data.verification).toMatchObject({ method, token: world.shop.domain.verification });
    }
    expect((await world.found()).method).toBe('meta');
  });

  it('accepts the owner and a secret key', async () => {
    const stranger = await newUser(world.app);
    expect(outcome(await world.choose('dns', stranger.token))).toEqual([404, 'MERCHANT_NOT_FOUND']);
    expect(outcome(await world.choose('dns', null))).toEqual([401, 'UNAUTHORISED', 'authorization']);
    expect(outcome(await world.choose('dns', world.shop.auth.public))).toEqual([
      401,
      'UNAUTHORISED',
      'authorization',
    ]);
    expect(await world.stored()).toBeUndefined();
    expect((await world.choose('dns', world.shop.auth.secret)).status).toBe(200);
  });

  it.each([
    ['ftp', undefined, 'method'],
    [undefined, undefined, 'method'],
    [1, undefined, 'method'],
    ['dns', 5, 'merchantId'],
    ['dns', '', 'merchantId'],
  ])('answers 400 for %j of %j', async (method, merchantId, field) => {
    expect(outcome(await world.choose(method, world.key, merchantId ?? world.shop.id))).toEqual([
      400,
      'VALIDATION_INVALID',
      field,
    ]);
  });
});

describe('POST /merchant/verify-domain/check', () => {
  it('answers 409 while no method is chosen', async () => {
    expect(outcome(await world.ask())).toEqual([409, 'INVALID_STATE']);
  });

  it('accepts the owner only, and names an invalid field', async () => {
    await world.choose('dns');
    const stranger = await newUser(world.app);
    expect(outcome(await world.ask(stranger.token))).toEqual([404, 'MERCHANT_NOT_FOUND']);
    expect(outcome(await world.ask(null))).toEqual([401, 'UNAUTHORISED', 'authorization']);
    expect(outcome(await world.ask(world.shop.auth.public))).toEqual([401, 'UNAUTHORISED', 'authorization']);
    expect(outcome(await world.ask(world.key, {}))).toEqual([400, 'VALIDATION_INVALID', 'merchantId']);
    expect(outcome(await world.ask(world.key, { merchantId: 'nobody' }))).toEqual([
      404,
      'MERCHANT_NOT_FOUND',
    ]);
    expect((await world.stored())?.checkedAt).toBeNull();
  });

  it('verifies the domain by DNS, emits one event and shows the result in the merchant list', async () => {
    await world.choose('dns');
    const before = await world.found();
    expect(before).toMatchObject({
      verified: false,
      method: 'dns',
      lastError: expect.stringContaining('TXT'),
    });
    expect(await world.listed()).toBe(false);
    world.publish();
    const wakes = world.app.wakes();
    const publishedAt = world.app.now();
    const after = await world.found();
    expect(after).toMatchObject({ verified: true, method: 'dns', lastError: null });
    expect(Date.parse(after.checkedAt ?? '')).toBeGreaterThanOrEqual(publishedAt);
    expect(Date.parse(after.checkedAt ?? '')).toBeLessThanOrEqual(world.app.now());
    expect(world.app.wakes()).toBe(wakes + 1);
    expect((await world.found()).verified).toBe(true);
    expect(await world.listed()).toBe(true);
    expect(await world.events()).toEqual([
      expect.objectContaining({
        type: 'domain.verified',
        sandbox: true,
        sequence: 0,
        data: {
          domain: {
            name: world.shop.domain.name,
            isVerified: true,
            method: 'dns',
            verifiedAt: expect.any(String),
            lastError: null,
          },
          merchant: { id: world.shop.id, name: world.shop.name },
        },
      }),
    ]);
  });

  it('verifies the domain by file and by meta tag', async () => {
    const { verification } = world.shop.domain;
    world.web.serve({
      '/.well-known/tilld-verification.txt': `token=${verification}\n`,
      '/': `<html><head><meta name="tilld-verification" content="${verification}"></head></html>`,
    });
    await world.choose('file');
    expect(await world.found()).toMatchObject({ verified: true, method: 'file' });
    await world.choose('meta');
    expect(await world.found()).toMatchObject({ verified: true, method: 'meta' });
    expect(await world.types()).toEqual(['domain.verified']);
  });

  it('rejects the verification token of another shop', async () => {
    const other = await newMerchant(world.app, world.token);
    await world.choose('dns');
    world.publish(other.domain.verification);
    expect((await world.found()).verified).toBe(false);
  });

  it('emits one event however many checks run concurrently, including the cron job', async () => {
    await world.choose('dns');
    world.publish();
    world.app.advance(61_000);
    const answers = await Promise.all([
      ...Array.from({ length: 8 }, () => world.found()),
      world.app.domainChecks.recheck().then(() => ({ verified: true })),
    ]);
    expect(answers.every(({ verified }) => verified)).toBe(true);
    expect(await world.types()).toEqual(['domain.verified']);
  });

  it('ignores the late failure of a check that began before a successful one', async () => {
    await world.choose('file');
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    world.web.handler = (_request, response) => {
      asked.resolve();
      void answer.promise.then(() => response.writeHead(404).end());
    };
    const slow = world.found();
    await asked.promise;
    world.web.serve({ '/.well-known/tilld-verification.txt': `token=${world.shop.domain.verification}` });
    expect((await world.found()).verified).toBe(true);
    answer.resolve();
    expect(await slow).toMatchObject({ verified: true, lastError: null });
    expect((await world.stored())?.failures).toBe(0);
  });

  it('ignores the result of a check when the method was changed meanwhile', async () => {
    await world.choose('file');
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    world.web.handler = (_request, response) => {
      asked.resolve();
      void answer.promise.then(() => response.end(`token=${world.shop.domain.verification}`));
    };
    const slow = world.ask();
    await asked.promise;
    world.app.advance(1);
    await world.choose('dns');
    answer.resolve();
    expect((await slow).body.data.verification.verified).toBe(false);
    expect(await world.types()).toEqual([]);
  });

  it('answers 429 to a merchant with too many checks, and not to other merchants', async () => {
    await world.choose('dns');
    let last = 200;
    for (let index = 0; index < 45 && last === 200; index += 1) last = (await world.ask()).status;
    expect(last).toBe(429);
    await world.newShop();
    await world.choose('dns');
    expect((await world.ask()).status).toBe(200);
    world.app.advance(61_000);
  });
});
