import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { getSend } from '../../../src/usecases/wallet/send/get-send.ts';
import { sendCoins, type SendCoinsInput } from '../../../src/usecases/wallet/send/send-coins.ts';
import { openNodeWorld } from '../../_helpers/node-world.ts';
import {
  type FaultProxy,
  NODE_COINS,
  type NodeCoin,
  type RegtestNode,
  requireNode,
  startFaultProxy,
  startNode,
} from '../../_helpers/nodes/index.ts';
import type { WalletWorld } from '../../_helpers/wallet-world.ts';

const COIN = 100_000_000n;

describe.each(NODE_COINS)('a broadcast to a %s node', (coin) => {
  describe.skipIf(!requireNode(coin))('on regtest', () => runWith(coin));
});

function runWith(coin: NodeCoin): void {
  let node: RegtestNode;
  let proxy: FaultProxy;
  let dir: string;
  let world: WalletWorld;

  beforeAll(async () => {
    node = await startNode(coin);
    proxy = await startFaultProxy(node.rpcUrl);
  });
  afterAll(async () => {
    await proxy.close();
    await node.stop();
  });
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tilld-repeats-'));
  });
  afterEach(async () => {
    await proxy.heal();
    await world.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** A wallet with one coin, behind this line. */
  async function open(rpcUrl: string): Promise<void> {
    world = await openNodeWorld({ dir, coin, rpcUrl });
    await world.sync(coin);
    await node.pay({ address: world.address(coin), amounts: [COIN] });
    await mine();
  }

  async function mine(blocks = 1): Promise<void> {
    await node.mine(blocks);
    await world.sync(coin);
  }

  async function send(destination: string, amount: string, more: Partial<SendCoinsInput> = {}) {
    const { merchant, deps } = world;
    return sendCoins(deps, { merchant, destination, amount, coin, idempotencyKey: null, ...more });
  }

  async function status(sendId: string) {
    return getSend(world.deps, { merchantId: world.merchant.id, sendId });
  }

  async function advance(): Promise<void> {
    world.clock.advance(60_000);
    await advanceSends(world.deps, world.chain(coin));
  }

  test.each(['dropResponse', 'truncate'] as const)(
    'a broadcast is not repeated when the node accepted the bytes and the connection broke (%s), and the send continues',
    async (kind) => {
      await open(proxy.url);
      proxy.resetCounts();
      proxy.inject({ kind }, { methods: ['sendrawtransaction'], times: 1 });
      const sent = await send(await node.newAddress(), '0.5');
      expect(proxy.calls('sendrawtransaction')).toBe(1);
      expect(sent.status).toBe('signed');
      expect(await node.getMempool()).toEqual([sent.txHash]);
      await advance();
      expect(await status(sent.id)).toMatchObject({ status: 'broadcast', txHash: sent.txHash });
      await mine();
      expect(await status(sent.id)).toMatchObject({ status: 'confirmed', txHash: sent.txHash });
    },
  );

  test('a rebroadcast never fails a send that is in a block already, with its output unspent or spent', async () => {
    await open(proxy.url);
    const lost = proxy.inject({ kind: 'dropResponse' }, { methods: ['sendrawtransaction'] });
    const address = await node.newAddress();
    const sent = await send(address, '1', { subtractFee: true });
    expect(sent.status).toBe('signed');
    // The ledger has not read these blocks when the bytes are offered again.
    await node.mine(1);
    lost.clear();
    await advance();
    expect(await status(sent.id)).toMatchObject({ status: 'broadcast', txHash: sent.txHash });
    const raw = await node.rpc<string>('createrawtransaction', [
      [{ txid: sent.txHash, vout: 0 }],
      { [await node.newAddress()]: '0.5' },
    ]);
    const signed = await node.rpc<{ hex: string }>('signrawtransactionwithwallet', [raw]);
    await node.mineOnly([signed.hex]);
    // More blocks than the adapter looks back through.
    await node.mine(15);
    world.clock.advance(600_000);
    await advance();
    expect((await status(sent.id)).status).toBe('broadcast');
    expect(await world.balance(coin)).toBe('0');
    await world.sync(coin);
    expect(await status(sent.id)).toMatchObject({ status: 'confirmed', txHash: sent.txHash });
  });

  test('a rebroadcast to a second node with another policy cannot fail a send that the first node accepted before the connection broke', async () => {
    // It takes nothing below 0.01 coins for anything but dust.
    const strict = await startNode(coin, { funded: false, extraArgs: ['-dustrelayfee=0.1'] });
    const balancer = await startBalancer(node, strict);
    try {
      await open(balancer.url);
      await copyChain(node, strict);
      balancer.breakNextSend();
      const sent = await send(await node.newAddress(), '0.001');
      expect(await node.getMempool()).toEqual([sent.txHash]);
      expect(await strict.getMempool()).toEqual([]);
      expect(sent.status).toBe('signed');
      await advance();
      expect((await status(sent.id)).status).toBe('signed');
      expect(await world.balance(coin)).toBe('0');
      await mine();
      expect(await status(sent.id)).toMatchObject({ status: 'confirmed', txHash: sent.txHash });
    } finally {
      await balancer.close();
      await strict.stop();
    }
  });
}

async function copyChain(from: RegtestNode, to: RegtestNode): Promise<void> {
  const { height } = await from.tip();
  for (let at = (await to.tip()).height + 1; at <= height; at += 1) {
    await to.rpc('submitblock', [await from.rpc<string>('getblock', [await from.blockHash(at), 0])]);
  }
}

/** One address for two nodes: the first serves all until a send is broken, then the second is offered sends. */
async function startBalancer(first: RegtestNode, second: RegtestNode) {
  let mode: 'first' | 'break' | 'second' = 'first';
  const server: Server = createServer((incoming, outgoing) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      const isSend = body.includes('"sendrawtransaction"');
      const target = new URL(isSend && mode === 'second' ? second.rpcUrl : first.rpcUrl);
      const { username, password } = target;
      const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
      const headers = { authorization, 'content-type': 'application/json' };
      const answer = await fetch(target.origin, { method: 'POST', headers, body });
      const text = await answer.text();
      if (isSend && mode === 'break') {
        mode = 'second';
        outgoing.destroy();
        return;
      }
      outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    })().catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://any:any@127.0.0.1:${address.port}`,
    breakNextSend: () => {
      mode = 'break';
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
