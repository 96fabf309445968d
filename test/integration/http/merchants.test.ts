import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  FOLLOWED,
  newMerchant,
  newUser,
  startHttpApp,
  type HttpApp,
  type TestMerchant,
} from '../../_helpers/http-app.ts';

let app: HttpApp;
let token: string;
let stranger: string;
let shop: TestMerchant;
beforeAll(async () => {
  app = await startHttpApp();
  ({ token } = await newUser(app));
  ({ token: stranger } = await newUser(app));
  shop = await newMerchant(app, token);
});
afterAll(async () => app.destroy());

interface Outcome {
  status: number;
  body: { error: { code: string; details?: { field: string }[] } | null };
}
const outcome = ({ status, body }: Outcome) => [
  status,
  body.error?.code ?? null,
  ...(body.error?.details?.map(({ field }) => field) ?? []),
];
const call = async (method: string, path: string, credential: string | null, body?: unknown) =>
  app.api.call(method, path, {
    ...(credential === null ? {} : { token: credential }),
    ...(body === undefined ? {} : { body }),
  });
const create = async (body: unknown, credential: string | null = token) =>
  call('POST', '/merchant/create', credential, body);
const edit = async (body: object, credential = token) =>
  call('PATCH', '/merchant/edit', credential, { merchantId: shop.id, ...body });

