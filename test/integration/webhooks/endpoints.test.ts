import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventType } from '../../../src/domain/events.ts';
import { redeliverWebhook } from '../../../src/usecases/webhooks/redeliver-webhook.ts';
import { redirectDeliveries } from '../../../src/usecases/webhooks/redirect-deliveries.ts';
import { testWebhook } from '../../../src/usecases/webhooks/test-webhook.ts';
import { listEndpoints } from '../../../src/usecases/webhooks/list-endpoints.ts';
import { listWebhookLogs } from '../../../src/usecases/webhooks/list-webhook-logs.ts';
import {
  createEndpoint,
  editEndpoint,
  removeEndpoint,
  rotateEndpointSecret,
} from '../../../src/usecases/webhooks/webhook-endpoints.ts';
import { eventually } from '../../_helpers/webhooks/eventually.ts';
import { openShop, secretBox, silent, type Merchant, type Shop } from '../../_helpers/webhooks/shop.ts';
import {
  ok,
  startSink,
  status,
  type Answer,
  type Received,
  type Sink,
} from '../../_helpers/webhooks/sink.ts';
import { SECRET_KEY } from '../../_helpers/secret-key.ts';

let shop: Shop;
let merchant: Merchant;
const sinks: Sink[] = [];
beforeEach(async () => {
  shop = await openShop();
});
afterEach(async () => {
  await shop.close();
  await Promise.all(sinks.splice(0).map(async (sink) => sink.close()));
});

async function sinkThat(answer: Answer): Promise<Sink> {
  const sink = await startSink(answer);
  sinks.push(sink);
  return sink;
}

const deps = () => ({
  db: shop.db,
  clock: shop.clock,
  secretBox,
  webhookUrlRule: () => null,
  wakeWebhooks: () => undefined,
});
const create = async (url: string, more: { events?: EventType[]; active?: boolean } = {}) =>
  createEndpoint(deps(), {
    merchantId: merchant.id,
    creator: SECRET_KEY,
    url,
    events: null,
    active: true,
    ...more,
  });
const at = (endpoint: { id: string }) => ({ merchantId: merchant.id, endpointId: endpoint.id });
const types = ({ received }: Sink) => received.map(({ json }) => json.type);
const verified = (secret: string, { body, headers }: Received): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>);
const view = async (id: string) => {
  const row = await shop.db
    .selectFrom('merchants')
    .selectAll()
    .where('id', '=', merchant.id)
    .executeTakeFirst();
  return (await listEndpoints(shop, row!)).find((each) => each.id === id)!;
};
const logs = async () => (await listWebhookLogs(shop, { merchantId: merchant.id, page: 1, limit: 100 })).logs;
const states = async () => {
  const rows = await shop.db.selectFrom('deliveries').select(['endpointId', 'status']).execute();
  return rows.map((row) => `${row.endpointId} ${row.status}`);
};

