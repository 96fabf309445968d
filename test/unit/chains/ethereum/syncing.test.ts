import { describe, expect, it } from 'vitest';
import { blockReads } from '../../../../src/chains/ethereum/blocks/block-reads.ts';
import { createRpc } from '../../../../src/chains/ethereum/rpc/rpc.ts';
import { Refused, scriptedTransport } from '../../../_helpers/scripted-transport.ts';

const hash = `0x${'5'.repeat(64)}`;
const block = { number: '0x64', hash, parentHash: hash, timestamp: '0x1' };

/** What a node with its tip at 100 still syncs to; null when it is in step. */
async function highest(syncing: unknown): Promise<number | null> {
  const answers: Readonly<Record<string, unknown>> = {
    eth_chainId: '0x1',
    eth_getBlockByNumber: block,
    web3_clientVersion: 'Geth/v1.16.7',
    eth_syncing: syncing,
    eth_getBalance: '0x0',
  };
  const rpc = createRpc(scriptedTransport((method) => answers[method]));
  return (await blockReads(rpc).identity()).highest;
}

describe('the answer of eth_syncing', () => {
  it.each([
    ['false', false],
    ['null', null],
    ['a refusal', new Refused(-32601, 'Method not found')],
    [
      'an object at the tip of a node that builds its indexes',
      { currentBlock: '0x64', highestBlock: '0x64', txIndexRemainingBlocks: '0x10' },
    ],
    ['an object past its highest known block', { currentBlock: '0x65', highestBlock: '0x64' }],
  ])('means that the node is in sync when it is %s', async (_, answer) => {
    expect(await highest(answer)).toBeNull();
  });

  it.each([
    ['below its highest block', { currentBlock: '0x64', highestBlock: '0x70' }, 0x70],
    ['without its current block', { highestBlock: '0x70', stages: [] }, 0x70],
    ['without either', { stages: [] }, 100],
  ])('means that the node is behind when it is an object %s', async (_, answer, height) => {
    expect(await highest(answer)).toBe(height);
  });
});