describe('POST /merchant/create', () => {
  it('returns the complete merchant, with its secrets only in this response', async () => {
    const { status, body } = await create({
      name: ' Tea House ',
      domain: 'Tea.Example.COM',
      description: 'Leaves',
    });
    expect(status).toBe(201);
    expect(body.data['merchant']).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      name: 'Tea House',
      description: 'Leaves',
      domain: { name: 'tea.example.com', isVerified: false, verification: expect.stringMatching(/^\w{32}$/) },
      auth: {
        public: expect.stringMatching(/^pk_[0-9A-Za-z]{43}$/),
        secret: expect.stringMatching(/^sk_[0-9A-Za-z]{43}$/),
      },
      wallets: {
        BTC: expect.stringMatching(/^tb1q/),
        ETH: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        LTC: expect.stringMatching(/^tltc1q/),
        SOL: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
      },
    });
  });

  it('derives a watched wallet address per coin in both modes, and stores only the hash of the secret key', async () => {
    const rows = await app.db.selectFrom('addresses').selectAll().where('merchantId', '=', shop.id).execute();
    expect(rows).toHaveLength(8);
    expect(new Set(rows.map(({ coin, mode }) => `${coin} ${mode}`)).size).toBe(8);
    expect(rows.every((row) => row.idx === 0 && row.branch === 0 && row.purpose === 'wallet')).toBe(true);
    const keys = await app.db.selectFrom('api_keys').selectAll().where('merchantId', '=', shop.id).execute();
    expect(JSON.stringify(keys)).not.toContain(shop.auth.secret);
    const hash = createHash('sha256').update(shop.auth.secret).digest('hex');
    const row = keys.find(({ keyHash }) => keyHash === hash);
    expect([row?.prefix, row?.lastFour]).toEqual([shop.auth.secret.slice(0, 8), shop.auth.secret.slice(-4)]);
  });

  it('creates the merchant in sandbox mode when no live coin is configured, otherwise in live mode with addresses of that network', async () => {
    expect(shop.sandboxMode).toBe(true);
    const live = await startHttpApp({ hasLiveCoin: true });
    const merchant = await newMerchant(live, (await newUser(live)).token);
    expect(merchant.sandboxMode).toBe(false);
    expect(merchant.wallets.BTC).toMatch(/^bcrt1q/);
    await live.destroy();
  });

  it.each(['dup.example', 'DUP.example', 'dup.example.'])(
    'refuses the domain %s, which is registered already in any account',
    async (domain) => {
      await create({ name: 'First', domain: 'dup.example' });
      expect(outcome(await create({ name: 'Second', domain }, stranger))).toEqual([
        400,
        'DUPLICATE_ENTRY',
        'domain',
      ]);
    },
  );

  it('stores international domains in ASCII form', async () => {
    const first = await newMerchant(app, token, { domain: 'Bücher.example' });
    expect(first.domain.name).toBe('xn--bcher-kva.example');
    expect(outcome(await create({ name: 'x', domain: 'xn--bcher-kva.example' }))).toEqual([
      400,
      'DUPLICATE_ENTRY',
      'domain',
    ]);
  });

  it.each([
    ['name', { domain: 'ok.example' }],
    ['name', { name: '  ', domain: 'ok.example' }],
    ['name', { name: 'x'.repeat(256), domain: 'ok.example' }],
    ['name', { name: 'nul\0', domain: 'ok.example' }],
    ['name', { name: '\ud800', domain: 'ok.example' }],
    ['name', { name: null, domain: 'ok.example' }],
    ['description', { name: 'x', domain: 'ok.example', description: 5 }],
    ['description', { name: 'x', domain: 'ok.example', description: 'x'.repeat(256) }],
    ...[
      'https://ok.example',
      'ok.example:8080',
      'ok.example/shop',
      'localhost',
      '10.0.0.1',
      '[::1]',
      'a b.example',
      '-a.example',
      'a..example',
      'a@b.example',
      `${'a'.repeat(64)}.example`,
      '',
      3,
    ].map((domain): [string, object] => ['domain', { name: 'x', domain }]),
  ])('answers 400 naming %s for %j', async (field, body) => {
    expect(outcome(await create(body))).toEqual([400, 'VALIDATION_INVALID', field]);
  });

  it('names every invalid field in one response', async () => {
    expect(outcome(await create({ description: [] }))).toEqual([
      400,
      'VALIDATION_INVALID',
      'name',
      'domain',
      'description',
    ]);
  });

  it('accepts names of 255 characters, where an emoji counts as one', async () => {
    expect((await create({ name: '🦊'.repeat(255), domain: 'fox.example' })).status).toBe(201);
  });

  it('assigns different wallet accounts to merchants created concurrently, and accepts one of two with the same domain', async () => {
    const domains = ['par1.example', 'par2.example', 'par3.example', 'par3.example'];
    const answers = await Promise.all(domains.map(async (domain) => create({ name: 'x', domain })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.filter(({ body }) => body.error?.code === 'DUPLICATE_ENTRY')).toHaveLength(1);
    const rows = await app.db.selectFrom('merchants').select('account').execute();
    expect(new Set(rows.map(({ account }) => account)).size).toBe(rows.length);
    const addresses = answers.flatMap(({ body }) =>
      body.data === null ? [] : Object.values((body.data['merchant'] as TestMerchant).wallets),
    );
    expect(new Set(addresses).size).toBe(12);
  });

  it('requires a user token instead of a key', async () => {
    expect(outcome(await create({ name: 'x', domain: 'na.example' }, null))).toEqual([
      401,
      'UNAUTHORISED',
      'authorization',
    ]);
    expect(outcome(await create({ name: 'x', domain: 'na.example' }, shop.auth.public))).toEqual([
      401,
      'UNAUTHORISED',
      'authorization',
    ]);
    expect(outcome(await create({ name: 'x', domain: 'by-key.example' }, shop.auth.secret))).toEqual([
      401,
      'UNAUTHORISED',
      'authorization',
    ]);
  });
});

