import { afterEach, describe, expect, it } from 'vitest';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Shop } from '../../_helpers/api-client.ts';
import { requireNode, startFaultProxy, startNode } from '../../_helpers/nodes/index.ts';
import type { FaultProxy, RegtestNode } from '../../_helpers/nodes/index.ts';
import { liveEnv, TillProcess } from '../../_helpers/till.ts';

const stops: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** A merchant's server that takes every webhook and never answers. */
async function silentEndpoint(): Promise<string> {
  const server: Server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

async function hangingTill(): Promise<{ till: TillProcess; proxy: FaultProxy; shop: Shop }> {
  const node: RegtestNode = await startNode('BTC');
  stops.push(async () => node.stop());
  const proxy = await startFaultProxy(node.rpcUrl);
  stops.push(async () => proxy.close());
  const till = await TillProcess.start(liveEnv({ BTC: proxy.url }));
  stops.push(async () => till.end());
  const shop = await Shop.open(till.api, { webhookUrl: await silentEndpoint() });
  await till.ready();
  return { till, proxy, shop };
}

describe.skipIf(!requireNode('BTC'))('a daemon that receives SIGTERM', () => {
  it('stops cleanly and in time while its node hangs, a request waits for the node and a webhook gets no response', async () => {
    const { till, proxy, shop } = await hangingTill();
    const destination = 'bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202';
    proxy.inject({ kind: 'hang' });
    await shop.createPayment({ allowedCryptos: ['BTC'] });
    const asked = shop.send({ coin: 'BTC', amount: '0.0002', destination }, {}).catch(() => null);
    await proxy.waitForCall('estimatesmartfee');
    // The daemon ends itself with 1 when its time to stop is over.
    expect(await till.terminate()).toBe(0);
    await asked;
  });
});
