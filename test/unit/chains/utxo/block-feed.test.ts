import { describe, expect, it } from 'vitest';
import { BlockFetcher } from '../../../../src/chains/utxo/blocks/block-fetcher.ts';
import type { NodeClient } from '../../../../src/chains/utxo/rpc/node-client.ts';
import { ChainError, type ChainIndex } from '../../../../src/domain/chain.ts';
import { NO_ACCOUNTS } from '../../../_helpers/no-accounts.ts';
import { COINBASE, encodeBlock, encodeTransaction, p2wpkh, type TestBlock, txidOf } from './raw-chain.ts';

const OURS = p2wpkh('ab'.repeat(20));

/** Blocks 1 to `count`; some pay us; `fork` makes them differ from another chain's. */
function chainOf(count: number, paying: readonly number[], fork = 0): TestBlock[] {
  const blocks: TestBlock[] = [];
  for (let height = 1; height <= count; height += 1) {
    const script = paying.includes(height) ? OURS : p2wpkh('cd'.repeat(20));
    const transaction = { ...COINBASE, outputs: [{ amount: BigInt(1_000 * height + fork), script }] };
    const parentHash = blocks.at(-1)?.hash ?? '00'.repeat(32);
    blocks.push(
      encodeBlock({
        transactions: [encodeTransaction(transaction)],
        txids: [txidOf(transaction)],
        parentHash,
      }),
    );
  }
  return blocks;
}

function hexText(bytes: Buffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(bytes.toString('hex')));
}

/** A node whose chain a test changes, and a feed that reads it. */
function world(initial: TestBlock[]) {
  const node = { chain: initial, requests: 0, pruned: new Set<string>(), isDown: false };
  const known = new Map<string, TestBlock>();
  const check = (): void => {
    node.requests += 1;
    if (node.isDown) throw new ChainError('unavailable', 'down');
  };
  const client: Pick<NodeClient, 'getBlockHash' | 'getBlockHashes' | 'getBlocks' | 'chainInfo'> = {
    getBlockHash: async (height) => {
      check();
      return node.chain[height - 1]?.hash ?? null;
    },
    getBlockHashes: async (heights) => {
      check();
      for (const block of node.chain) known.set(block.hash, block);
      return heights.map((height) => node.chain[height - 1]?.hash ?? null);
    },
    getBlocks: async (hashes) => {
      check();
      return hashes.map((hash) =>
        node.pruned.has(hash) ? null : hexText(known.get(hash)?.bytes ?? Buffer.alloc(0)),
      );
    },
    chainInfo: async () => ({
      chain: 'regtest',
      blocks: node.chain.length,
      headers: node.chain.length,
      bestblockhash: '',
      initialblockdownload: false,
      pruned: true,
      pruneheight: 3,
    }),
  };
  const index: ChainIndex = {
    ...NO_ACCOUNTS,
    watched: async (keys) => new Set(keys.filter((key) => key === OURS.toString('hex'))),
    ownOutputs: async () => new Set<string>(),
  };
  const feed = new BlockFetcher({
    client: client as NodeClient,
    coin: { hasMweb: false },
    index,
  });
  return { node, feed };
}

async function readAll(feed: BlockFetcher, from = 1): Promise<string[]> {
  const hashes: string[] = [];
  for (;;) {
    const blocks = await feed.blocksFrom(from + hashes.length);
    if (blocks.length === 0) return hashes;
    hashes.push(...blocks.map(({ hash }) => hash));
  }
}

describe('BlockFetcher', () => {
  it('returns each block once, in order, with far fewer requests than blocks', async () => {
    const chain = chainOf(200, [7, 8, 150]);
    const { node, feed } = world(chain);
    expect(await readAll(feed)).toEqual(chain.map(({ hash }) => hash));
    expect(node.requests).toBeLessThan(70);
  });

  it('requests no further block after a single new block', async () => {
    const chain = chainOf(6, [2, 4]);
    const { node, feed } = world(chain.slice(0, 1));
    for (let count = 1; count <= 6; count += 1) {
      node.chain = chain.slice(0, count);
      const before = node.requests;
      await feed.blocksFrom(count);
      // Its hash, and the block.
      expect(node.requests - before).toBe(2);
      expect(await feed.blocksFrom(count + 1)).toEqual([]);
    }
  });

  it('ends a batch after a block with wallet transactions, so that these are recorded before the next block is parsed', async () => {
    const { feed } = world(chainOf(30, [5, 6, 20]));
    let height = 1;
    for (
      let blocks = await feed.blocksFrom(height);
      blocks.length > 0;
      blocks = await feed.blocksFrom(height)
    ) {
      expect(blocks.slice(0, -1).flatMap(({ credits }) => credits)).toEqual([]);
      height += blocks.length;
    }
    expect(height).toBe(31);
  });

  it('includes a block that arrives after the tip was read', async () => {
    const chain = chainOf(41, []);
    const { node, feed } = world(chain.slice(0, 1));
    for (let count = 1; count <= 41; count += 1) {
      node.chain = chain.slice(0, count);
      expect((await feed.blocksFrom(count)).map(({ hash }) => hash)).toEqual([chain[count - 1]?.hash]);
      expect(await feed.blocksFrom(count + 1)).toEqual([]);
    }
  });

  it('never mixes blocks of two branches, and returns those of the new branch on the next call', async () => {
    const old = chainOf(60, []);
    const forked = [...old.slice(0, 20), ...chainOf(60, [], 1).slice(20)];
    const { node, feed } = world(old);
    let height = 1;
    while (height < 18) height += (await feed.blocksFrom(height)).length;
    node.chain = forked;
    for (
      let blocks = await feed.blocksFrom(height);
      blocks.length > 0;
      blocks = await feed.blocksFrom(height)
    ) {
      for (const [at, block] of blocks.entries()) {
        if (at > 0) expect(block.parentHash).toBe(blocks[at - 1]?.hash);
      }
      height += blocks.length;
    }
    const again = await readAll(feed, 21);
    expect(again).toEqual(forked.slice(20).map(({ hash }) => hash));
  });

  it('does not return a block that was fetched before the best chain was determined', async () => {
    const old = chainOf(60, []);
    const { node, feed } = world(old);
    let height = 1;
    while (height < 18) height += (await feed.blocksFrom(height)).length;
    // A pause: what was fetched ahead grows old, and the chain forks right above what was recorded.
    node.chain = [...old.slice(0, height - 1), ...chainOf(60, [], 1).slice(height - 1)];
    expect(await feed.hashAt(height - 1)).toBe(old[height - 2]?.hash);
    const [next] = await feed.blocksFrom(height);
    expect(next?.hash).toBe(node.chain[height - 1]?.hash);
  });

  it('resumes at its position after a node outage, and reports pruned blocks', async () => {
    const chain = chainOf(40, []);
    const { node, feed } = world(chain);
    const first = await feed.blocksFrom(1);
    node.isDown = true;
    let height = 1 + first.length;
    await expect(
      (async () => {
        for (;;) height += (await feed.blocksFrom(height)).length;
      })(),
    ).rejects.toThrow('down');
    node.isDown = false;
    expect(await readAll(feed, height)).toEqual(chain.slice(height - 1).map(({ hash }) => hash));
    node.pruned.add(chain[1]?.hash ?? '');
    await expect(feed.blocksFrom(2)).rejects.toThrow(
      /pruned blocks 2 to 2: .* tillctl rescan with --skip-to 3$/,
    );
  });
});
