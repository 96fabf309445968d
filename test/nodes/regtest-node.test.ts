import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { existsSync } from 'node:fs';
import {
  NODE_COINS,
  type RegtestNode,
  requireNode,
  RpcError,
  startNode,
  toAtoms,
} from '../_helpers/nodes/index.ts';

interface Output {
  value: string;
  scriptPubKey: { address?: string; addresses?: string[] };
}

/** Amounts that a transaction pays to an address, in output order. */
async function paidTo(node: RegtestNode, txid: string, address: string): Promise<bigint[]> {
  const { hex } = await node.walletRpc<{ hex: string }>('gettransaction', [txid]);
  const { vout } = await node.rpc<{ vout: Output[] }>('decoderawtransaction', [hex]);
  return vout
    .filter(({ scriptPubKey }) => [scriptPubKey.address, ...(scriptPubKey.addresses ?? [])].includes(address))
    .map(({ value }) => toAtoms(value));
}

async function blockTxids(node: RegtestNode, hash: string): Promise<string[]> {
  const { tx } = await node.rpc<{ tx: string[] }>('getblock', [hash, 1]);
  return tx.slice(1);
}

describe.each(NODE_COINS)('a private %s regtest node', (coin) => {
  describe.skipIf(!requireNode(coin))('started from the real binary', () => {
    let node: RegtestNode;

    beforeAll(async () => {
      node = await startNode(coin);
    });
    afterAll(async () => {
      await node.stop();
      expect(existsSync(node.dataDir)).toBe(false);
    });

    it('has a funded miner and a synced chain', async () => {
      expect(await node.balance()).toBeGreaterThan(toAtoms('190'));
      const info = await node.rpc<{ chain: string; initialblockdownload: boolean }>('getblockchaininfo');
      expect(info).toMatchObject({ chain: 'regtest', initialblockdownload: false });
    });

    it('pays exact atoms, several outputs to one address, and several recipients', async () => {
      const [first, second] = [await node.foreignAddress(), await node.foreignAddress()];
      const single = await node.pay({ address: first, amountAtoms: 12_345_679n });
      expect(await paidTo(node, single, first)).toEqual([12_345_679n]);
      const several = await node.pay({ address: first, amounts: [10_000n, 10_000n, 70_000_001n] });
      expect(await paidTo(node, several, first)).toEqual([10_000n, 10_000n, 70_000_001n]);
      const both = await node.payMany([
        { address: second, amountAtoms: 50_000n },
        { address: first, amountAtoms: 60_000n },
      ]);
      expect(await paidTo(node, both, second)).toEqual([50_000n]);
      expect(await paidTo(node, both, first)).toEqual([60_000n]);
      expect(await node.getMempool()).toEqual(expect.arrayContaining([single, several, both]));
      const [hash = ''] = await node.mine();
      expect((await blockTxids(node, hash)).toSorted()).toEqual([single, several, both].toSorted());
    });

    it('pays concurrently without spending a coin twice', async () => {
      const address = await node.foreignAddress();
      const txids = await Promise.all(
        Array.from({ length: 10 }, async () => node.pay({ address, amountAtoms: 50_000n })),
      );
      expect(new Set(txids).size).toBe(10);
      expect(await node.getMempool()).toEqual(expect.arrayContaining(txids));
      await node.mine();
    });

    it('mines empty and selected blocks while the mempool has transactions', async () => {
      const address = await node.foreignAddress();
      const waiting = await node.pay({ address, amountAtoms: 10_000n });
      const chosen = await node.pay({ address, amountAtoms: 20_000n });
      const [empty = ''] = await node.mineEmpty();
      expect(await blockTxids(node, empty)).toEqual([]);
      expect(await blockTxids(node, await node.mineOnly([chosen]))).toEqual([chosen]);
      expect(await node.getMempool()).toEqual([waiting]);
      await node.mine();
    });

    it('replaces an unconfirmed payment by a double spend to another address', async () => {
      const [victim, thief] = [await node.foreignAddress(), await node.foreignAddress()];
      const first = await node.pay({ address: victim, amountAtoms: 300_000n });
      const second = await node.replaceTo(first, thief);
      expect(await node.getMempool()).toEqual([second.txid]);
      expect(await paidTo(node, second.txid, victim)).toEqual([]);
      expect(await paidTo(node, second.txid, thief)).toEqual([300_000n]);
      await node.mine();
    });

    it('bumps the fee with the same recipients and amounts under another txid', async () => {
      const address = await node.foreignAddress();
      const first = await node.pay({ address, amounts: [300_000n, 400_000n], feeRate: 2 });
      const second = await node.bumpFee(first);
      const third = await node.bumpFee(second.txid);
      expect(await node.getMempool()).toEqual([third.txid]);
      expect(await paidTo(node, third.txid, address)).toEqual([300_000n, 400_000n]);
      await node.mine();
    });

    it('refuses to pay an address of another network', async () => {
      await expect(node.pay({ address: 'nonsense', amountAtoms: 1n })).rejects.toThrow(/nonsense/);
      await expect(node.rpc('nosuchmethod')).rejects.toBeInstanceOf(RpcError);
    });
  });
});

