import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventRoutes, type EventRoutesDeps } from '../../../src/http/routes/events.ts';
import { webhookRoutes, type WebhookRoutesDeps } from '../../../src/http/routes/webhooks.ts';
import { createSecretBox } from '../../../src/wallet/secret-box.ts';
import { resolveHost } from '../../../src/egress/resolve.ts';
import { WebhookQueue } from '../../../src/workers/webhook-delivery/queue.ts';
import {
  newMerchant,
  newUser,
  startHttpApp,
  type HttpApp,
  type TestMerchant,
} from '../../_helpers/http-app.ts';
import { LIMITS, silent } from '../../_helpers/webhooks/shop.ts';
import { startSink, status, type Sink } from '../../_helpers/webhooks/sink.ts';

interface Attempted {
  id: string;
  logId: string;
  eventId: string;
  status: number;
  error: string | null;
}
interface Deliveries {
  deliveries: {
    id: string;
    state: string;
    attempts: number;
    nextAttemptAt: string | null;
    last: { logId: string; status: number } | null;
  }[];
  pagination: { page: number; limit: number; total: number };
}
interface Logs {
  logs: {
    id: string;
    state: string;
    nextAttemptAt: string | null;
    status: number;
    paymentId: string | null;
    request: { body: { id: string } };
  }[];
  pagination: { page: number; limit: number; total: number };
}

let app: HttpApp;
let sink: Sink;
let queue: WebhookQueue;
let token: string;
let merchant: TestMerchant;
beforeAll(async () => {
  const deps: Partial<WebhookRoutesDeps & EventRoutesDeps> = {};
  const extraRoutes = [...webhookRoutes(deps as WebhookRoutesDeps), ...eventRoutes(deps as EventRoutesDeps)];
  app = await startHttpApp({ extraRoutes });
  sink = await startSink();
  queue = new WebhookQueue({
    db: app.db,
    clock: app,
    logger: silent,
    secretBox: createSecretBox(app.keyring),
    egress: { allowPrivate: true, resolve: resolveHost },
    limits: LIMITS,
  });
  Object.assign(deps, { db: app.db, clock: app, logger: silent, attempts: queue });
  ({ token } = await newUser(app));
  merchant = await newMerchant(app, token);
});
afterAll(async () => {
  await queue.stop({ deadlineMs: 0 });
  await sink.close();
  await app.destroy();
});

const secret = () => ({ token: merchant.auth.secret });
const sendTest = async () =>
  app.api.call<Attempted>('POST', '/merchant/webhook/test', { ...secret(), body: {} });

