import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findDelivery } from '../../../src/store/webhooks/deliveries.ts';
import { eventually } from '../../_helpers/webhooks/eventually.ts';
import { openShop, type Shop } from '../../_helpers/webhooks/shop.ts';
import { ok, startSink, type Sink } from '../../_helpers/webhooks/sink.ts';

const CHILD = fileURLToPath(new URL('../../_helpers/webhooks/queue-child.ts', import.meta.url));

let shop: Shop;
let sink: Sink;
const children: ChildProcess[] = [];
beforeEach(async () => {
  shop = await openShop();
  sink = await startSink(() => undefined);
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await sink.close();
  await shop.close();
});

async function startChild(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [CHILD, shop.path], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

describe('the webhook queue after kill -9', () => {
  it('delivers webhooks that were in flight again with the same id, and all later ones', async () => {
    const merchant = await shop.merchant(sink.url);
    const payment = await shop.payment(merchant);
    const first = await payment.emit('payment.created');
    const second = await payment.emit('payment.completed');
    const child = await startChild();
    await sink.until(1, 120_000);
    expect((await findDelivery(shop.db, first.deliveryId!))!.leaseToken).not.toBeNull();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await findDelivery(shop.db, first.deliveryId!)).toMatchObject({ status: 'pending', attempts: 0 });

    sink.answer(ok);
    const successor = await startChild();
    await sink.until(3, 30_000);
    expect(sink.received.map((request) => request.headers['webhook-id'])).toEqual([
      first.eventId,
      first.eventId,
      second.eventId,
    ]);
    expect(sink.received[1]!.body).toBe(sink.received[0]!.body);
    await eventually(
      async () => (await findDelivery(shop.db, second.deliveryId!))?.status === 'delivered',
      'the record of the last delivery',
    );
    expect((await findDelivery(shop.db, first.deliveryId!))!.status).toBe('delivered');
    successor.kill('SIGKILL');
    await once(successor, 'exit');
  });
});
