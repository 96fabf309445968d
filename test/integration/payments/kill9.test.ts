import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { Shop, type PaymentJson, type SendJson } from '../../_helpers/api-client.ts';
import { requireNode, toAtoms, type FaultProxy, type RegtestNode } from '../../_helpers/nodes/index.ts';
import { openLiveProcess, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { TillProcess } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

/** On Bitcoin alone: what the daemon does after a kill depends on no coin; what nodes answer is in wallet/send-repeats. */
describe('kill -9 with a real BTC node', () => {
  const coin = 'BTC';
  describe.skipIf(!requireNode(coin))('after a restart', () => {
    let world: LiveWorld<RegtestNode, TillProcess>;
    let node: RegtestNode;
    let proxy: FaultProxy;
    let till: TillProcess;
    let sink: WebhookSink;
    let shop: Shop;

    beforeAll(async () => {
      world = await openLiveProcess(coin);
      ({ node, proxy, sink, till, shop } = world);
    });

    afterAll(async () => world.end());

    it('credits each of six payments once and emits every event in order, killed at any moment', async () => {
      const payments: PaymentJson[] = [];
      for (let round = 0; round < 6; round += 1) {
        const payment = await shop.createPayment({ allowedCryptos: [coin] });
        payments.push(payment);
        const { address, amount, requiredConfirmations } = payment.options[coin];
        await node.pay({ address, amountAtoms: toAtoms(amount) });
        // Moments from before the sighting to after the completion; the outcome must not depend on it.
        await sleep(round * 60);
        if (round % 2 === 0) await node.mine(requiredConfirmations);
        await sleep(round * 20);
        await till.kill9();
        if (round % 2 === 1) await node.mine(requiredConfirmations);
        await till.up();
      }
      for (const payment of payments) {
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
      const total = payments.reduce((sum, payment) => sum + toAtoms(payment.options[coin].amount), 0n);
      expect(toAtoms(await shop.balance(coin))).toBe(total);
    });

    it('broadcasts the same bytes once when it was killed after signing, before the node had them', async () => {
      const destination = await node.foreignAddress();
      const held = proxy.inject({ kind: 'hang' }, { methods: ['sendrawtransaction'] });
      const asked = shop
        .send({ coin, amount: '0.0002', destination }, { 'idempotency-key': 'send-one' })
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
        { 'idempotency-key': 'send-one' },
      );
      expect(again.body.data.txHash).toBe(txid);
      await node.mine(1);
      await confirmed(again.body.data.id);
      expect(await paidTo(destination, again.body.data)).toBe(toAtoms('0.0002'));
    });

    it('does not send twice when it was killed after the node accepted the bytes, before its response', async () => {
      const destination = await node.foreignAddress();
      const held = proxy.inject({ kind: 'hangAfter' }, { methods: ['sendrawtransaction'] });
      const asked = shop
        .send({ coin, amount: '0.0003', destination }, { 'idempotency-key': 'send-two' })
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
        { 'idempotency-key': 'send-two' },
      );
      expect(again.status).toBeLessThan(300);
      expect(await node.getMempool()).toEqual([again.body.data.txHash]);
      await node.mine(1);
      await confirmed(again.body.data.id);
      expect(await paidTo(destination, again.body.data)).toBe(toAtoms('0.0003'));
    });

    it('drains and exits 0 before its grace period ends on SIGTERM', async () => {
      // The daemon ends itself with 1 when its time to stop is over.
      expect(await till.terminate()).toBe(0);
      await till.up();
    });

    it('writes no secret to the output', () => {
      expect(till.output).not.toContain(shop.secretKey);
      expect(till.output).not.toContain(new URL(node.rpcUrl).password);
      expect(till.output).not.toMatch(/whsec_[A-Za-z0-9]/);
    });

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
    async function paidTo(address: string, send: SendJson): Promise<bigint> {
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
