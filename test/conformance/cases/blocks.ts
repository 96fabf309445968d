import { expect, it } from 'vitest';
import type { Coin } from '../../../src/domain/coins.ts';
import type { ChainWorld } from '../harness.ts';
import { blockAt, follow, openShop } from '../observe.ts';

export function blockCases(coin: Coin, world: () => ChainWorld): void {
  it('the status of a healthy node contains its coin, tip and version', async () => {
    const { adapter } = openShop(world());
    expect(adapter.coin).toBe(coin);
    const status = await adapter.status();
    expect(status.tip).toEqual(await adapter.tip());
    expect(status.headersHeight).toBe(status.tip.height);
    expect(status.syncing).toBe(false);
    expect(status.pruneHeight).toBe(0);
    expect(status.version).not.toBe('');
  });

  it('blocks link to their parents up to the tip, and no block is above the tip', async () => {
    const { adapter } = openShop(world());
    await world().mine(3);
    const tip = await adapter.tip();
    const blocks = await follow(adapter, tip.height - 3);
    expect(blocks.at(-1)).toMatchObject(tip);
    for (const block of blocks) expect(await adapter.hashAt(block.height)).toBe(block.hash);
    expect(await adapter.hashAt(tip.height + 1)).toBeNull();
    expect(await adapter.blockAt(tip.height + 1)).toBeNull();
  });

  it('a restarted daemon that continues at its cursor reads the same blocks again', async () => {
    const shop = openShop(world());
    const cursor = await shop.adapter.tip();
    const first = await world().pay([{ address: shop.address, amount: world().amount }]);
    await world().mine(2);
    const second = await world().pay([{ address: shop.address, amount: world().amount }]);
    await world().mine(1);
    const seen = await follow(shop.adapter, cursor.height + 1);
    await shop.adapter.close();
    const restarted = world().createAdapter(shop.index);
    expect(await restarted.hashAt(cursor.height)).toBe(cursor.hash);
    const again = await follow(restarted, cursor.height + 1);
    expect(again).toEqual(seen);
    expect(again.flatMap((block) => block.credits.map((credit) => credit.ref.txid))).toEqual([first, second]);
  });

  it('a new cursor starts at the highest block that is not later than a given time', async () => {
    const { adapter } = openShop(world());
    const tip = await blockAt(adapter, (await adapter.tip()).height);
    const inTheFuture = await adapter.blockBefore(Date.now() + 86_400_000);
    expect(inTheFuture.hash).toBe(tip.hash);
    const middle = await blockAt(adapter, tip.height - 2);
    const found = await adapter.blockBefore(middle.timeMs);
    expect(found.timeMs).toBeLessThanOrEqual(middle.timeMs);
    expect(found.height).toBeGreaterThanOrEqual(middle.height);
    expect(await adapter.hashAt(found.height)).toBe(found.hash);
    const genesis = await adapter.blockBefore(0);
    expect(genesis.height).toBe(0);
  });
}
