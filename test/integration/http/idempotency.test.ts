import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../src/domain/errors.ts';
import { defineRoute } from '../../../src/http/server/route.ts';
import { FOLLOWED, newMerchant, newUser, startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';

const DAY_MS = 24 * 3600 * 1000;

/** A route that counts its runs, answers as configured, and can be blocked before it runs. */
let runs: { key: string | null; scope: string }[] = [];
let gate: Promise<void> | null = null;
let failWith: AppError | Error | null = null;
const work = (path: string, idempotency: 'day' | 'forever') =>
  defineRoute({
    method: 'POST',
    path,
    summary: '',
    description: '',
    tags: [],
    auth: 'payer',
    scope: 'any',
    idempotency,
    body: z.object({ n: z.int() }),
    data: z.object({ run: z.int(), n: z.int() }),
    status: 201,
    errors: [
      'DUPLICATE_ENTRY',
      'INSUFFICIENT_BALANCE',
      'INVALID_STATE',
      'NODE_UNAVAILABLE',
      'RATE_LIMITED',
      'SEND_REJECTED',
    ],
    handler: async ({ body, idempotencyKey, idempotencyScope }) => {
      runs.push({ key: idempotencyKey, scope: idempotencyScope });
      const run = runs.length;
      await gate;
      if (failWith !== null) throw failWith;
      return { run, n: body.n };
    },
  });
const extraRoutes = [work('/test/work', 'day'), work('/test/send', 'forever')];

let app: HttpApp;
let secret: string;
let publicKey: string;
let token: string;
let merchantId: string;
beforeEach(async () => {
  runs = [];
  gate = null;
  failWith = null;
  app = await startHttpApp({ extraRoutes, followedChains: () => [FOLLOWED] });
  ({ token } = await newUser(app));
  const shop = await newMerchant(app, token);
  ({ secret, public: publicKey } = shop.auth);
  merchantId = shop.id;
});
afterEach(async () => app.destroy());

const send = async (
  key: string | null,
  body: object = { n: 1 },
  options: { path?: string; token?: string; app?: HttpApp } = {},
) =>
  (options.app ?? app).api.call<{ run: number }>('POST', options.path ?? '/test/work', {
    token: options.token ?? secret,
    body,
    headers: key === null ? {} : { 'idempotency-key': key },
  });
const outcome = ({ status, body }: { status: number; body: { error: { code: string } | null } }) => [
  status,
  body.error?.code ?? null,
];
const closedGate = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  return resolve;
};
const untilRunning = async (count: number) => {
  const deadline = Date.now() + 5000;
  while (runs.length < count) {
    if (Date.now() > deadline) throw new Error('the handler was never reached');
    await new Promise((resolve) => setImmediate(resolve));
  }
};

const createCustomer = async (email: string) =>
  app.api.call('POST', '/merchant/customer/create', {
    token,
    body: { email },
    headers: { 'idempotency-key': 'c' },
  });
const registerOnce = async () =>
  app.api.call('POST', '/auth/register', {
    body: { email: 'idem@x.com', password: 'correct horse battery' },
    headers: { 'idempotency-key': 'r' },
  });

