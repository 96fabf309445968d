import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../_helpers/poll.ts';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { strangerAddress } from '../../_helpers/svm/payer.ts';
import { RpcError } from '../../_helpers/svm/rpc-error.ts';
import { balanceOf, SvmWorld } from '../../_helpers/svm/world.ts';

const DEPOSIT = 500_000_000n;
const AMOUNT = 300_000_000n;

describe('a SOL send through an RPC gateway', () => {
  let world: SvmWorld;

  beforeAll(async () => {
    world = await SvmWorld.start();
  });
  afterAll(async () => world.end());

  it.each([
    [-32603, 'Internal error'],
    [-32000, 'upstream request failed'],
    [-32007, '50/second request limit reached'],
    // The gateway sent them to a second node and reads their status from a third one, which lags behind.
    [-32002, 'Transaction simulation failed: This transaction has already been processed'],
  ])(
    'does not fail because of an error of the gateway (%i %s) after the node accepted it',
    async (code, message) => {
      const shop = await world.openShop();
      await world.earn(shop, 1, DEPOSIT);
      const destination = strangerAddress();
      const after = world.node.inject(
        {
          kind: 'rewrite',
          rewrite: () => {
            throw new RpcError(code, message);
          },
        },
        { methods: ['sendTransaction'] },
      );
      // Leaders take a moment: when the gateway answers, no block has it yet.
      world.node.dropNext(1);
      const { status, body } = await shop.send({ coin: 'SOL', destination, amount: '0.3' });
      expect(after.hits).toBe(1);
      expect([status, body.error]).toEqual([200, null]);
      expect(body.data.status).toBe('signed');
      // What it leaves can be sent at once.
      expect(await balanceOf(shop)).toBe(DEPOSIT - AMOUNT - parseCoinAmount(body.data.fee, 'SOL'));
      world.node.landDropped();
      world.node.advance(2);
      await eventually(
        'the send is confirmed',
        async () =>
          shop.api.must('GET', `/merchant/wallet/send-status?sendId=${body.data.id}`, {
            token: shop.secretKey,
          }),
        (send) => send['status'] === 'confirmed',
      );
      after.clear();
      expect(world.lamports(destination)).toBe(AMOUNT);
      expect(world.node.ledger.transactionsOf(destination)).toHaveLength(1);
      expect(world.sink.types(body.data.id)).not.toContain('send.failed');
    },
  );

  it.each([
    ['getLatestBlockhash', -32007, '50/second request limit reached'],
    ['getMultipleAccounts', -32429, 'Too many requests'],
  ])(
    'is refused as unavailable while the gateway answers %s with an internal error (%i)',
    async (method, code, message) => {
      const shop = await world.openShop();
      await world.earn(shop, 1, DEPOSIT);
      const trouble = world.node.inject({ kind: 'error', code, message }, { methods: [method] });
      const order = { coin: 'SOL', destination: strangerAddress(), amount: '0.3' };
      const { status, body } = await shop.send(order);
      trouble.clear();
      expect([status, body.error?.code]).toEqual([503, 'NODE_UNAVAILABLE']);
      expect(await balanceOf(shop)).toBe(DEPOSIT);
    },
  );

  it('is created at the lowest fee when the gateway lacks getRecentPrioritizationFees', async () => {
    const shop = await world.openShop();
    await world.earn(shop, 1, DEPOSIT);
    const trouble = world.node.inject(
      { kind: 'error', code: -32603, message: 'Internal error' },
      { methods: ['getRecentPrioritizationFees'] },
    );
    const { status } = await shop.send({ coin: 'SOL', destination: strangerAddress(), amount: '0.3' });
    trouble.clear();
    expect(status).toBe(200);
  });
});
