import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createRpcTransport, type RpcTransport } from '../../../src/chains/shared/rpc-transport.ts';
import { silent } from '../../_helpers/wallet-world.ts';

interface Told {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

let server: Server;
let transport: RpcTransport;

afterEach(async () => {
  await transport.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

/** A node that answers as configured, the last of it for ever; notes when it was asked. */
async function node(told: readonly Told[], callsPerSecond?: number): Promise<number[]> {
  const asked: number[] = [];
  server = createServer((incoming, outgoing) => {
    incoming.resume().on('end', () => {
      const { status, headers } = told[Math.min(asked.length, told.length - 1)]!;
      asked.push(performance.now());
      outgoing.writeHead(status, headers).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  transport = createRpcTransport({
    url,
    timeoutMs: 20_000,
    maxResponseBytes: 1_000,
    callsPerSecond,
    logger: silent,
  });
  return asked;
}

const ok: Told = { status: 200 };
const gap = (asked: readonly number[]): number => asked[1]! - asked[0]!;

describe('createRpcTransport with a node that answers HTTP 429', () => {
  const askedForPause: readonly Told[] = [{ status: 429, headers: { 'retry-after': '2' } }, ok];

  it('sends the request again after the time in Retry-After', async () => {
    const asked = await node(askedForPause);
    await expect(transport.post('{}', 'first')).resolves.toMatchObject(ok);
    expect(gap(asked)).toBeGreaterThan(1_900);
  });

  it('sends no other request before that time', async () => {
    const asked = await node(askedForPause);
    await transport.post('{}', 'first', { giveUp: AbortSignal.timeout(60_000) });
    await expect(transport.post('{}', 'second')).resolves.toMatchObject(ok);
    expect(gap(asked)).toBeGreaterThan(1_900);
  });

  it('retries with backoff when Retry-After is missing, and gives up after a limit', async () => {
    const asked = await node([{ status: 429 }]);
    await expect(transport.post('{}', 'first')).resolves.toMatchObject({ status: 429 });
    expect(asked).toHaveLength(4);
    expect(gap(asked)).toBeGreaterThan(900);
  });

  it('fails immediately when the caller does not want to wait for the rate limit', async () => {
    const asked = await node([{ status: 429, headers: { 'retry-after': '5' } }]);
    const giveUp = AbortSignal.timeout(60_000);
    await expect(transport.post('{}', 'first', { giveUp })).resolves.toMatchObject({ status: 429 });
    // During the pause it is not even sent.
    await expect(transport.post('{}', 'second', { giveUp })).rejects.toThrow('asked for a pause');
    expect(asked).toHaveLength(1);
  });
});

describe('createRpcTransport with a configured request rate', () => {
  it('spaces requests by the number of RPC calls that each contains', async () => {
    const asked = await node([ok], 20);
    const started = performance.now();
    await Promise.all([
      transport.post('{}', 'batch', { calls: 10 }),
      transport.post('{}', 'one'),
      transport.post('{}', 'other'),
    ]);
    // From before the first slot to the arrival at the node: load only adds to it. Timers may fire a millisecond early.
    expect(asked[1]! - started).toBeGreaterThan(495);
    expect(asked[2]! - started).toBeGreaterThan(545);
  });

  it('refuses a request that would have to wait too long', async () => {
    await node([ok], 1);
    await transport.post('{}', 'batch', { calls: 60 });
    await expect(transport.post('{}', 'one')).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

it('createRpcTransport aborts a request at its deadline, whatever the timeout', async () => {
  await node([ok]);
  server.removeAllListeners('request');
  await expect(transport.post('{}', 'slow', { giveUp: AbortSignal.timeout(100) })).rejects.toMatchObject({
    kind: 'unavailable',
  });
});