describe('a repeated request with an Idempotency-Key', () => {
  it('gets the first response with a marker header, and has no second effect', async () => {
    const first = await send('k1');
    const again = await send('k1');
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(runs).toEqual([{ key: 'k1', scope: `merchant:${merchantId}:sandbox` }]);
  });

  it('is recognised whatever the order of its JSON fields, and whether the key or the owner of the shop sends it', async () => {
    await send('k1', { n: 1, a: { x: 1, y: [1, 2] } });
    expect((await send('k1', { a: { y: [1, 2], x: 1 }, n: 1 })).headers.get('idempotent-replayed')).toBe(
      'true',
    );
    expect(runs).toHaveLength(1);
  });

  it('is refused with 422 when body, query or route differ', async () => {
    await send('k1');
    expect(outcome(await send('k1', { n: 2 }))).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    expect(outcome(await send('k1', { n: 1 }, { path: '/test/work?x=1' }))).toEqual([
      422,
      'IDEMPOTENCY_MISMATCH',
    ]);
    expect(outcome(await send('k1', { n: 1 }, { path: '/test/send' }))).toEqual([
      422,
      'IDEMPOTENCY_MISMATCH',
    ]);
    expect(runs).toHaveLength(1);
  });

  it('is executed as a new request when it has no key', async () => {
    await send(null);
    await send(null);
    expect(runs.map(({ key }) => key)).toEqual([null, null]);
  });

  it('gets the same refusal as the first request', async () => {
    failWith = new AppError('DUPLICATE_ENTRY', 'taken');
    expect(outcome(await send('k1'))).toEqual([400, 'DUPLICATE_ENTRY']);
    failWith = null;
    const again = await send('k1');
    expect(outcome(again)).toEqual([400, 'DUPLICATE_ENTRY']);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it.each([
    ['insufficient funds', new AppError('INSUFFICIENT_BALANCE', 'none'), 400],
    ['an invalid address', new AppError('VALIDATION_INVALID', 'destination'), 400],
    ['a payment that was not ready', new AppError('INVALID_STATE', 'not yet'), 409],
    ['a refusal by the network', new AppError('SEND_REJECTED', 'no'), 400],
  ])('is executed again for a send after %s, with the same or another body', async (_name, error, status) => {
    const path = '/test/send';
    failWith = error;
    for (const n of [1, 2]) expect((await send('k1', { n }, { path })).status).toBe(status);
    failWith = null;
    const sent = await send('k1', { n: 3 }, { path });
    expect([sent.status, sent.body.data.run]).toEqual([201, 3]);
    expect((await send('k1', { n: 3 }, { path })).headers.get('idempotent-replayed')).toBe('true');
    expect(outcome(await send('k1', { n: 4 }, { path }))).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    expect(runs).toHaveLength(3);
  });

  it('is refused as in flight while the first request for a send is being refused, and executed afterwards', async () => {
    const open = closedGate();
    failWith = new AppError('INSUFFICIENT_BALANCE', 'none');
    const first = send('k1', { n: 1 }, { path: '/test/send' });
    await untilRunning(1);
    expect(outcome(await send('k1', { n: 1 }, { path: '/test/send' }))).toEqual([
      409,
      'IDEMPOTENCY_IN_FLIGHT',
    ]);
    open();
    expect((await first).status).toBe(400);
    failWith = null;
    expect((await send('k1', { n: 1 }, { path: '/test/send' })).status).toBe(201);
  });

  it('is executed again for a send whose refusal an earlier version had stored permanently', async () => {
    failWith = new AppError('DUPLICATE_ENTRY', 'stands in for a refusal of then');
    await send('k1', { n: 1 }, { path: '/test/work' });
    await app.db.updateTable('idempotency').set({ route: 'POST /test/send', expiresAt: null }).execute();
    failWith = null;
    expect((await send('k1', { n: 1 }, { path: '/test/work' })).status).toBe(201);
  });

  it.each([
    ['an outage', new AppError('NODE_UNAVAILABLE', 'down'), 503],
    ['a crash', new Error('boom'), 500],
    ['a limit', new AppError('RATE_LIMITED', 'slow down'), 429],
    ['bad credentials', new AppError('UNAUTHORISED', 'no'), 401],
  ])('is executed again after %s', async (_name, error, status) => {
    failWith = error;
    expect((await send('k1')).status).toBe(status);
    failWith = null;
    expect((await send('k1')).status).toBe(201);
    expect(runs).toHaveLength(2);
  });

  it('is executed again when the first body failed validation', async () => {
    expect(outcome(await send('k1', { n: 'one' }))).toEqual([400, 'VALIDATION_INVALID']);
    expect((await send('k1')).status).toBe(201);
  });
});

describe('two concurrent requests with an Idempotency-Key', () => {
  it('are executed once, and the second is refused because the first is in flight', async () => {
    const open = closedGate();
    const first = send('k1');
    await untilRunning(1);
    expect(outcome(await send('k1'))).toEqual([409, 'IDEMPOTENCY_IN_FLIGHT']);
    expect(outcome(await send('k1', { n: 2 }))).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    open();
    expect((await first).status).toBe(201);
    expect((await send('k1')).headers.get('idempotent-replayed')).toBe('true');
    expect(runs).toHaveLength(1);
  });

  it('are never both executed, whatever their timing', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, async () => send('k1')));
    expect(runs).toHaveLength(1);
    expect(answers.every(({ status, body }) => (status === 201 ? body.data.run === 1 : status === 409))).toBe(
      true,
    );
  });

  it('with different keys do not wait for each other', async () => {
    const open = closedGate();
    const first = send('k1');
    await untilRunning(1);
    const second = send('k2');
    await untilRunning(2);
    open();
    expect([(await first).status, (await second).status]).toEqual([201, 201]);
  });
});

