import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { spendableFunds } from '../../../src/store/ledger/spendable.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { bumpSends } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { failDisplacedSends } from '../../../src/usecases/wallet/lifecycle/fail-displaced-sends.ts';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import {
  NODE_COINS,
  type NodeCoin,
  type RegtestNode,
  requireNode,
  startNode,
} from '../../_helpers/nodes/index.ts';
import { COIN, PricedNode } from '../../_helpers/priced-node.ts';

describe.each(NODE_COINS)('unconfirmed change on a real %s node', (coin) => {
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

  test('unconfirmed change can be spent immediately, before any block and before the mempool is read', async () => {
    await till.fund(COIN);
    const first = await till.send('0.001');
    const left = COIN - atoms('0.001') - atoms(first.fee);
    expect(await till.balance()).toBe(formatCoinAmount(left, coin));
    const second = await till.send('0.002');
    expect(second.status).toBe('broadcast');
    await till.sync();
    expect(await till.balance()).toBe(formatCoinAmount(left - atoms('0.002') - atoms(second.fee), coin));
    await till.mine();
    expect((await till.status(first.id)).status).toBe('confirmed');
    expect((await till.status(second.id)).status).toBe('confirmed');
  });

  test('unconfirmed change can be spent in up to twenty sends in a row, then a send is refused until a block arrives', async () => {
    await till.fund(COIN);
    for (let count = 0; count < 21; count += 1) await till.send('0.001');
    await expect(till.send('0.001')).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      message: expect.stringMatching(/more is change of sends in flight and waits for a block/) as string,
    });
    await till.mine();
    expect((await till.send('0.001')).status).toBe('broadcast');
  });

  test('unconfirmed change of a stuck send is spent by a child transaction that pays for both (CPFP)', async () => {
    await till.fund(COIN);
    const parent = await till.send('0.1');
    const child = await till.send('0.2');
    await till.sync();
    till.world.clock.advance(till.world.deps.policy.bumpAfterMs);
    till.rate = 20_000n;
    await bumpSends(till.world.deps, till.world.chain(coin));
    const raised = await till.status(child.id);
    expect(raised.txHash).not.toBe(child.txHash);
    expect((await till.status(parent.id)).txHash).toBe(parent.txHash);
    const mempool = await node.getMempool();
    expect(mempool).toEqual(expect.arrayContaining([parent.txHash, raised.txHash]));
    // Two transactions of some 141 vB at 20 per vB.
    expect(atoms(parent.fee) + atoms(raised.fee)).toBeGreaterThanOrEqual(2n * 141n * 20n - 20n);
    await till.mine();
    for (const { id } of [parent, child]) expect((await till.status(id)).status).toBe('confirmed');
    expect(await till.balance()).toBe(
      formatCoinAmount(COIN - atoms('0.3') - atoms(parent.fee) - atoms(raised.fee), coin),
    );
  });

  test('unconfirmed change of a replaced send cannot be spent before a block, because the other version could be mined', async () => {
    await till.fund(COIN);
    const first = await till.send('0.1');
    till.world.clock.advance(till.world.deps.policy.bumpAfterMs);
    till.rate = 20_000n;
    await bumpSends(till.world.deps, till.world.chain(coin));
    expect((await till.status(first.id)).txHash).not.toBe(first.txHash);
    expect(await till.balance()).toBe('0');
    await expect(till.send('0.1')).rejects.toMatchObject({
      message: expect.stringContaining('is change of sends in flight and waits for a block') as string,
    });
  });

  test('a send and the child that spends its change are rebroadcast when the node lost its mempool, in any order', async () => {
    await till.fund(COIN);
    const parent = await till.send('0.1');
    const child = await till.send('0.2');
    await node.restart({ dropMempool: true });
    expect(await node.getMempool()).toEqual([]);
    const offerChildFirst = { id: parent.id, nextBroadcastAt: Date.now() + 10 ** 12 };
    await till.world.db
      .updateTable('sends')
      .set({ nextBroadcastAt: offerChildFirst.nextBroadcastAt })
      .where('id', '=', offerChildFirst.id)
      .execute();
    till.world.clock.advance(till.world.deps.policy.rebroadcastMs);
    await advanceSends(till.world.deps, till.world.chain(coin));
    expect(new Set(await node.getMempool())).toEqual(new Set([parent.txHash, child.txHash]));
  });

  test('a send that another wallet with the same seed double-spends fails together with its child once that block is deep', async () => {
    await till.fund(COIN);
    const wallet = { ...till.world.chain(coin), merchantId: till.world.merchant.id };
    const funds = await spendableFunds(till.world.db, wallet);
    const parent = await till.send('0.1');
    const child = await till.send('0.2');
    const adapter = till.world.adapter(coin);
    const theirs = adapter.planSend({
      funds,
      destination: await node.foreignAddress(),
      amount: COIN,
      subtractFee: true,
      changeAddress: till.world.address(coin),
      quote: { rate: 1_000n, source: 'stranger', at: 0 },
    });
    await node.mineOnly([(await till.world.deps.sign(adapter, theirs)).raw]);
    await till.sync();
    const round = async () => {
      till.world.clock.advance(till.world.deps.policy.rebroadcastMs);
      await advanceSends(till.world.deps, till.world.chain(coin));
      await failDisplacedSends(till.world.deps, till.world.chain(coin));
    };
    await round();
    for (const { id } of [parent, child]) expect((await till.status(id)).status).toBe('broadcast');
    await till.mine(4);
    await round();
    for (const { id } of [parent, child]) expect((await till.status(id)).status).toBe('broadcast');
    await till.mine();
    await round();
    for (const { id } of [parent, child]) expect((await till.status(id)).status).toBe('failed');
    expect(await till.balance()).toBe('0');
  });

  test('a send whose inputs another transaction spent in a block that a reorg removes is paid together with its child, and neither had failed', async () => {
    await till.fund(COIN);
    const funds = await spendableFunds(till.world.db, {
      ...till.world.chain(coin),
      merchantId: till.world.merchant.id,
    });
    const parent = await till.send('0.1');
    const child = await till.send('0.2');
    const adapter = till.world.adapter(coin);
    const theirs = adapter.planSend({
      funds,
      destination: await node.foreignAddress(),
      amount: COIN,
      subtractFee: true,
      changeAddress: till.world.address(coin),
      quote: { rate: 1_000n, source: 'stranger', at: 0 },
    });
    await node.mineOnly([(await till.world.deps.sign(adapter, theirs)).raw]);
    await till.sync();
    till.world.clock.advance(till.world.deps.policy.rebroadcastMs);
    await advanceSends(till.world.deps, till.world.chain(coin));
    await failDisplacedSends(till.world.deps, till.world.chain(coin));
    const signed = await till.world.db.selectFrom('send_versions').select(['txid', 'raw']).execute();
    const rawOf = (txid: string | null): string => signed.find((each) => each.txid === txid)?.raw ?? '';
    await node.reorg({
      transactions: 'mempool',
      replaceWith: [rawOf(parent.txHash), rawOf(child.txHash)],
    });
    await till.sync();
    for (const { id } of [parent, child]) expect((await till.status(id)).status).toBe('confirmed');
    expect(await till.world.sendEvents()).not.toContain('send.failed');
  });

  test('a send that spends a deposit double-spent in a reorg fails once the double spend has enough confirmations', async () => {
    await till.fund(COIN);
    const sent = await till.send('0.1');
    const { txid: deposit } = await till.world.db
      .selectFrom('outputs')
      .select('txid')
      .where('sendId', '=', sent.id)
      .executeTakeFirstOrThrow();
    await node.reorg({ drop: [deposit] });
    const round = async () => {
      await till.sync();
      till.world.clock.advance(till.world.deps.policy.retryMaxMs);
      await advanceSends(till.world.deps, till.world.chain(coin));
      await failDisplacedSends(till.world.deps, till.world.chain(coin));
      return (await till.status(sent.id)).status;
    };
    expect(await round()).not.toBe('failed');
    await till.mine(4);
    expect(await round()).not.toBe('failed');
    await till.mine(till.world.deps.policy.surplusDepth);
    expect(await round()).toBe('failed');
  });

  test('a send and the child that spends its change are paid once each after a reorg that drops and includes both again', async () => {
    await till.fund(COIN);
    const [one, two] = [await node.foreignAddress(), await node.foreignAddress()];
    const parent = await till.send('0.1', { destination: one });
    const child = await till.send('0.2', { destination: two });
    await till.mine();
    await node.reorg({ depth: 1, transactions: 'mempool' });
    await till.sync();
    expect((await till.status(child.id)).status).toBe('broadcast');
    await till.mine();
    for (const { id } of [parent, child]) expect((await till.status(id)).status).toBe('confirmed');
    expect(await till.world.sendEvents()).toEqual([
      'send.broadcast',
      'send.broadcast',
      'send.confirmed',
      'send.confirmed',
    ]);
  });
}