describe('webhook routes', () => {
  it('answer INVALID_STATE without a URL, and otherwise send, list and redeliver a test event', async () => {
    const refused = await sendTest();
    expect(refused.body.error?.code).toBe('INVALID_STATE');
    await app.api.must('PATCH', '/merchant/edit', {
      token,
      body: { merchantId: merchant.id, webhookUrl: sink.url },
    });
    const sent = await sendTest();
    expect([sent.status, sent.body.data.status]).toEqual([200, 200]);
    expect(sink.received[0]!.json.id).toBe(sent.body.data.eventId);

    const again = await app.api.must<Attempted>('POST', '/merchant/webhook/redeliver', {
      ...secret(),
      body: { logId: sent.body.data.logId },
    });
    expect(again.id).toBe(again.logId);
    expect(sink.received[1]!.body).toBe(sink.received[0]!.body);

    const { logs, pagination } = await app.api.must<Logs>('GET', '/merchant/webhook-logs?limit=1', secret());
    expect(pagination).toEqual({ page: 1, limit: 1, total: 2 });
    expect(logs[0]).toMatchObject({ id: again.id, status: 200, paymentId: null });
    expect(logs[0]!.request.body.id).toBe(sent.body.data.eventId);

    const events = await app.api.must<{ events: { id: string; type: string }[] }>(
      'GET',
      '/merchant/events?type=webhook.test',
      secret(),
    );
    expect(events.events).toMatchObject([{ id: sent.body.data.eventId, type: 'webhook.test' }]);
  });

  it('filter logs by status and dates, and name invalid filters', async () => {
    sink.answer(status(503));
    await sendTest();
    const total = async (query: string) =>
      (await app.api.must<Logs>('GET', `/merchant/webhook-logs?${query}`, secret())).pagination.total;
    expect(await total('status=503')).toBe(1);
    expect(await total('status=404')).toBe(0);
    expect(await total('paymentId=pay_none')).toBe(0);
    expect(await total(`startDate=${new Date(app.now() - 60_000).toISOString()}`)).toBe(3);
    expect(await total(`endDate=${new Date(app.now() - 60_000).toISOString()}`)).toBe(0);
    expect([await total('state=pending'), await total('state=failed')]).toEqual([1, 0]);
    expect([await total('state=delivered'), await total('state=delivered&status=503')]).toEqual([2, 0]);
    expect([await total('event=webhook.test'), await total('event=payment.created')]).toEqual([3, 0]);
    const { logs } = await app.api.must<Logs>('GET', '/merchant/webhook-logs?state=pending', secret());
    expect(Date.parse(logs[0]!.nextAttemptAt!)).toBeGreaterThan(app.now());
    for (const query of [
      'state=done',
      'event=payment.paid',
      'status=ok',
      'page=0',
      'limit=101',
      'startDate=yesterday',
      'endDate=2026-02-31',
    ]) {
      const { body } = await app.api.call('GET', `/merchant/webhook-logs?${query}`, secret());
      expect([body.error?.code, body.error?.details?.[0]?.field]).toEqual([
        'VALIDATION_INVALID',
        query.split('=')[0],
      ]);
    }
  });

  it('list deliveries, one for each event and endpoint, and the attempts of a delivery', async () => {
    const list = async (query: string) =>
      app.api.must<Deliveries>('GET', `/merchant/webhook/deliveries?${query}`, secret());
    const { deliveries, pagination } = await list('limit=1');
    // Three requests were made by now: one of the two events was sent twice.
    expect(pagination).toEqual({ page: 1, limit: 1, total: 2 });
    expect(deliveries).toMatchObject([{ state: 'pending', attempts: 1, last: { status: 503 } }]);
    expect(Date.parse(deliveries[0]!.nextAttemptAt!)).toBeGreaterThan(app.now());
    const [again] = (await list('page=2&limit=1')).deliveries;
    expect(again).toMatchObject({ state: 'delivered', attempts: 2, nextAttemptAt: null });
    const query = `deliveryId=${again!.id}`;
    const { logs } = await app.api.must<Logs>('GET', `/merchant/webhook-logs?${query}`, secret());
    expect([logs.length, logs[0]!.id]).toEqual([2, again!.last!.logId]);
    const today = new Date(app.now()).toISOString().slice(0, 10);
    for (const [filter, total] of [
      ['state=pending', 1],
      ['state=failed', 0],
      ['event=webhook.test', 2],
      ['event=payment.created', 0],
      [`endpointId=${merchant.id}`, 2],
      ['endpointId=payment', 0],
      ['endpointId=whe_none', 0],
      ['paymentId=pay_none', 0],
      [`startDate=${today}&endDate=${today}&timeZone=UTC`, 2],
      [`endDate=${new Date(app.now() - 60_000).toISOString()}`, 0],
    ] as const)
      expect([filter, (await list(filter)).pagination.total]).toEqual([filter, total]);
    for (const refused of [
      'state=done',
      'event=payment.paid',
      'mode=test',
      'startDate=soon',
      'timeZone=Mars',
    ]) {
      const { body } = await app.api.call('GET', `/merchant/webhook/deliveries?${refused}`, secret());
      expect([refused, body.error?.details?.[0]?.field]).toEqual([refused, refused.split('=')[0]]);
    }
  });

  it('are refused to unauthenticated requests, public keys and other accounts', async () => {
    const { logs } = await app.api.must<Logs>('GET', '/merchant/webhook-logs', secret());
    const stranger = await newUser(app);
    const other = await newMerchant(app, stranger.token);
    for (const path of ['/merchant/webhook-logs', '/merchant/webhook/deliveries', '/merchant/events']) {
      expect((await app.api.call('GET', path)).status).toBe(401);
      expect((await app.api.call('GET', path, { token: merchant.auth.public })).status).toBe(401);
      const owned = `${path}?merchantId=${merchant.id}`;
      expect((await app.api.call('GET', owned, { token })).status).toBe(200);
      expect((await app.api.call('GET', owned, stranger)).body.error?.code).toBe('MERCHANT_NOT_FOUND');
    }
    const stolen = await app.api.call('POST', '/merchant/webhook/redeliver', {
      token: other.auth.secret,
      body: { logId: logs[0]!.id },
    });
    expect([stolen.status, stolen.body.error?.code]).toEqual([404, 'LOG_NOT_FOUND']);
    const { logs: none } = await app.api.must<Logs>('GET', '/merchant/webhook-logs', {
      token: other.auth.secret,
    });
    expect(none).toEqual([]);
    const { deliveries } = await app.api.must<Deliveries>('GET', '/merchant/webhook/deliveries', secret());
    const theirs = { token: other.auth.secret };
    const path = `/merchant/webhook-logs?deliveryId=${deliveries[0]!.id}`;
    expect((await app.api.must<Logs>('GET', path, theirs)).logs).toEqual([]);
    expect(await app.api.must('GET', '/merchant/webhook/deliveries', theirs)).toMatchObject({
      deliveries: [],
    });
  });
});
