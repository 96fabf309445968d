import { openLiveWorld, type LiveWorld } from '../../_helpers/live-world.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import type { FaultProxy } from '../../_helpers/nodes/index.ts';
import { Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

/** An hour of blocks, one every twelve seconds. */
const HOUR_OF_BLOCKS = 300;
const HALF_HOUR_MS = 1_800_000;

describe.skipIf(!requireAnvil())('an Ethereum node after the daemon was down for an hour', () => {
  let world: LiveWorld<Anvil, Till>;
  let anvil: Anvil;
  let proxy: FaultProxy;
  let till: Till;
  let sink: WebhookSink;
  let shop: Shop;

  beforeAll(async () => {
    world = await openLiveWorld('ETH');
    ({ node: anvil, proxy, sink, till, shop } = world);
  });
  afterAll(async () => world.end());

  it('receives one request per block, and payments made during the downtime are credited', async () => {
    const payments: PaymentJson[] = [];
    for (let at = 0; at < 6; at += 1) {
      payments.push(await shop.createPayment({ allowedCryptos: ['ETH'] }));
    }
    await till.down();
    const first = await anvil.height();
    for (const [at, payment] of payments.entries()) {
      const output = {
        address: payment.options.ETH.address,
        amount: parseCoinAmount(payment.options.ETH.amount, 'ETH'),
      };
      await (at % 2 === 0 ? anvil.pay(output) : anvil.payInside([output]));
      await anvil.mine(HOUR_OF_BLOCKS / payments.length);
    }
    till.clock.advance(HALF_HOUR_MS);
    const read = new Map<string, number>();
    const rewrite = (result: unknown, _method: string, [tag, isFull]: readonly unknown[]): unknown => {
      if (isFull === true) read.set(String(tag), (read.get(String(tag)) ?? 0) + 1);
      return result;
    };
    const watch = proxy.inject({ kind: 'rewrite', rewrite }, { methods: ['eth_getBlockByNumber'] });
    globalThis.gc?.();
    const heapBefore = process.memoryUsage().heapUsed;
    let heapMost = 0;
    const sampling = setInterval(() => (heapMost = Math.max(heapMost, process.memoryUsage().heapUsed)), 20);
    await till.up();
    await till.ready(120_000);
    clearInterval(sampling);
    watch.clear();
    const heights = [...read.keys()].filter((tag) => tag !== 'pending');
    expect(heights).toHaveLength(HOUR_OF_BLOCKS);
    expect(heights.every((tag) => Number(tag) > first && read.get(tag) === 1)).toBe(true);
    // Blocks come and go: an hour of them is never held at once.
    expect(heapMost - heapBefore).toBeLessThan(150_000_000);
    for (const { id } of payments) {
      await sink.waitForEvent('payment.completed', id);
      expect(await shop.payment(id)).toMatchObject({ status: 'completed', exception: null });
      expect(sink.types(id)).not.toContain('payment.expired');
    }
  });
});
