import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  hogExOf,
  mwebAddress,
  pegIn,
  pegOut,
  type RegtestNode,
  requireNode,
  startLitecoind,
} from '../_helpers/nodes/index.ts';

describe.skipIf(!requireNode('LTC'))('a litecoind with MWEB active', () => {
  let node: RegtestNode;

  beforeAll(async () => {
    node = await startLitecoind({ mweb: true });
  });
  afterAll(async () => {
    await node.stop();
  });

  it('starts just after the activation of MWEB and returns MWEB addresses', async () => {
    expect((await node.tip()).height).toBe(432);
    expect(await mwebAddress(node)).toMatch(/^tmweb1/);
  });

  it('shows a peg-out under one txid in the mempool and in the HogEx once mined', async () => {
    await pegIn(node, 500_000_000n);
    await node.mine();
    const address = await node.foreignAddress();
    const { txid } = await pegOut(node, address, 123_456_789n);
    expect(await node.getMempool()).toEqual([txid]);
    const [hash = ''] = await node.mine();
    const hogEx = await hogExOf(node, hash);
    expect(hogEx).not.toBe(txid);
    const { tx } = await node.rpc<{
      tx: { txid: string; vout: { value: string; scriptPubKey: { addresses?: string[] } }[] }[];
    }>('getblock', [hash, 2]);
    const paying = tx.flatMap(({ txid: holder, vout }) =>
      vout
        .filter(({ scriptPubKey }) => scriptPubKey.addresses?.includes(address))
        .map(({ value }) => ({ holder, value })),
    );
    expect(paying).toEqual([{ holder: hogEx, value: '1.23456789' }]);
  });

  it('mines empty and selected blocks, and reorganises, although generateblock cannot', async () => {
    const address = await node.foreignAddress();
    const first = await node.pay({ address, amountAtoms: 200_000n });
    const second = await node.pay({ address, amountAtoms: 300_000n });
    await node.mineEmpty(2);
    expect((await node.getMempool()).toSorted()).toEqual([first, second].toSorted());
    await node.mineOnly([second]);
    expect(await node.getMempool()).toEqual([first]);
    const result = await node.reorg({ depth: 2 });
    expect(result.moved).toEqual([second]);
    expect(await node.getMempool()).toEqual([first]);
  });
});
