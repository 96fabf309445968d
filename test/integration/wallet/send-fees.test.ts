import { copyFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { copySqlite } from '../../../src/store/sqlite/files.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { bumpSend } from '../../../src/usecases/wallet/send/bump-send.ts';
import { bumpSends } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { cancelSend } from '../../../src/usecases/wallet/send/cancel-send.ts';
import { failReverted } from '../../../src/usecases/wallet/lifecycle/fail-reverted.ts';
import {
  NODE_COINS,
  type NodeCoin,
  type RegtestNode,
  requireNode,
  startNode,
} from '../../_helpers/nodes/index.ts';
import { COIN, PricedNode } from '../../_helpers/priced-node.ts';

describe.each(NODE_COINS)('fee bumps of sends on a real %s node', (coin) => {
  describe.skipIf(!requireNode(coin))('on regtest', () => runWith(coin));
});

function runWith(coin: NodeCoin): void {
  let node: RegtestNode;
  let till: PricedNode;

  beforeAll(async () => {
    node = await startNode(coin);
  });
  afterAll(async () => node.stop());
  beforeEach(async () => {
    till = await new PricedNode(coin, node).open();
  });
  afterEach(async () => till.close());

  const atoms = (text: string) => parseCoinAmount(text, coin);
  const raise = async () => bumpSends(till.world.deps, till.world.chain(coin));
  const hour = () => till.world.clock.advance(till.world.deps.policy.bumpAfterMs);
  const named = (sendId: string) => ({ merchantId: till.world.merchant.id, sendId });

  test('a fee bump stays within a share of the amount', async () => {
    await till.fund(COIN);
    const sent = await till.send('0.0001');
    hour();
    till.rate = 500_000n;
    await raise();
    const raised = await till.status(sent.id);
    expect(raised.txHash).not.toBe(sent.txHash);
    expect(atoms(raised.fee)).toBeLessThanOrEqual(1_000n);
  });

  test('a fee bump stays within the maxFee of the send, and a higher manual bump is refused', async () => {
    await till.fund(COIN, COIN);
    const sent = await till.send('0.5', { maxFee: '0.00001' });
    hour();
    till.rate = 500_000n;
    await raise();
    expect(atoms((await till.status(sent.id)).fee)).toBeLessThanOrEqual(1_000n);
    await expect(bumpSend(till.world.deps, { ...named(sent.id), feeRate: '400' })).rejects.toMatchObject({
      code: 'FEE_ABOVE_LIMIT',
    });
    await expect(till.send('0.1', { maxFee: '0.0000001' })).rejects.toMatchObject({
      code: 'FEE_ABOVE_LIMIT',
    });
  });

  test('a send below the minimum mempool fee of the node is bumped immediately, whatever the bump threshold', async () => {
    await till.fund(COIN);
    const sent = await till.send('0.3');
    till.world.clock.advance(till.world.deps.policy.bumpUnderpaidAfterMs);
    [till.rate, till.minimum] = [1_400n, 1_400n];
    await raise();
    const raised = await till.status(sent.id);
    expect(raised.txHash).not.toBe(sent.txHash);
    expect(await node.getMempool()).toContain(raised.txHash);
  });

  test('a fee bump is made on request although the fee rate of the network is unchanged', async () => {
    await till.fund(COIN);
    const sent = await till.send('0.3');
    const raised = await bumpSend(till.world.deps, { ...named(sent.id), feeRate: '12.5' });
    expect(raised.txHash).not.toBe(sent.txHash);
    expect(await node.getMempool()).toContain(raised.txHash);
    expect(atoms(raised.fee)).toBeGreaterThanOrEqual((141n * 125n) / 10n);
    await till.mine();
    expect(await till.status(sent.id)).toMatchObject({ status: 'confirmed', txHash: raised.txHash });
  });

  test('a cancelled send fails only once the block with the replacement is settled', async () => {
    await till.fund(COIN);
    const destination = await node.foreignAddress();
    const sent = await till.send('0.3', { destination });
    const back = await cancelSend(till.world.deps, named(sent.id));
    expect(back).toMatchObject({ status: 'broadcast', cancelling: true });
    expect(await node.getMempool()).toContain(back.txHash);
    const settle = async () =>
      failReverted(
        { ...till.world.deps, confirmations: () => ({ base: 3, tiers: [] }) },
        till.world.chain(coin),
      );
    await till.mine();
    await settle();
    expect((await till.status(sent.id)).status).toBe('broadcast');
    await till.mine(2);
    await settle();
    expect(await till.status(sent.id)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^cancelled/) as string,
    });
    expect(await till.world.sendEvents()).toEqual(['send.broadcast', 'send.failed']);
  });

  test('a cancelled send is confirmed when the payment is mined instead of the replacement', async () => {
    await till.fund(COIN);
    const sent = await till.send('0.3');
    const raw = await node.rpc<string>('getrawtransaction', [sent.txHash]);
    await cancelSend(till.world.deps, named(sent.id));
    await node.mineOnly([raw]);
    await till.sync();
    expect(await till.status(sent.id)).toMatchObject({
      status: 'confirmed',
      txHash: sent.txHash,
      cancelling: false,
    });
  });

  test('a send that is mined, dropped by a reorg and mined again emits each change, and reduces the balance once', async () => {
    await till.fund(COIN);
    const sent = await till.send('0.3');
    const raw = await node.rpc<string>('getrawtransaction', [sent.txHash]);
    const back = await cancelSend(till.world.deps, named(sent.id));
    const rawBack = await node.rpc<string>('getrawtransaction', [back.txHash]);
    await node.mineOnly([raw]);
    await till.sync();
    expect((await till.status(sent.id)).status).toBe('confirmed');
    await node.reorg({ depth: 1, replaceWith: [rawBack], transactions: 'mempool' });
    await till.mine();
    await failReverted(
      { ...till.world.deps, confirmations: () => ({ base: 3, tiers: [] }) },
      till.world.chain(coin),
    );
    expect((await till.status(sent.id)).status).toBe('failed');
    expect(atoms(await till.balance())).toBe(COIN - atoms(back.fee));
    await node.reorg({ depth: 3, replaceWith: [raw], transactions: 'mempool' });
    await till.sync();
    expect(await till.status(sent.id)).toMatchObject({ status: 'confirmed', error: null });
    expect(atoms(await till.balance())).toBe(COIN - atoms('0.3') - atoms(sent.fee));
    expect(await till.world.sendEvents()).toEqual([
      'send.broadcast',
      'send.confirmed',
      'send.failed',
      'send.confirmed',
    ]);
  });

  test('a send of the whole balance excludes outputs that cost more in fees than their value, as does the balance', async () => {
    await till.fund(COIN / 2n, 6_000n);
    till.rate = 100_000n;
    await till.send('0.1').then(async () => till.mine());
    const balance = await till.balance();
    const sent = await till.send('max');
    expect(atoms(sent.amount) + atoms(sent.fee)).toBe(atoms(balance));
    await till.mine();
    expect(await till.balance()).toBe('0');
  });

  test('a fee bump made after a backup is detected by the daemon that is restored from it', async () => {
    await till.fund(COIN);
    const destination = await node.newAddress();
    const sent = await till.send('0.25', { destination, idempotencyKey: 'refund-1' });
    const dir = mkdtempSync(join(tmpdir(), 'tilld-restored-'));
    copySqlite(join(till.dir, 'tilld.db'), join(dir, 'tilld.db'));
    copyFileSync(join(till.dir, 'keyring.json'), join(dir, 'keyring.json'));
    hour();
    till.rate = 20_000n;
    await raise();
    const raised = await till.status(sent.id);
    await till.mine();
    const restored = await new PricedNode(coin, node, {}, dir).open();
    await restored.sync();
    expect(await restored.status(sent.id)).toMatchObject({
      status: 'confirmed',
      txHash: raised.txHash,
      fee: raised.fee,
      amount: '0.25',
    });
    expect(await restored.world.sendEvents()).toEqual(['send.broadcast', 'send.confirmed']);
    await restored.close();
  });
}

