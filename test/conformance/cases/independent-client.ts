import { expect, it } from 'vitest';
import type { ChainWorld } from '../harness.ts';
import { bare, blockAt, byRef, earn, openShop, sign, watchNew } from '../observe.ts';

const BLOCKS = 6;

/** Blocks read by our raw-block reader and by a client that shares no code with it. */
export function independentClientCases(world: () => ChainWorld): void {
  it('the adapter finds the same payments, spends and hashes in each block as an independent client', async () => {
    const shop = openShop(world());
    const { amount, blockByCore } = world();
    if (blockByCore === undefined) throw new Error('this chain has no independent client');
    const first = (await shop.adapter.tip()).height + 1;
    const addresses = new Set([shop.address]);
    for (let at = 1n; at <= BLOCKS; at += 1n) {
      const paid = watchNew(world(), shop);
      addresses.add(paid.address);
      const stranger = await world().strangerAddress();
      await world().pay([
        { address: paid.address, amount: amount + at },
        { address: stranger, amount },
        { address: shop.address, amount: amount * at },
      ]);
      await world().mine(1);
    }
    const funds = await earn(world(), shop, [3n * amount, 5n * amount]);
    for (const { address } of funds) addresses.add(address);
    const changeAddress = watchNew(world(), shop).address;
    addresses.add(changeAddress);
    const destination = await world().strangerAddress();
    const quote = await shop.adapter.feeQuote({ from: shop.address, destination, amount });
    const wish = { funds, destination, amount: 7n * amount, subtractFee: false, changeAddress, quote };
    const signed = await sign(world(), shop, shop.adapter.planSend(wish));
    expect(await shop.adapter.broadcast(signed)).toEqual({ kind: 'accepted' });
    await world().mine(1);

    const { height } = await shop.adapter.tip();
    let spends = 0;
    for (let at = first; at <= height; at += 1) {
      const ours = await blockAt(shop.adapter, at);
      const theirs = await blockByCore(at);
      expect([ours.hash, ours.parentHash]).toEqual([theirs.hash, theirs.parentHash]);
      const outputs = theirs.outputs.filter(({ address }) => addresses.has(address));
      const credits = ours.credits.map(({ ref, watchKey, amount: atoms }) => ({
        ref,
        watchKey,
        amount: atoms,
      }));
      expect(credits.sort(byRef)).toEqual(
        outputs
          .map(({ txid, index, address, amount: atoms }) => ({
            ref: { txid, index },
            watchKey: shop.adapter.watchKey(address),
            amount: atoms,
          }))
          .sort(byRef),
      );
      const known = new Set(funds.map(({ ref }) => `${ref.txid}:${ref.index}`));
      const inputs = theirs.inputs.filter(({ txid, index }) => known.has(`${txid}:${index}`));
      spends += inputs.length;
      expect(ours.debits.map(bare).sort(byRef)).toEqual(
        inputs.map(({ txid, index, byTxid }) => ({ ref: { txid, index }, byTxid })).sort(byRef),
      );
    }
    expect(spends).toBe(2);
  });
}
