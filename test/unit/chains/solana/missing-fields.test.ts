import { describe, expect, it } from 'vitest';
import { datedAfter, datedBefore } from '../../../../src/chains/solana/rpc/block-times.ts';
import { createNodeClient, type NodeClient } from '../../../../src/chains/solana/rpc/node-client.ts';
import { createRpc } from '../../../../src/chains/solana/rpc/rpc.ts';
import { Refused, scriptedTransport } from '../../../_helpers/scripted-transport.ts';

const NOW = 1_800_000_000_000;
const SECONDS = NOW / 1_000;

const clientOf = (answers: (method: string, params: readonly unknown[]) => unknown): NodeClient =>
  createNodeClient(createRpc(scriptedTransport(answers)));

/** A chain of blocks 90 to 110, each with the time that is told; null for none. */
function chain(timeOf: (slot: number) => number | null): NodeClient {
  return clientOf((method, [first, last]) => {
    if (method === 'getBlocks') {
      const [from, to] = [Math.max(90, Number(first)), Math.min(110, Number(last))];
      return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
    }
    const slot = Number(first);
    const [blockhash, previousBlockhash] = [`hash${slot}`, `hash${slot - 1}`];
    return { blockhash, previousBlockhash, parentSlot: slot - 1, blockHeight: slot, blockTime: timeOf(slot) };
  });
}

async function headerAt(client: NodeClient, slot: number) {
  const header = await client.block(slot, 'none');
  if (header === null) throw new Error('no such block');
  return header;
}

describe('the time of a Solana block without blockTime', () => {
  it.each([null, 0, undefined])('is unknown instead of 1970 when blockTime is %s', async (time) => {
    const client = chain(() => time as number | null);
    expect((await headerAt(client, 100)).timeMs).toBeNull();
  });

  it('is that of the next block with a time when the block contains a payment', async () => {
    const client = chain((slot) => (slot === 100 || slot === 101 ? null : SECONDS + slot - 100));
    const { timeMs } = await datedAfter(client, await headerAt(client, 100), NOW + 60_000);
    expect(timeMs).toBe(NOW + 2_000);
  });

  it('is the current time when the block contains a payment and no later block has a time', async () => {
    const client = chain((slot) => (slot < 100 ? SECONDS : null));
    expect((await datedAfter(client, await headerAt(client, 100), NOW + 60_000)).timeMs).toBe(NOW + 60_000);
  });

  it('is that of the previous block when it is used as the time up to which the chain was read', async () => {
    const client = chain((slot) => (slot < 100 ? SECONDS + slot - 100 : null));
    expect((await datedBefore(client, await headerAt(client, 110))).timeMs).toBe(NOW - 1_000);
  });

  it('causes an error that names the field when the block is the tip and no block has a time', async () => {
    const client = chain(() => null);
    await expect(datedBefore(client, await headerAt(client, 110))).rejects.toThrow(
      'getBlock: no blockTime at slot 110 and the blocks before it',
    );
  });
});

const health = async (answer: unknown) => clientOf(() => answer).health();

describe('getHealth of a Solana node', () => {
  it('reports a healthy node, and the number of slots by which another node is behind', async () => {
    expect(await health('ok')).toEqual({ isHealthy: true, slots: 0, problem: null });
    expect(
      await health(new Refused(-32005, 'Node is behind by 42 slots', { numSlotsBehind: 42 })),
    ).toMatchObject({
      isHealthy: false,
      slots: 42,
    });
  });

  it.each([{ numSlotsBehind: null }, {}, null, undefined])(
    'reports a node as behind by an unknown number of slots when its data is %j',
    async (data) => {
      expect(await health(new Refused(-32005, 'Node is unhealthy', data))).toEqual({
        isHealthy: false,
        slots: null,
        problem: 'getHealth: Node is unhealthy (-32005)',
      });
    },
  );

  it('relies on the age of the newest block when an RPC gateway lacks the method', async () => {
    expect(await health(new Refused(-32601, 'Method not found'))).toMatchObject({
      isHealthy: true,
      slots: null,
    });
  });
});

describe('getVersion of a Solana node', () => {
  it('accepts an answer without solana-core', async () => {
    expect(await clientOf(() => ({ 'feature-set': 1 })).version()).toBe('unknown');
  });
});