describe.skipIf(!requireNode('LTC'))(
  'sends on a Litecoin node that does not accept replacements (RBF)',
  () => {
    test('show the version that the network has, and are bumped by a child that spends their change (CPFP)', async () => {
      const node = await startNode('LTC', { extraArgs: ['-mempoolreplacement=0'] });
      const till = await new PricedNode('LTC', node).open();
      try {
        await till.fund(5n * COIN);
        const sent = await till.send('1');
        till.world.clock.advance(till.world.deps.policy.bumpAfterMs);
        till.rate = 50_000n;
        const round = async () => {
          await bumpSends(till.world.deps, till.world.chain('LTC'));
          await advanceSends(till.world.deps, till.world.chain('LTC'));
          await till.sync();
        };
        await round();
        // The replacement was refused: what is shown is what the node has.
        expect(await till.status(sent.id)).toMatchObject({ txHash: sent.txHash, fee: sent.fee });
        expect(await node.getMempool()).toEqual([sent.txHash]);
        till.world.clock.advance(till.world.deps.policy.bumpAfterMs);
        await round();
        const mempool = await node.getMempool();
        expect(mempool).toHaveLength(2);
        expect(mempool).toContain(sent.txHash);
        const fees = await Promise.all(
          mempool.map(async (txid) => node.rpc<{ fees: { base: string } }>('getmempoolentry', [txid])),
        );
        const paid = fees.reduce((sum, { fees: { base } }) => sum + parseCoinAmount(base, 'LTC'), 0n);
        expect(paid).toBeGreaterThanOrEqual((141n + 110n) * 50n - 100n);
        await till.mine();
        expect(await till.status(sent.id)).toMatchObject({ status: 'confirmed', txHash: sent.txHash });
      } finally {
        await till.close();
        await node.stop();
      }
    });
  },
);