describe('GET /merchant/list', () => {
  it('lists the merchants of the account, newest first, without keys', async () => {
    const { token: own } = await newUser(app);
    const first = await newMerchant(app, own);
    app.advance(1000);
    const second = await newMerchant(app, own);
    const { status, body } = await call('GET', '/merchant/list', own);
    const merchants = body.data['merchants'] as Record<string, unknown>[];
    expect(status).toBe(200);
    expect(merchants.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(merchants[1]).toMatchObject({
      name: 'Shop',
      domain: first.domain.name,
      isVerified: false,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(JSON.stringify(body)).not.toContain('sk_');
    expect(outcome(await call('GET', '/merchant/list', null))).toEqual([
      401,
      'UNAUTHORISED',
      'authorization',
    ]);
  });
});

describe('PATCH /merchant/edit', () => {
  it('changes the given fields and leaves the others unchanged', async () => {
    const { status, body } = await edit({ webhookUrl: 'https://hooks.example/x?y=1', description: 'New' });
    expect(status).toBe(200);
    expect(body.data['merchant']).toMatchObject({
      id: shop.id,
      name: 'Shop',
      description: 'New',
      webhookUrl: 'https://hooks.example/x?y=1',
    });
    const renamed = await edit({ name: 'Renamed' });
    expect(renamed.body.data['merchant']).toMatchObject({ name: 'Renamed', description: 'New' });
  });

  it.each(['', null])('clears description and webhookUrl with %j', async (nothing) => {
    await edit({ webhookUrl: 'https://hooks.example', description: 'x' });
    const { body } = await edit({ webhookUrl: nothing, description: nothing });
    expect(body.data['merchant']).toMatchObject({ webhookUrl: null, description: null });
  });

  it('sets lifetime, tolerance and the policy for late payments', async () => {
    const settings = { paymentLifetimeMinutes: 1440, tolerancePercent: '2.25', latePayments: 'review' };
    expect((await edit(settings)).body.data['merchant']).toMatchObject(settings);
    expect((await edit({ tolerancePercent: 0.5 })).body.data['merchant']).toMatchObject({
      tolerancePercent: '0.5',
    });
    expect((await edit({ tolerancePercent: 5 })).body.data['merchant']).toMatchObject({
      tolerancePercent: '5',
    });
  });

  it('sets currency and time zone, and clears them with null or an empty text', async () => {
    const settings = { currency: 'EUR', timeZone: 'Europe/Berlin' };
    expect((await edit(settings)).body.data['merchant']).toMatchObject(settings);
    expect((await edit({ currency: 'chf' })).body.data['merchant']).toMatchObject({
      currency: 'CHF',
      timeZone: 'Europe/Berlin',
    });
    for (const timeZone of ['', null]) {
      await edit({ timeZone: 'Europe/Berlin' });
      expect((await edit({ timeZone })).body.data['merchant']).toMatchObject({ timeZone: null });
    }
  });

  it.each([
    ['merchantId', { merchantId: undefined }],
    ['merchantId', { merchantId: 5 }],
    ['merchantId', { merchantId: '' }],
    ['name', { name: '' }],
    ['name', { name: null }],
    ['description', { description: false }],
    ...[
      'hooks.example',
      'ftp://hooks.example',
      'http:/one',
      'javascript:alert(1)',
      'https://u:p@hooks.example',
      'https://a b',
      `https://x.example/${'y'.repeat(2048)}`,
      5,
    ].map((webhookUrl): [string, object] => ['webhookUrl', { webhookUrl }]),
    ...[4, 1441, 5.5, '60', null].map((minutes): [string, object] => [
      'paymentLifetimeMinutes',
      { paymentLifetimeMinutes: minutes },
    ]),
    ...[5.01, '5.01', -1, '-0', '0.125', 0.125, 'abc', '', true, null, 1e-7].map(
      (percent): [string, object] => ['tolerancePercent', { tolerancePercent: percent }],
    ),
    ['latePayments', { latePayments: 'ignore' }],
    ...['XXX', 'EURO', '', null].map((currency): [string, object] => ['currency', { currency }]),
    ['timeZone', { timeZone: 'Mars/Olympus' }],
  ])('answers 400 naming %s for %j', async (field, body) => {
    expect(outcome(await edit(body))).toEqual([400, 'VALIDATION_INVALID', field]);
  });

  it('answers 404 MERCHANT_NOT_FOUND for an unknown id, and for a merchant of another account', async () => {
    for (const merchantId of ['nope', '00000000-0000-4000-8000-000000000000', shop.auth.public]) {
      expect(outcome(await edit({ merchantId }))).toEqual([404, 'MERCHANT_NOT_FOUND']);
    }
    expect(outcome(await edit({ name: 'Mine now' }, stranger))).toEqual([404, 'MERCHANT_NOT_FOUND']);
  });

  it('resumes deliveries to a webhook URL that had answered 410', async () => {
    const gone = { merchantId: shop.id, paymentId: '', url: 'https://hooks.example', createdAt: 1 };
    await app.db.insertInto('gone_endpoints').values(gone).execute();
    const count = async () =>
      (await app.db.selectFrom('gone_endpoints').select('url').where('merchantId', '=', shop.id).execute())
        .length;
    await edit({ name: 'Untouched URL' });
    expect(await count()).toBe(1);
    await edit({ webhookUrl: 'https://hooks.example' });
    expect(await count()).toBe(0);
  });
});

const sandbox = async (credential: string | null, body: object, query = '') =>
  call('POST', `/merchant/sandbox${query}`, credential, body);

describe('POST /merchant/sandbox', () => {
  it('switches to live with the secret key once a coin is ready, and lists the coins that are not ready', async () => {
    const ready = await startHttpApp({ followedChains: () => [FOLLOWED] });
    const { auth } = await newMerchant(ready, (await newUser(ready)).token);
    for (const sandboxMode of [false, false, true, true]) {
      const { status, body } = await ready.api.call('POST', '/merchant/sandbox', {
        token: auth.secret,
        body: { sandboxMode },
      });
      const message = sandboxMode
        ? 'Sandbox mode enabled: new payments accept simulated coins'
        : 'Live mode enabled: new payments are paid with real money. Ready: BTC. Not ready: ETH (this server has no node for ' +
          'it), LTC (this server has no node for it), SOL (this server has no node for it)';
      expect([status, body.data]).toEqual([200, { sandboxMode, message }]);
    }
    await ready.destroy();
  });

  it('refuses to switch to live while no coin is ready, with the reason per coin', async () => {
    const { auth } = await newMerchant(app, (await newUser(app)).token);
    const { status, body } = await sandbox(auth.secret, { sandboxMode: false });
    const why = 'this server has no node for it';
    expect([status, body.data]).toEqual([
      200,
      {
        sandboxMode: false,
        message:
          'Live mode enabled: new payments are paid with real money. No coin is ready. ' +
          `Not ready: BTC (${why}), ETH (${why}), LTC (${why}), SOL (${why})`,
      },
    ]);
  });

  it('accepts both modes for a live shop, whatever the state of its nodes', async () => {
    let chains = [FOLLOWED];
    const lost = await startHttpApp({ hasLiveCoin: true, followedChains: () => chains });
    const { auth } = await newMerchant(lost, (await newUser(lost)).token);
    chains = [{ ...FOLLOWED, state: 'error', errorKind: 'unavailable' }];
    const ask = async (sandboxMode: boolean) =>
      lost.api.call('POST', '/merchant/sandbox', { token: auth.secret, body: { sandboxMode } });
    const { status, body } = await ask(false);
    expect([status, body.data['message']]).toEqual([200, expect.stringContaining('No coin is ready')]);
    expect((await ask(true)).status).toBe(200);
    expect((await ask(false)).status).toBe(200);
    await lost.destroy();
  });

  it('accepts a user token with merchantId in body or query', async () => {
    expect((await sandbox(token, { sandboxMode: true, merchantId: shop.id })).status).toBe(200);
    expect((await sandbox(token, { sandboxMode: true }, `?merchantId=${shop.id}`)).status).toBe(200);
  });

  it('answers 400 naming merchantId, together with other invalid fields, when a user token sends none', async () => {
    expect(outcome(await sandbox(token, { sandboxMode: true }))).toEqual([
      400,
      'VALIDATION_INVALID',
      'merchantId',
    ]);
    expect(outcome(await sandbox(token, {}))).toEqual([
      400,
      'VALIDATION_INVALID',
      'sandboxMode',
      'merchantId',
    ]);
    expect(outcome(await sandbox(token, { sandboxMode: true, merchantId: 7 }))).toEqual([
      400,
      'VALIDATION_INVALID',
      'merchantId',
    ]);
  });

  it('answers 404 for a merchant of another account, and for a merchant other than that of the key', async () => {
    const other = await newMerchant(app, stranger);
    expect(outcome(await sandbox(token, { sandboxMode: true, merchantId: other.id }))).toEqual([
      404,
      'MERCHANT_NOT_FOUND',
    ]);
    expect(outcome(await sandbox(shop.auth.secret, { sandboxMode: true, merchantId: other.id }))).toEqual([
      404,
      'MERCHANT_NOT_FOUND',
    ]);
  });

  it.each([undefined, null, 'true', 1])('answers 400 for sandboxMode %j', async (sandboxMode) => {
    expect(outcome(await sandbox(shop.auth.secret, { sandboxMode }))).toEqual([
      400,
      'VALIDATION_INVALID',
      'sandboxMode',
    ]);
  });

  it('answers 401 to other credentials', async () => {
    const wrong = [null, 'sk_', `sk_${'0'.repeat(43)}`, `${shop.auth.secret}x`, shop.auth.public, 'rubbish'];
    for (const credential of wrong)
      expect(outcome(await sandbox(credential, { sandboxMode: true }))).toEqual([
        401,
        'UNAUTHORISED',
        'authorization',
      ]);
  });
});

const verify = async (body: object, credential = token) =>
  call('POST', '/merchant/verify-domain', credential, body);

describe('POST /merchant/verify-domain', () => {
  it.each([
    ['dns', '_tilld-challenge.'],
    ['file', '/.well-known/tilld-verification.txt'],
    ['meta', '<meta name="tilld-verification"'],
  ])('returns the instructions for %s', async (method, part) => {
    const { status, body } = await verify({ merchantId: shop.id, method });
    expect(status).toBe(200);
    const verification = body.data['verification'] as Record<string, string>;
    expect(verification).toEqual({
      method,
      instructions: expect.stringContaining(part),
      token: shop.domain.verification,
    });
    expect(verification['instructions']).toContain(shop.domain.name);
    expect(verification['instructions']).toContain(shop.domain.verification);
  });

  it('answers 400 for another method, 404 for another merchant', async () => {
    for (const method of ['http', 'DNS', null, undefined, 5]) {
      expect(outcome(await verify({ merchantId: shop.id, method }))).toEqual([
        400,
        'VALIDATION_INVALID',
        'method',
      ]);
    }
    expect(outcome(await verify({ merchantId: shop.id, method: 'dns' }, stranger))).toEqual([
      404,
      'MERCHANT_NOT_FOUND',
    ]);
  });
});

const works = async (secret: string) =>
  (await call('GET', '/merchant/webhook/secret', secret)).status === 200;
const regenerate = async (merchantId: string, gracePeriodSeconds?: unknown, credential = token) =>
  call('POST', '/merchant/keys/regenerate', credential, { merchantId, gracePeriodSeconds });
const secretOf = ({ body }: { body: { data: Record<string, unknown> } }) =>
  (body.data['auth'] as { secret: string }).secret;

describe('POST /merchant/keys/regenerate', () => {
  it('revokes the old keys immediately when no grace period is given', async () => {
    const merchant = await newMerchant(app, token);
    const { status, body } = await regenerate(merchant.id);
    expect(status).toBe(200);
    expect(body.data).toEqual({
      auth: { public: expect.stringMatching(/^pk_/), secret: expect.stringMatching(/^sk_/) },
      gracePeriodEndsAt: null,
    });
    expect(await works(merchant.auth.secret)).toBe(false);
    expect(await works((body.data['auth'] as { secret: string }).secret)).toBe(true);
  });

  it('keeps old keys valid for exactly the grace period', async () => {
    const merchant = await newMerchant(app, token);
    const answer = await regenerate(merchant.id, 3600);
    expect(Date.parse(String(answer.body.data['gracePeriodEndsAt'])) - app.now()).toBeGreaterThan(3_590_000);
    expect(await works(merchant.auth.secret)).toBe(true);
    app.advance(3_601_000);
    expect(await works(merchant.auth.secret)).toBe(false);
    expect(await works(secretOf(answer))).toBe(true);
  });

  it('revokes keys within an earlier grace period when no grace period is given', async () => {
    const merchant = await newMerchant(app, token);
    const second = secretOf(await regenerate(merchant.id, 3600));
    const third = secretOf(await regenerate(merchant.id, 0));
    expect([await works(merchant.auth.secret), await works(second), await works(third)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('lists the valid keys, and never a complete secret key', async () => {
    const merchant = await newMerchant(app, token);
    const { body } = await call('GET', `/merchant/keys?merchantId=${merchant.id}`, token);
    expect(JSON.stringify(body)).not.toContain(merchant.auth.secret);
    expect(body.data['keys']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'public', key: merchant.auth.public }),
        expect.objectContaining({ kind: 'secret', key: null, lastFour: merchant.auth.secret.slice(-4) }),
      ]),
    );
  });

  it.each([-1, 604_801, 1.5, '60', null])('answers 400 for gracePeriodSeconds %j', async (seconds) => {
    expect(outcome(await regenerate(shop.id, seconds))).toEqual([
      400,
      'VALIDATION_INVALID',
      'gracePeriodSeconds',
    ]);
  });

  it('requires the signed-in owner', async () => {
    expect(outcome(await regenerate(shop.id, 0, shop.auth.secret))).toEqual([
      401,
      'UNAUTHORISED',
      'authorization',
    ]);
    expect(outcome(await regenerate(shop.id, 0, stranger))).toEqual([404, 'MERCHANT_NOT_FOUND']);
    expect(outcome(await call('GET', `/merchant/keys?merchantId=${shop.id}`, stranger))).toEqual([
      404,
      'MERCHANT_NOT_FOUND',
    ]);
    expect(outcome(await call('GET', '/merchant/keys', token))).toEqual([
      400,
      'VALIDATION_INVALID',
      'merchantId',
    ]);
  });
});

const read = async (credential: string, query = '') =>
  call('GET', `/merchant/webhook/secret${query}`, credential);

describe('the webhook secret', () => {
  it('can be read and rotated, and the old one stays valid for a day', async () => {
    const before = String((await read(shop.auth.secret)).body.data['secret']);
    expect(before).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    const rotated = await call('POST', '/merchant/webhook/rotate-secret', shop.auth.secret);
    expect(rotated.status).toBe(200);
    const after = String(rotated.body.data['secret']);
    expect(after).not.toBe(before);
    expect((await read(token, `?merchantId=${shop.id}`)).body.data['secret']).toBe(after);
    const row = await app.db
      .selectFrom('merchants')
      .selectAll()
      .where('id', '=', shop.id)
      .executeTakeFirstOrThrow();
    expect((row.webhookOldSecretUntil ?? 0) - app.now()).toBeGreaterThan(23 * 3_600_000);
    for (const secret of [before, after]) expect(JSON.stringify(row)).not.toContain(secret.slice(6));
  });

  it('is not shown to other accounts', async () => {
    expect(outcome(await read(shop.auth.public))).toEqual([401, 'UNAUTHORISED', 'authorization']);
    expect(outcome(await read(stranger, `?merchantId=${shop.id}`))).toEqual([404, 'MERCHANT_NOT_FOUND']);
    expect(outcome(await read(token))).toEqual([400, 'VALIDATION_INVALID', 'merchantId']);
    const twice = await read(token, `?merchantId=${shop.id}&merchantId=${shop.id}`);
    expect(outcome(twice)).toEqual([400, 'VALIDATION_INVALID', 'merchantId']);
  });
});