describe.each(NODE_COINS)('reorgs of %s', (coin) => {
  describe.skipIf(!requireNode(coin))('on nodes started from the real binary', () => {
    let node: RegtestNode;

    beforeAll(async () => {
      node = await startNode(coin);
    });
    afterAll(async () => {
      await node.stop();
    });

    it.each([1, 2, 3, 6])('move a payment to another block at depth %i', async (depth) => {
      const txid = await node.pay({ address: await node.foreignAddress(), amountAtoms: 90_000n });
      const before = await node.mine(depth);
      const result = await node.reorg({ depth, moveInto: depth });
      expect(result.disconnected).toEqual(before);
      expect(result.connected).toHaveLength(depth + 1);
      expect(result.moved).toEqual([txid]);
      expect(await node.tip()).toEqual({
        height: result.forkHeight + depth + 1,
        hash: result.connected.at(-1),
      });
      expect(await blockTxids(node, result.connected[depth] ?? '')).toEqual([txid]);
    });

    it('return the transactions to the mempool on request', async () => {
      const txid = await node.pay({ address: await node.foreignAddress(), amountAtoms: 91_000n });
      await node.mine(2);
      const result = await node.reorg({ depth: 2, transactions: 'mempool', extra: 2 });
      expect(result).toMatchObject({ moved: [] });
      expect(result.connected).toHaveLength(4);
      expect(await node.getMempool()).toEqual([txid]);
      await node.mine();
    });

    it('replace a payment by a double spend and keep the others', async () => {
      const address = await node.foreignAddress();
      const dropped = await node.pay({ address, amountAtoms: 92_000n });
      const kept = await node.pay({ address, amountAtoms: 93_000n });
      await node.mine(3);
      const result = await node.reorg({ depth: 3, drop: [dropped] });
      const [replacement] = result.dropped;
      expect(result.moved).toEqual([kept]);
      expect(replacement?.txid).toBe(dropped);
      expect(await blockTxids(node, result.connected[0] ?? '')).toEqual([replacement?.replacedBy, kept]);
      expect(await node.getMempool()).toEqual([]);
      const state = await node.walletRpc<{ confirmations: number }>('gettransaction', [dropped]);
      expect(state.confirmations).toBeLessThan(0);
    });

    it('replace a confirmed payment by a conflicting transaction', async () => {
      const txid = await node.pay({ address: await node.foreignAddress(), amountAtoms: 94_000n });
      const conflict = await node.conflictOf(txid, { newAddress: await node.foreignAddress() });
      await node.mine();
      const result = await node.reorg({
        depth: 1,
        replaceWith: [conflict.rawTx],
        transactions: 'mempool',
      });
      expect(await blockTxids(node, result.connected[0] ?? '')).toEqual([conflict.txid]);
      expect(await node.getMempool()).toEqual([]);
    });

    it('can be repeated within one second', async () => {
      const start = await node.tip();
      for (let round = 0; round < 5; round += 1) await node.reorg({ depth: 1 });
      expect((await node.tip()).height).toBe(start.height + 5);
    });
  });
});

describe.each(NODE_COINS)('a restart of a %s node', (coin) => {
  describe.skipIf(!requireNode(coin))('started from the real binary', () => {
    it('keeps chain, port and credentials, also after a crash', async () => {
      await using node = await startNode(coin);
      const { rpcUrl, pid } = node;
      const { height, hash } = await node.tip();
      // A crash may lose the newest blocks, never the flushed ones.
      await node.rpc('gettxoutsetinfo');
      await node.kill9();
      expect(node.running).toBe(false);
      await expect(node.tip()).rejects.toThrow();
      await node.restart();
      expect(node.rpcUrl).toBe(rpcUrl);
      expect(node.pid).not.toBe(pid);
      expect(await node.tip()).toEqual({ height, hash });
      await node.pay({ address: await node.foreignAddress(), amountAtoms: 1_000_000n });
    });

    it('keeps the mempool after a clean stop and drops it on request', async () => {
      await using node = await startNode(coin);
      const txid = await node.pay({ address: await node.foreignAddress(), amountAtoms: 70_000n });
      await node.restart();
      await node.waitForMempool(txid);
      await node.restart({ dropMempool: true });
      await node.waitUntil('loaded mempool', 10_000, async () => {
        const { loaded } = await node.rpc<{ loaded: boolean }>('getmempoolinfo');
        return loaded;
      });
      expect(await node.getMempool()).toEqual([]);
    });
  });
});
