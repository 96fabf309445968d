import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeMeta } from '../../../src/store/meta.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import type { PaymentJson, Shop } from '../../_helpers/api-client.ts';
import { openLiveProcess, type LiveWorld } from '../../_helpers/live-world.ts';
import { requireNode, toAtoms, type FaultProxy, type RegtestNode } from '../../_helpers/nodes/index.ts';
import { TillProcess } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

const STRANGERS = 8;

describe.each(['BTC', 'LTC'] as const)(
  'the daemon restarted while a real %s node has transactions in its mempool',
  (coin) => {
    describe.skipIf(!requireNode(coin))('most of which pay foreign addresses,', () => {
      let world: LiveWorld<RegtestNode, TillProcess>;
      let node: RegtestNode;
      let proxy: FaultProxy;
      let till: TillProcess;
      let sink: WebhookSink;
      let shop: Shop;
      let cacheFile: string;
      /** Transactions of the mempool that pay us. */
      let ours = 0;

      beforeAll(async () => {
        world = await openLiveProcess(coin);
        ({ node, proxy, sink, till, shop } = world);
        cacheFile = join(till.dataDir, `mempool-${coin.toLowerCase()}.cache`);
        for (let at = 0; at < STRANGERS; at += 1) {
          await node.pay({ address: await node.foreignAddress(), amountAtoms: 20_000n });
        }
        // Sent last, so that a view which has it has the others.
        await seen(await paid(await order()));
      });

      afterAll(async () => world.end());

      const order = async (): Promise<PaymentJson> => shop.createPayment({ allowedCryptos: [coin] });
      const paid = async (payment: PaymentJson): Promise<PaymentJson> => {
        const { address, amount } = payment.options[coin];
        await node.pay({ address, amountAtoms: toAtoms(amount) });
        ours += 1;
        return payment;
      };
      const seen = async ({ id }: PaymentJson): Promise<unknown> =>
        sink.waitForEvent('payment.confirming', id);

      /** Transactions that the daemon reads from its start until it has seen a payment that was made meanwhile. */
      async function readAfter(stop: () => Promise<void>): Promise<number> {
        const payment = await order();
        await stop();
        await paid(payment);
        proxy.resetCounts();
        await till.up();
        await seen(payment);
        await till.ready();
        return proxy.calls('getrawtransaction');
      }

      it('requests only wallet transactions and new ones after a clean stop, and detects a payment made meanwhile', async () => {
        const read = await readAfter(async () => void (await till.terminate()));
        expect(read).toBe(ours);
      });

      it('detects a payment made meanwhile after kill -9, however old its mempool cache is', async () => {
        const read = await readAfter(async () => till.kill9());
        expect(read).toBe(ours);
      });

      it('requests every transaction again when its mempool cache was damaged', async () => {
        const read = await readAfter(async () => {
          await till.terminate();
          const file = await readFile(cacheFile);
          await writeFile(cacheFile, file.subarray(0, -1));
        });
        expect(read).toBe(ours + STRANGERS);
      });

      it('requests every transaction again when the database was restored', async () => {
        const read = await readAfter(async () => {
          await till.terminate();
          expect(existsSync(cacheFile)).toBe(true);
          const database = await openDatabase(join(till.dataDir, 'tilld.sqlite'));
          await writeMeta(database.db, 'restored_at', String(Date.now()));
          await database.close();
        });
        expect(read).toBe(ours + STRANGERS);
      });
    });
  },
);
