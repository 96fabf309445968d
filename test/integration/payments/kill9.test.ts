import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { Shop, type PaymentJson, type SendJson } from '../../_helpers/api-client.ts';
import {
  NODE_COINS,
  requireNode,
  startFaultProxy,
  startNode,
  toAtoms,
  type FaultProxy,
  type NodeCoin,
  type RegtestNode,
} from '../../_helpers/nodes/index.ts';
import { openLiveProcess, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { TillProcess } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

/** As in test/_helpers/till.yaml. */
const CONFIRMATIONS = { BTC: 2, LTC: 3 } as const;

/** One daemon with both nodes, so that each kill affects both coins. */
describe('a daemon killed with kill -9, with real BTC and LTC nodes,', () => {
  describe.skipIf(!NODE_COINS.every(requireNode))('after a restart', () => {
    let world: LiveWorld<RegtestNode, TillProcess>;
    let nodes: Record<NodeCoin, RegtestNode>;
    let proxies: Record<NodeCoin, FaultProxy>;
    let till: TillProcess;
    let sink: WebhookSink;
    let shop: Shop;

    beforeAll(async () => {
      const LTC = await startNode('LTC');
      const second = await startFaultProxy(LTC.rpcUrl);
      world = await openLiveProcess('BTC', { env: { TILLD_LTC_RPC_URL: second.url } });
      nodes = { BTC: world.node, LTC };
      proxies = { BTC: world.proxy, LTC: second };
      ({ sink, till, shop } = world);
    });

    afterAll(async () => {
      await world?.end();
      await proxies?.LTC.close();
      await nodes?.LTC.stop();
    });

    it('credits each of six payments of each coin once and emits every event in order, killed at any moment', async () => {
      const payments: { coin: NodeCoin; payment: PaymentJson }[] = [];
      for (let round = 0; round < 6; round += 1) {
        for (const coin of NODE_COINS) {
          const payment = await shop.createPayment({ allowedCryptos: [coin] });
          payments.push({ coin, payment });
          const { address, amount } = payment.options[coin];
          await nodes[coin].pay({ address, amountAtoms: toAtoms(amount) });
        }
        // Moments from before the sighting to after the completion; the outcome must not depend on it.
        await sleep(round * 60);
        if (round % 2 === 0) await mineAll();
        await sleep(round * 20);
        await till.kill9();
        if (round % 2 === 1) await mineAll();
        await till.up();
      }
      for (const { coin, payment } of payments) {
        await sink.waitForEvent('payment.completed', payment.id, 180_000);
        const done = await shop.payment(payment.id);
        expect(done.options[coin].received).toBe(payment.options[coin].amount);
        expect(done.transactions).toHaveLength(1);
        const told = sink.of(payment.id);
        const sequences = [...new Set(told.map(({ body }) => body.sequence))];
        expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
        expect(sequences).toEqual(done.timeline.map((entry) => entry.sequence));
        // A repeat after a crash carries the same webhook-id, so that the shop can tell.
        const idOf = new Map<number, unknown>();
        for (const { body, headers } of told) {
          expect(idOf.get(body.sequence) ?? headers['webhook-id']).toBe(headers['webhook-id']);
          idOf.set(body.sequence, headers['webhook-id']);
        }
      }
      for (const coin of NODE_COINS) {
        const total = payments
          .filter((each) => each.coin === coin)
          .reduce((sum, { payment }) => sum + toAtoms(payment.options[coin].amount), 0n);
        expect(toAtoms(await shop.balance(coin))).toBe(total);
      }
    });

    it.each(NODE_COINS)(
      'broadcasts the same bytes of a %s send once when it was killed after signing, before the node had them',
      async (coin) => {
        const [node, proxy] = [nodes[coin], proxies[coin]];
        const destination = await node.foreignAddress();
        const held = proxy.inject({ kind: 'hang' }, { methods: ['sendrawtransaction'] });
        const asked = shop
          .send({ coin, amount: '0.0002', destination }, { 'idempotency-key': `send-one-${coin}` })
          .catch(() => null);
        await proxy.waitForCall('sendrawtransaction');
        await till.kill9();
        await asked;
        held.clear();
        expect(await node.getMempool()).toEqual([]);
        await till.up();
        await eventually(
          'the node has it',
          () => node.getMempool(),
          (txids) => txids.length === 1,
        );
        const [txid] = await node.getMempool();
        const again = await shop.send(
          { coin, amount: '0.0002', destination },
          { 'idempotency-key': `send-one-${coin}` },
        );
        expect(again.body.data.txHash).toBe(txid);
        await node.mine(1);
        await confirmed(again.body.data.id);
        expect(await paidTo(coin, destination, again.body.data)).toBe(toAtoms('0.0002'));
      },
    );

    it.each(NODE_COINS)(
      'does not pay a %s send twice when it was killed after the node accepted the bytes, before the response',
      async (coin) => {
        const [node, proxy] = [nodes[coin], proxies[coin]];
        const destination = await node.foreignAddress();
        const held = proxy.inject({ kind: 'hangAfter' }, { methods: ['sendrawtransaction'] });
        const asked = shop
          .send({ coin, amount: '0.0003', destination }, { 'idempotency-key': `send-two-${coin}` })
          .catch(() => null);
        await eventually(
          'the node has it',
          () => node.getMempool(),
          (txids) => txids.length === 1,
        );
        await till.kill9();
        await asked;
        held.clear();
        await till.up();
        await till.ready();
        const again = await shop.send(
          { coin, amount: '0.0003', destination },
          { 'idempotency-key': `send-two-${coin}` },
        );
        expect(again.status).toBeLessThan(300);
        expect(await node.getMempool()).toEqual([again.body.data.txHash]);
        await node.mine(1);
        await confirmed(again.body.data.id);
        expect(await paidTo(coin, destination, again.body.data)).toBe(toAtoms('0.0003'));
      },
    );

    it('finishes open work on SIGTERM and exits with 0 before its grace period ends', async () => {
      // The daemon ends itself with 1 when its time to stop is over.
      expect(await till.terminate()).toBe(0);
      await till.up();
    });

    it('writes no secret to the output', () => {
      expect(till.output).not.toContain(shop.secretKey);
      for (const { rpcUrl } of Object.values(nodes))
        expect(till.output).not.toContain(new URL(rpcUrl).password);
      expect(till.output).not.toMatch(/whsec_[A-Za-z0-9]/);
    });

    /** Blocks enough for every payment of both coins. */
    async function mineAll(): Promise<void> {
      for (const coin of NODE_COINS) await nodes[coin].mine(CONFIRMATIONS[coin]);
    }

    async function confirmed(sendId: string): Promise<void> {
      await eventually(
        'the send is confirmed',
        () =>
          shop.api.must<SendJson>('GET', `/merchant/wallet/send-status?sendId=${sendId}`, {
            token: shop.secretKey,
          }),
        (send) => send.status === 'confirmed',
      );
    }

    /** Atoms that the mined transaction gives the address. */
    async function paidTo(coin: NodeCoin, address: string, send: SendJson): Promise<bigint> {
      const node = nodes[coin];
      const { height } = await node.tip();
      const block = await node.rpc<{
        tx: {
          txid: string;
          vin: { txid: string; vout: number }[];
          vout: { value: string; scriptPubKey: { address?: string; addresses?: string[] } }[];
        }[];
      }>('getblock', [await node.blockHash(height), 2]);
      const transaction = block.tx.find((candidate) => candidate.txid === send.txHash);
      const paid = (transaction?.vout ?? []).filter(
        ({ scriptPubKey }) => scriptPubKey.address === address || scriptPubKey.addresses?.includes(address),
      );
      return paid.reduce((sum, { value }) => sum + toAtoms(value), 0n);
    }
  });
});
