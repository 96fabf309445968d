import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callRpc, post } from '../_helpers/nodes/json-rpc.ts';
import {
  type FaultProxy,
  type RegtestNode,
  requireNode,
  startBitcoind,
  startFaultProxy,
} from '../_helpers/nodes/index.ts';

const BATCH = JSON.stringify([
  { id: 1, method: 'getblockcount', params: [] },
  { id: 2, method: 'getbestblockhash', params: [] },
  { id: 3, method: 'getbalance', params: [] },
]);

async function batchIds(url: string): Promise<number[]> {
  const { text } = await post(`${url}/wallet/miner`, BATCH);
  return (JSON.parse(text) as { id: number }[]).map(({ id }) => id);
}

describe.skipIf(!requireNode('BTC'))('the fault proxy between a daemon and a real bitcoind', () => {
  let node: RegtestNode;
  let proxy: FaultProxy;

  beforeAll(async () => {
    node = await startBitcoind();
  });
  afterAll(async () => {
    await node.stop();
  });
  beforeEach(async () => {
    proxy = await startFaultProxy(node.rpcUrl);
  });
  afterEach(async () => {
    await proxy.close();
  });

  it('forwards calls, wallet paths and exact amounts unchanged, and counts them', async () => {
    expect(await callRpc(proxy.url, 'getblockcount')).toBe((await node.tip()).height);
    const balance = await callRpc(`${proxy.url}/wallet/miner`, 'getbalance');
    expect(balance).toBe(await node.walletRpc('getbalance'));
    await callRpc(proxy.url, 'getblockcount');
    expect(proxy.callCounts).toEqual({ getblockcount: 2, getbalance: 1 });
  });

  it('refuses connections, and listens again on the same port', async () => {
    const { url } = proxy;
    await proxy.refuse();
    await expect(callRpc(url, 'getblockcount')).rejects.toThrow(/ECONNREFUSED/);
    await proxy.heal();
    expect(await callRpc(url, 'getblockcount')).toBe((await node.tip()).height);
  });

  it.each([500, 503, 429, 401])('answers HTTP %i without a request to the node', async (status) => {
    proxy.inject({ kind: 'status', status, headers: { 'retry-after': '7' } }, { times: 1 });
    expect(await post(proxy.url, BATCH)).toMatchObject({ status, text: '' });
    expect(await post(proxy.url, BATCH)).toMatchObject({ status: 200 });
  });

  it('applies a fault only to the configured methods and number of calls', async () => {
    const fault = proxy.inject({ kind: 'reset' }, { methods: ['getblockcount'], times: 2 });
    await callRpc(proxy.url, 'getbestblockhash');
    await expect(callRpc(proxy.url, 'getblockcount')).rejects.toThrow();
    await expect(callRpc(proxy.url, 'getblockcount')).rejects.toThrow();
    expect(await callRpc(proxy.url, 'getblockcount')).toBeGreaterThan(0);
    expect(fault.hits).toBe(2);
  });

  it('does not answer until the caller gives up, and can be closed during such a call', async () => {
    proxy.inject({ kind: 'hang' });
    await expect(callRpc(proxy.url, 'getblockcount', [], 100)).rejects.toThrow(/abort|timeout/i);
    const hanging = callRpc(proxy.url, 'getblockcount').catch((error: unknown) => error);
    await proxy.waitForCall('getblockcount', 2);
    await proxy.close();
    expect(await hanging).toBeInstanceOf(Error);
  });

  it('delays a response by the configured time', async () => {
    const fault = proxy.inject({ kind: 'delay', delayMs: 150 });
    await expect(callRpc(proxy.url, 'getblockcount', [], 50)).rejects.toThrow();
    expect(await callRpc(proxy.url, 'getblockcount', [], 5000)).toBeGreaterThan(0);
    fault.clear();
    expect(await callRpc(proxy.url, 'getblockcount', [], 5000)).toBeGreaterThan(0);
  });

  it('returns garbage, half a response, or an error that the node did not return', async () => {
    proxy.inject({ kind: 'garbage' }, { times: 1 });
    await expect(callRpc(proxy.url, 'getblockcount')).rejects.toThrow(/without JSON/);
    proxy.inject({ kind: 'truncate' }, { times: 1 });
    await expect(callRpc(proxy.url, 'getblockcount')).rejects.toThrow(/aborted|hang up/);
    proxy.inject({ kind: 'rpcError', code: -28, message: 'Loading block index' }, { times: 1 });
    await expect(callRpc(proxy.url, 'getblockcount')).rejects.toMatchObject({ code: -28 });
  });

  it('reverses and duplicates batch responses', async () => {
    expect(await batchIds(proxy.url)).toEqual([1, 2, 3]);
    proxy.inject({ kind: 'reverseBatch' });
    expect(await batchIds(proxy.url)).toEqual([3, 2, 1]);
    proxy.inject({ kind: 'duplicateBatch' });
    expect(await batchIds(proxy.url)).toEqual([3, 3, 2, 2, 1, 1]);
  });

  it.each(['dropResponse', 'hangAfter'] as const)(
    'lets the node accept a transaction whose sender gets no response (%s)',
    async (kind) => {
      const address = await node.foreignAddress();
      const first = await node.pay({ address, amountAtoms: 100_000n });
      const { txid, rawTx } = await node.conflictOf(first, { newAddress: address });
      proxy.inject({ kind }, { methods: ['sendrawtransaction'] });
      await expect(callRpc(proxy.url, 'sendrawtransaction', [rawTx], 2_000)).rejects.toThrow();
      expect(await node.getMempool()).toEqual([txid]);
      await node.mine();
    },
  );

  it('reports a fixed block height, in batches too, and keeps other numbers', async () => {
    const old = await node.tip();
    const frozen = await proxy.freezeTip();
    await node.mine(3);
    expect(await callRpc(proxy.url, 'getblockcount')).toBe(old.height);
    expect(await callRpc(proxy.url, 'getbestblockhash')).toBe(old.hash);
    const info = await callRpc<Record<string, unknown>>(proxy.url, 'getblockchaininfo');
    const real = await node.rpc<Record<string, unknown>>('getblockchaininfo');
    const stale = { blocks: old.height, headers: old.height, bestblockhash: old.hash };
    expect(info).toEqual({ ...real, ...stale });
    const { text } = await post(`${proxy.url}/wallet/miner`, BATCH);
    expect(text).toContain(`"result":${await node.walletRpc<string>('getbalance')}`);
    expect(text).toContain(old.hash);
    frozen.clear();
    expect(await callRpc(proxy.url, 'getblockcount')).toBe(old.height + 3);
    await proxy.freezeTip(old.height - 5);
    expect(await callRpc(proxy.url, 'getblockcount')).toBe(old.height - 5);
  });
});