describe('Idempotency-Keys of different callers', () => {
  it('are independent of each other', async () => {
    const other = await newUser(app);
    const otherShop = await newMerchant(app, other.token);
    await send('k1');
    expect((await send('k1', { n: 2 }, { token: otherShop.auth.secret })).status).toBe(201);
    expect((await send('k1', { n: 3 }, { token: publicKey })).status).toBe(201);
    expect(runs.map(({ scope }) => scope)).toEqual([
      `merchant:${merchantId}:sandbox`,
      `merchant:${otherShop.id}:sandbox`,
      `merchant:${merchantId}:public:sandbox`,
    ]);
  });

  it.each(['secret key', 'public key', 'restricted key'])(
    'do not replay a response across sandbox and live for the same %s',
    async (kind) => {
      const { key } = await app.api.must<{ key: { value: string } }>('POST', '/merchant/keys/create', {
        token,
        body: { merchantId, name: 'Payouts', scopes: ['wallet:send'] },
      });
      const credential = { 'secret key': secret, 'public key': publicKey, 'restricted key': key.value }[kind];
      const pay = async () => send('payout-1', { n: 1 }, { path: '/test/send', token: credential ?? '' });
      const switchTo = async (sandboxMode: boolean) =>
        app.api.must('POST', '/merchant/sandbox', { token: secret, body: { sandboxMode } });
      const played = await pay();
      await switchTo(false);
      const live = await pay();
      expect(live.headers.get('idempotent-replayed')).toBeNull();
      expect(live.body.data.run).toBe(2);
      expect((await pay()).body).toEqual(live.body);
      await switchTo(true);
      expect((await pay()).body).toEqual(played.body);
      expect(runs).toHaveLength(2);
    },
  );

  it('also apply to account routes and logins', async () => {
    expect([(await createCustomer('a@x.com')).status, (await createCustomer('a@x.com')).status]).toEqual([
      201, 201,
    ]);
    expect(outcome(await createCustomer('b@x.com'))).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    const [first, again] = [await registerOnce(), await registerOnce()];
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
  });
});

describe('a stored response of an Idempotency-Key', () => {
  it('is deleted after a day, except that of a send', async () => {
    await send('day');
    await send('ever', { n: 1 }, { path: '/test/send' });
    app.advance(DAY_MS + 1000);
    expect((await send('ever', { n: 1 }, { path: '/test/send' })).headers.get('idempotent-replayed')).toBe(
      'true',
    );
    expect((await send('day', { n: 2 })).status).toBe(201);
    expect(runs).toHaveLength(3);
    const rows = await app.db.selectFrom('idempotency').select('key').orderBy('key').execute();
    expect(rows.map(({ key }) => key)).toEqual(['day', 'ever']);
  });

  it('is stored without readable secrets', async () => {
    const headers = { 'idempotency-key': 'made' };
    const body = { name: 'Kept', domain: 'kept.example' };
    const made = await app.api.must<{ merchant: { auth: { secret: string } } }>('POST', '/merchant/create', {
      token,
      body,
      headers,
    });
    const again = await app.api.must<{ merchant: { auth: { secret: string } } }>('POST', '/merchant/create', {
      token,
      body,
      headers,
    });
    expect(again).toEqual(made);
    const text = JSON.stringify(await app.db.selectFrom('idempotency').selectAll().execute());
    expect(text).not.toContain(made.merchant.auth.secret);
    expect(text).not.toContain('kept.example');
  });
});

describe('an Idempotency-Key after a crash', () => {
  it('allows a request to be executed again that was in flight', async () => {
    const open = closedGate();
    const first = send('k1').catch(() => null);
    await untilRunning(1);
    // A second process on the same file, as after kill -9: it knows nothing of what the first has running.
    const restarted = await startHttpApp({ extraRoutes, reopen: app });
    gate = null;
    expect(outcome(await send('k1', { n: 2 }, { app: restarted }))).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    const again = await send('k1', { n: 1 }, { app: restarted });
    expect([again.status, again.body.data.run]).toEqual([201, 2]);
    expect(runs[1]).toEqual(runs[0]);
    await restarted.close();
    open();
    await first;
  });

  it('replays the response of a finished request', async () => {
    const first = await send('k1');
    await app.close();
    const restarted = await startHttpApp({ extraRoutes, reopen: app });
    const again = await send('k1', { n: 1 }, { app: restarted });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    await restarted.close();
  });
});

it.each(['', 'x'.repeat(256), 'tab\there'])(
  'an unusable Idempotency-Key %j is answered with 400',
  async (key) => {
    const { status, body } = await send(key);
    expect([status, body.error?.code, body.error?.details?.[0]?.field]).toEqual([
      400,
      'VALIDATION_INVALID',
      'Idempotency-Key',
    ]);
  },
);

it('an Idempotency-Key of 255 characters is accepted', async () => {
  expect((await send('x'.repeat(255))).status).toBe(201);
});