describe('webhook endpoints', () => {
  it('receive the events that they select, signed with their own secret, in addition to the webhookUrl of merchant or payment', async () => {
    const [main, own, all, some, off] = [
      await sinkThat(ok),
      await sinkThat(ok),
      await sinkThat(ok),
      await sinkThat(ok),
      await sinkThat(ok),
    ];
    // The signing library looks at the clock of the machine.
    shop.clock.advance(Date.now() - shop.clock.now());
    merchant = await shop.merchant(main.url);
    const everything = await create(all.url);
    const completed = await create(some.url, { events: ['payment.completed'] });
    await create(off.url, { active: false });
    const stranger = await shop.merchant(null);
    const queue = shop.queue();
    await queue.start();
    const payment = await shop.payment(merchant);
    await payment.emit('payment.created');
    await payment.emit('payment.completed');
    const special = await shop.payment(merchant, own.url);
    await special.emit('payment.created');
    await (await shop.payment(stranger)).emit('payment.completed');
    queue.wake();
    await all.until(3);
    await queue.idle();
    expect(types(main)).toEqual(['payment.created', 'payment.completed']);
    expect(types(own)).toEqual(['payment.created']);
    expect(types(all).toSorted()).toEqual(['payment.completed', 'payment.created', 'payment.created']);
    expect(types(some)).toEqual(['payment.completed']);
    expect(types(off)).toEqual([]);
    verified(merchant.secret, main.received[0]!);
    verified(merchant.secret, own.received[0]!);
    verified(everything.secret, all.received[0]!);
    verified(completed.secret, some.received[0]!);
    expect(() => verified(merchant.secret, all.received[0]!)).toThrow('signature');
    // The same event, wherever it goes.
    expect(some.received[0]!.body).toBe(main.received[1]!.body);
  });

  it('receive signatures of the old and the new secret for a day after a rotation', async () => {
    const sink = await sinkThat(ok);
    shop.clock.advance(Date.now() - shop.clock.now());
    merchant = await shop.merchant(null);
    const { endpoint, secret } = await create(sink.url);
    const fresh = await rotateEndpointSecret(deps(), at(endpoint));
    const queue = shop.queue();
    await queue.start();
    await (await shop.payment(merchant)).emit();
    queue.wake();
    const [first] = await sink.until(1);
    verified(secret, first!);
    verified(fresh, first!);
    shop.clock.advance(24 * 3_600_000 + 1);
    await (await shop.payment(merchant)).emit();
    queue.wake();
    const [, second] = await sink.until(2);
    expect(second!.headers['webhook-signature']).not.toContain(' ');
  });

  it('do not delay other endpoints at the same host when they never respond', async () => {
    const hung: (() => void)[] = [];
    const host = await sinkThat((request, response, index) => {
      if (!request.path.startsWith('/dead')) return ok(request, response, index);
      hung.push(() => response.destroy());
    });
    const { origin } = new URL(host.url);
    merchant = await shop.merchant(`${origin}/main`);
    // As many as fill what the addresses of one host may take before they are known.
    const dead = Array.from({ length: 8 }, (_, n) => `${origin}/dead/${n}`);
    for (const url of dead) await create(url);
    await create(`${origin}/quick`);
    const queue = shop.queue({ concurrency: 16 });
    await queue.start();
    const payment = await shop.payment(merchant);
    for (let n = 0; n < 6; n += 1) await payment.emit();
    queue.wake();
    const at = (path: string) => host.received.filter((each) => each.path === path);
    await eventually(() => at('/quick').length === 6 && at('/main').length === 6, 'the living have all');
    expect(at('/quick').map(({ json }) => json.sequence)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(hung.length).toBeLessThanOrEqual(8);
    for (const end of hung) end();
  });

  it('receive the events of a payment in order, although another endpoint fails', async () => {
    const [good, bad] = [await sinkThat(ok), await sinkThat(status(500))];
    merchant = await shop.merchant(null);
    await create(good.url);
    const failing = await create(bad.url);
    const queue = shop.queue();
    await queue.start();
    const payment = await shop.payment(merchant);
    for (let n = 0; n < 4; n += 1) await payment.emit();
    queue.wake();
    await good.until(4);
    await queue.idle();
    expect(good.received.map(({ json }) => json.sequence)).toEqual([1, 2, 3, 4]);
    expect(bad.received.map(({ json }) => json.sequence)).toEqual([1]);
    bad.answer(ok);
    shop.clock.advance(6_000);
    queue.wake();
    await bad.until(5);
    expect(bad.received.map(({ json }) => json.sequence)).toEqual([1, 1, 2, 3, 4]);
    await queue.idle();
    expect((await view(failing.endpoint.id)).health).toMatchObject({ failuresInARow: 0, lastError: null });
  });

  it('show the time of the last success and the last failure, and the failures in a row', async () => {
    const [main, other] = [await sinkThat(ok), await sinkThat(status(503))];
    merchant = await shop.merchant(main.url);
    const { endpoint } = await create(other.url);
    const healthy = { lastFailureAt: null, failuresInARow: 0, lastError: null, gone: false };
    expect(await view(endpoint.id)).toMatchObject({
      default: false,
      active: true,
      events: null,
      health: { ...healthy, lastSuccessAt: null },
    });
    const queue = shop.queue({ retryDelaysMs: [1_000, 1_000, 1_000] });
    await queue.start();
    await (await shop.payment(merchant)).emit();
    for (let attempts = 1; attempts <= 3; attempts += 1) {
      queue.wake();
      await other.until(attempts);
      await queue.idle();
      shop.clock.advance(2_000);
    }
    expect((await view(endpoint.id)).health).toMatchObject({
      lastSuccessAt: null,
      failuresInARow: 3,
      lastError: 'status: 503',
    });
    expect(await view(merchant.id)).toMatchObject({ default: true, url: main.url, health: healthy });
    other.answer(ok);
    queue.wake();
    await other.until(4);
    await queue.idle();
    const { health } = await view(endpoint.id);
    expect(health).toMatchObject({ failuresInARow: 0, lastError: null });
    expect(Date.parse(health.lastSuccessAt!)).toBeGreaterThan(Date.parse(health.lastFailureAt!));
  });

  it.each([
    ['deleted', async (id: string) => removeEndpoint(deps(), at({ id }))],
    [
      'deactivated',
      async (id: string) =>
        void (await editEndpoint(deps(), { editor: SECRET_KEY, ...at({ id }), active: false })),
    ],
  ])('lose their waiting deliveries when they are %s, as the logs show', async (word, close) => {
    const [main, other] = [await sinkThat(ok), await sinkThat(status(500))];
    merchant = await shop.merchant(main.url);
    const { endpoint } = await create(other.url);
    const queue = shop.queue();
    await queue.start();
    const payment = await shop.payment(merchant);
    await payment.emit('payment.created');
    await payment.emit('payment.completed');
    queue.wake();
    await main.until(2);
    await queue.idle();
    await close(endpoint.id);
    expect((await states()).toSorted()).toEqual(
      [
        `${endpoint.id} failed`,
        `${endpoint.id} failed`,
        `${merchant.id} delivered`,
        `${merchant.id} delivered`,
      ].toSorted(),
    );
    const ended = (await logs()).filter(({ error }) => error === `ended: the endpoint was ${word}`);
    expect(ended.map(({ status: code, endpoint: url, attempt }) => [code, url, attempt])).toEqual(
      expect.arrayContaining([
        [0, other.url, 0],
        [0, other.url, 1],
      ]),
    );
    expect(ended).toHaveLength(2);
    await payment.emit('payment.reversed');
    shop.clock.advance(86_400_000);
    queue.wake();
    await main.until(3);
    await queue.idle();
    expect(other.received).toHaveLength(1);
    await expect(
      redeliverWebhook({ ...shop, attempts: queue }, { merchantId: merchant.id, logId: ended[0]!.id }),
    ).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });

  it('keep the result of a successful attempt that was in flight when they were deleted', async () => {
    const answers: (() => void)[] = [];
    const slow = await sinkThat((_request, response) => {
      answers.push(() => void response.writeHead(200).end());
    });
    merchant = await shop.merchant(null);
    const { endpoint } = await create(slow.url);
    const queue = shop.queue();
    await queue.start();
    await (await shop.payment(merchant)).emit();
    queue.wake();
    await slow.until(1);
    await removeEndpoint(deps(), at(endpoint));
    expect(await states()).toEqual([`${endpoint.id} failed`]);
    for (const answer of answers) answer();
    await queue.idle();
    expect(await states()).toEqual([`${endpoint.id} delivered`]);
  });

  it('receive their waiting deliveries at an edited URL, with the attempts before counted', async () => {
    const [wrong, right] = [await sinkThat(status(404)), await sinkThat(ok)];
    merchant = await shop.merchant(null);
    const { endpoint } = await create(wrong.url);
    const queue = shop.queue();
    await queue.start();
    const payment = await shop.payment(merchant);
    await payment.emit('payment.created');
    await payment.emit('payment.completed');
    queue.wake();
    await wrong.until(1);
    await queue.idle();
    await editEndpoint(deps(), {
      editor: SECRET_KEY,
      ...at(endpoint),
      url: right.url,
      events: ['payment.expired'],
    });
    expect(await view(endpoint.id)).toMatchObject({ url: right.url, health: { failuresInARow: 0 } });
    queue.wake();
    await right.until(2);
    await queue.idle();
    expect(types(right)).toEqual(['payment.created', 'payment.completed']);
    await payment.emit('payment.completed');
    await payment.emit('payment.expired');
    queue.wake();
    await right.until(3);
    expect(types(right).at(-1)).toBe('payment.expired');
  });

  it('fail only their own waiting deliveries on 410, and receive no more until they are edited', async () => {
    const gone = await sinkThat(status(410));
    // The same address twice: what one answers does not concern the other.
    merchant = await shop.merchant(gone.url);
    const { endpoint } = await create(gone.url, { events: ['payment.completed', 'payment.expired'] });
    const queue = shop.queue();
    await queue.start();
    const payment = await shop.payment(merchant);
    await payment.emit('payment.completed');
    await payment.emit('payment.expired');
    await shop.db
      .updateTable('deliveries')
      .set({ nextAttemptAt: shop.clock.now() + 60_000 })
      .where('endpointId', '=', merchant.id)
      .execute();
    queue.wake();
    await gone.until(1);
    await queue.idle();
    expect(await view(endpoint.id)).toMatchObject({ active: true, health: { gone: true } });
    expect(await view(merchant.id)).toMatchObject({ health: { gone: false } });
    expect((await states()).filter((state) => state.endsWith('pending'))).toHaveLength(2);
    expect((await logs()).map(({ error }) => error)).toContain('ended: the endpoint answered 410 Gone');
    await payment.emit('payment.completed');
    expect((await states()).filter((state) => state.startsWith(endpoint.id))).toHaveLength(2);
    await editEndpoint(deps(), { editor: SECRET_KEY, ...at(endpoint), active: true });
    await payment.emit('payment.completed');
    expect((await states()).filter((state) => state.startsWith(endpoint.id))).toHaveLength(3);
  });

  it('receive a test webhook or redelivery only when the request names them', async () => {
    const [main, other] = [await sinkThat(ok), await sinkThat(ok)];
    merchant = await shop.merchant(main.url);
    const { endpoint } = await create(other.url, { events: ['payment.expired'] });
    const queue = shop.queue();
    const byHand = { ...shop, logger: silent, attempts: queue };
    const test = await testWebhook(byHand, at(endpoint));
    expect([test.status, types(other), types(main)]).toEqual([200, ['webhook.test'], []]);
    await testWebhook(byHand, { merchantId: merchant.id });
    expect([types(other), types(main)]).toEqual([['webhook.test'], ['webhook.test']]);
    await redeliverWebhook(byHand, { merchantId: merchant.id, logId: test.logId });
    expect([types(other).length, types(main).length]).toEqual([2, 1]);
  });

  it('keep their deliveries when the webhookUrl of the merchant is removed', async () => {
    const [main, other] = [await sinkThat(status(500)), await sinkThat(status(500))];
    merchant = await shop.merchant(main.url);
    const { endpoint } = await create(other.url);
    await (await shop.payment(merchant)).emit();
    await shop.db.transaction((tx) =>
      redirectDeliveries(tx, { merchantId: merchant.id, webhookUrl: null, now: shop.clock.now() }),
    );
    expect((await states()).toSorted()).toEqual(
      [`${merchant.id} failed`, `${endpoint.id} pending`].toSorted(),
    );
    expect((await logs()).map(({ error }) => error)).toEqual(['ended: webhookUrl was removed']);
  });

  it('are limited per merchant, and hidden from other merchants', async () => {
    merchant = await shop.merchant(null);
    const { endpoint } = await create('http://127.0.0.1:1/');
    for (let n = 1; n < 16; n += 1) await create('http://127.0.0.1:1/');
    await expect(create('http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    const stranger = await shop.merchant(null);
    const stolen = { merchantId: stranger.id, endpointId: endpoint.id };
    for (const work of [
      editEndpoint(deps(), { editor: SECRET_KEY, ...stolen, active: false }),
      removeEndpoint(deps(), stolen),
      rotateEndpointSecret(deps(), stolen),
    ])
      await expect(work).rejects.toMatchObject({ code: 'ENDPOINT_NOT_FOUND' });
    await expect(
      removeEndpoint(deps(), { merchantId: merchant.id, endpointId: merchant.id }),
    ).rejects.toMatchObject({ code: 'INVALID_STATE' });
    const { secretSealed: sealed } = await shop.db
      .selectFrom('webhook_endpoints')
      .select('secretSealed')
      .executeTakeFirstOrThrow();
    expect(sealed).toMatch(/^sealed:/);
  });
});
