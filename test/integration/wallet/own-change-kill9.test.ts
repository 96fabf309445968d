import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Shop, type SendJson } from '../../_helpers/api-client.ts';
import { NODE_COINS, type RegtestNode, requireNode, startNode, toAtoms } from '../../_helpers/nodes/index.ts';
import { eventually } from '../../_helpers/poll.ts';
import { liveEnv, TillProcess } from '../../_helpers/till.ts';

const FUNDS = 100_000_000n;

describe.each(NODE_COINS)(
  'a daemon killed with kill -9 between a %s send and one that spends its change',
  (coin) => {
    describe.skipIf(!requireNode(coin))('while both sends are unconfirmed', () => {
      let node: RegtestNode;
      let till: TillProcess;
      let shop: Shop;

      beforeEach(async () => {
        node = await startNode(coin);
        till = await TillProcess.start(liveEnv({ [coin]: node.rpcUrl }));
        shop = await Shop.open(till.api);
        await till.ready();
        await node.pay({ address: shop.wallets[coin], amountAtoms: FUNDS });
        await node.mine(1);
        await balanceIs(FUNDS);
      });
      afterEach(async () => {
        await till.end();
        await node.stop();
      });

      const balanceIs = async (expected: bigint): Promise<unknown> =>
        eventually(
          'the balance is right',
          async () => toAtoms(await shop.balance(coin)),
          (balance) => balance === expected,
        );
      const order = async (key: string, amount: string, destination: string) =>
        shop.api.call<SendJson>('POST', '/merchant/wallet/send', {
          token: shop.secretKey,
          body: { coin, amount, destination },
          headers: { 'idempotency-key': key },
        });
      const sent = async (...call: Parameters<typeof order>): Promise<SendJson> => {
        const { body } = await order(...call);
        expect(body.error).toBeNull();
        return body.data;
      };
      const status = async (id: string): Promise<SendJson> =>
        shop.api.must<SendJson>('GET', `/merchant/wallet/send-status?sendId=${id}`, {
          token: shop.secretKey,
        });
      const raise = async (sendId: string): Promise<SendJson> =>
        shop.api.must<SendJson>('POST', '/merchant/wallet/send/bump', {
          token: shop.secretKey,
          body: { sendId, feeRate: '20', maxFee: '0.001' },
        });
      const restart = async (): Promise<void> => {
        await till.kill9();
        await till.up();
        await till.ready();
      };
      /** Each is confirmed, each destination was paid once, and no other coin has left the wallet. */
      const bothRight = async (sends: readonly SendJson[]): Promise<void> => {
        await node.mine(2);
        let fees = 0n;
        for (const { id, destination, amount } of sends) {
          const { fee } = await eventually(
            'it is confirmed',
            () => status(id),
            (send) => send.status === 'confirmed',
          );
          fees += toAtoms(fee);
          const found = await node.rpc<{ unspents: { amount: string }[] }>('scantxoutset', [
            'start',
            [`addr(${destination})`],
          ]);
          expect(found.unspents.map((unspent) => toAtoms(unspent.amount))).toEqual([toAtoms(amount)]);
        }
        const spent = sends.reduce((sum, { amount }) => sum + toAtoms(amount), 0n);
        await balanceIs(FUNDS - spent - fees);
        const { transactions } = await shop.api.must<{ transactions: { id: string }[] }>(
          'GET',
          '/merchant/wallet/transactions?direction=out',
          { token: shop.secretKey },
        );
        expect(transactions.map(({ id }) => id).toSorted()).toEqual(sends.map(({ id }) => id).toSorted());
      };

      test('completes both, pays nothing twice, and a fee bump of the parent includes its child', async () => {
        const parent = await sent('parent', '0.1', await node.foreignAddress());
        const child = await sent('child', '0.2', await node.foreignAddress());
        await restart();
        for (const { id, txHash } of [parent, child])
          expect(await status(id)).toMatchObject({ status: 'broadcast', txHash });
        // Who was not answered asks again.
        for (const [key, { amount, destination, id }] of Object.entries({ parent, child }))
          expect((await sent(key, amount, destination)).id).toBe(id);

        // The raise is killed, too, wherever it is.
        const raising = raise(parent.id).catch(() => null);
        await Promise.race([raising, new Promise((resolve) => setImmediate(resolve))]);
        await restart();
        await raising;
        const before = (await status(child.id)).txHash;
        if (before === child.txHash) await raise(parent.id);
        const raised = await eventually(
          'the child is raised',
          () => status(child.id),
          ({ txHash }) => txHash !== child.txHash,
        );
        expect((await status(parent.id)).txHash).toBe(parent.txHash);
        const mempool = await eventually(
          'the node has both',
          () => node.getMempool(),
          (txids) => txids.includes(raised.txHash),
        );
        expect(new Set(mempool)).toEqual(new Set([parent.txHash, raised.txHash]));
        await bothRight([parent, child]);
      });

      test.each([0, 16])(
        'completes both although the node lost its mempool, killed %i event loop turns after the child send was requested',
        async (turns) => {
          const parent = await sent('parent', '0.1', await node.foreignAddress());
          const destination = await node.foreignAddress();
          const asked = order('child', '0.2', destination).catch(() => null);
          for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
          await till.kill9();
          await asked;
          // The node forgets both; what it has afterwards came from the till.
          await node.restart({ dropMempool: true });
          await till.up();
          await till.ready();
          const child = await sent('child', '0.2', destination);
          await eventually(
            'the node has both',
            () => node.getMempool(),
            (txids) => txids.includes(parent.txHash) && txids.includes(child.txHash) && txids.length === 2,
            60_000,
          );
          await bothRight([parent, child]);
        },
      );
    });
  },
);
