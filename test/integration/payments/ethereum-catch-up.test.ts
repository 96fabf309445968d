import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { startFaultProxy, type FaultProxy } from '../../_helpers/nodes/index.ts';
import { liveEnv, Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

/** An hour of blocks, one every twelve seconds. */
const HOUR_OF_BLOCKS = 300;
/** Transfers of strangers in each of them; more of them for a measurement. */
const BUSY = Number(process.env['TILLD_TEST_BUSY'] ?? 0);
const WORTH_MS = 3_600_000;

describe.skipIf(!requireAnvil())('a daemon that was down for an hour', () => {
  let anvil: Anvil;
  let proxy: FaultProxy;
  let till: Till;
  let sink: WebhookSink;
  let shop: Shop;

  beforeAll(async () => {
    anvil = await Anvil.start();
    proxy = await startFaultProxy(anvil.rpcUrl);
    sink = await WebhookSink.start();
    till = await Till.start(liveEnv({ ETH: proxy.url }));
    shop = await Shop.open(till.api, { webhookUrl: sink.url });
    await till.ready();
  });
  afterAll(async () => {
    await till.end();
    await Promise.all([sink.close(), proxy.close(), anvil.stop()]);
  });

  const mineBusily = async (blocks: number): Promise<void> => {
    const [, stranger] = await anvil.rpc<string[]>('eth_accounts');
    for (let block = 0; block < blocks; block += 1) {
      await Promise.all(
        Array.from({ length: BUSY }, async () =>
          anvil.rpc('eth_sendTransaction', [{ from: stranger, to: stranger, value: '0x1' }]),
        ),
      );
      await anvil.mine(1);
    }
  };

  it('reads each block of it once, in one pass, and finds what was paid at any time of it', async () => {
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
      await mineBusily(HOUR_OF_BLOCKS / payments.length);
    }
    till.clock.advance(WORTH_MS / 2);
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
    const startedAt = performance.now();
    await till.up();
    await till.ready(120_000);
    const tookMs = performance.now() - startedAt;
    clearInterval(sampling);
    watch.clear();
    if (BUSY > 0)
      process.stderr.write(
        `caught up in ${Math.round(tookMs)} ms, heap +${Math.round((heapMost - heapBefore) / 1e6)} MB, ${proxy.calls('eth_getBalance')} balances\n`,
      );
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
