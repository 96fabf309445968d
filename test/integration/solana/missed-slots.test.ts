import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSolanaAdapter } from '../../../src/chains/solana/adapter.ts';
import type { BlockRef, ChainAdapter, ChainBlock } from '../../../src/domain/chain.ts';
import { makeHole } from '../../_helpers/svm/hole.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { OpenIndex } from '../../_helpers/svm/open-index.ts';
import { Payer, strangerAddress } from '../../_helpers/svm/payer.ts';

const AMOUNT = 5_000_000n;
const HOUR = 3_600_000;
const START = 1_800_000_000_000;

describe('money in a slot before the cursor that the node did not show at first', () => {
  let node: SvmNode;
  let adapter: ChainAdapter;
  let payer: Payer;
  let now = START;
  const address = strangerAddress();

  beforeEach(async () => {
    now = START;
    node = await SvmNode.start({ now: () => now });
    payer = new Payer(node);
    adapter = createSolanaAdapter({
      network: 'regtest',
      rpcUrl: node.url,
      index: new OpenIndex([address]),
      clock: { now: () => now },
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    });
  });
  afterEach(async () => {
    await adapter.close();
    await node.stop();
  });

  /** The block in which the ledger goes on, and as often as there are more. */
  async function upToTip(from: BlockRef): Promise<ChainBlock> {
    let last: ChainBlock | null = null;
    for (;;) {
      const block: ChainBlock | null = (await adapter.sparse?.blockAfter(last ?? from)) ?? null;
      if (block === null) break;
      last = block;
    }
    await adapter.unconfirmed();
    if (last === null) throw new Error('there is no new block');
    return last;
  }

  it('is credited with the block that reveals it, at the time of its own slot', async () => {
    const before = await adapter.tip();
    const txid = payer.pay([{ address, amount: AMOUNT }]);
    const paidIn = node.ledger.top.slot;
    const hole = makeHole(node, paidIn, paidIn);
    node.advance(40);
    // The history of the account does not explain its balance: it waits, and the ledger goes on without it.
    const cursor = await upToTip(before);
    expect(cursor).toMatchObject({ credits: [] });
    expect(cursor.height).toBeGreaterThan(paidIn);

    hole.clear();
    now += HOUR;
    node.advance(40);
    const block = await upToTip(cursor);
    expect(block.timeMs).toBe(START + HOUR);
    expect(block.credits).toMatchObject([
      { ref: { txid }, amount: AMOUNT, heldBy: { height: block.height, timeMs: START } },
    ]);
  });

  it('is searched for after blocks that the node lists but does not return, with a bounded number of requests', async () => {
    node.advance(40);
    const { slot } = node.ledger.tip('finalized');
    const from = slot - 30;
    const unshown = (below: number) =>
      node.inject(
        { kind: 'rewrite', rewrite: () => null },
        { methods: ['getBlock'], about: ([at]) => Number(at) < below },
      );
    const few = unshown(from + 5);
    expect(await adapter.sparse?.finalAfter(from)).toMatchObject({ height: from + 5 });
    few.clear();
    const many = unshown(Number.POSITIVE_INFINITY);
    await expect(adapter.sparse?.finalAfter(from)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(many.hits).toBeLessThanOrEqual(20);
  });

  it('is not credited from a block that a fork has removed meanwhile', async () => {
    node.advance(40);
    payer.pay([{ address, amount: AMOUNT }]);
    node.advance(2);
    const cursor = await upToTip(
      await adapter.tip().then(({ height }) => ({ height: height - 5, hash: 'any' })),
    );
    expect(await adapter.hashAt(cursor.height)).toBe(cursor.hash);
    node.fork({ depth: 3 });
    node.advance(200);
    const next = await adapter.sparse?.blockAfter(cursor);
    expect(next?.height).toBeGreaterThan(cursor.height);
    expect(next?.parentHash).not.toBe(cursor.hash);
    // Where nothing happened, it is the child that it is told to be.
    const tip = await adapter.tip();
    node.advance(3);
    expect((await adapter.sparse?.blockAfter(tip))?.parentHash).toBe(tip.hash);
  });
});
