import { expect, it } from 'vitest';
import type { ChainWorld } from '../harness.ts';
import { blockAt, byIndex, creditsFrom, essence, openShop, unconfirmedCredit, watchNew } from '../observe.ts';

export function detectionCases(world: () => ChainWorld): void {
  it('the adapter sees a payment while it is unconfirmed, and the same payment once it is mined', async () => {
    const shop = openShop(world());
    const txid = await world().pay([{ address: shop.address, amount: world().amount }]);
    const before = Date.now();
    const seen = await unconfirmedCredit(shop.adapter, txid);
    expect(seen).toMatchObject({ watchKey: shop.adapter.watchKey(shop.address), amount: world().amount });
    expect(seen.maturity).toBeLessThanOrEqual(1);
    if (seen.nodeTimeMs !== null) {
      expect(Math.abs(seen.nodeTimeMs - before)).toBeLessThan(60_000);
    }
    await world().mine(1);
    const { height } = await shop.adapter.tip();
    const block = await blockAt(shop.adapter, height);
    expect(block.credits.map(essence)).toEqual([essence(seen)]);
    const after = await shop.adapter.unconfirmed();
    expect(after.credits).toEqual([]);
    expect(after.has(txid)).toBe(false);
  });

  it('the adapter sees a mined payment whose transaction it never saw unconfirmed', async () => {
    const shop = openShop(world());
    const txid = await world().pay([{ address: shop.address, amount: world().amount }]);
    await world().mine(3);
    const { height } = await shop.adapter.tip();
    const credits = await creditsFrom(shop.adapter, height - 2);
    expect(credits.map((credit) => credit.ref.txid)).toEqual([txid]);
  });

  it('the adapter credits every output of one transaction, two to one address and one to another', async () => {
    const shop = openShop(world());
    const other = watchNew(world(), shop);
    const stranger = await world().strangerAddress();
    const amounts = [1n, 2n, 3n, 4n].map((times) => times * world().amount);
    const txid = await world().pay([
      { address: shop.address, amount: amounts[0]! },
      { address: stranger, amount: amounts[1]! },
      { address: other.address, amount: amounts[2]! },
      { address: shop.address, amount: amounts[3]! },
    ]);
    const [mine, theirs] = [shop.address, other.address].map((address) => shop.adapter.watchKey(address));
    const expected =
      world().creditsByAccount === true
        ? [
            { watchKey: mine, amount: amounts[0]! + amounts[3]! },
            { watchKey: theirs, amount: amounts[2] },
          ]
        : [
            { watchKey: mine, amount: amounts[0] },
            { watchKey: theirs, amount: amounts[2] },
            { watchKey: mine, amount: amounts[3] },
          ];
    const view = await shop.adapter.unconfirmed();
    const unconfirmed = view.credits.filter((credit) => credit.ref.txid === txid).sort(byIndex);
    if (world().isAccounts !== true) {
      expect(unconfirmed).toHaveLength(expected.length);
      for (const credit of expected) expect(unconfirmed).toContainEqual(expect.objectContaining(credit));
    }
    await world().mine(1);
    const block = await blockAt(shop.adapter, (await shop.adapter.tip()).height);
    const mined = [...block.credits].sort(byIndex);
    expect(mined).toHaveLength(expected.length);
    for (const credit of expected) expect(mined).toContainEqual(expect.objectContaining(credit));
    expect(new Set(mined.map((credit) => credit.ref.index)).size).toBe(expected.length);
    if (unconfirmed.length > 0) expect(mined.map(essence)).toEqual(unconfirmed.map(essence));
  });

  it('the adapter adds up several transactions to one address in one block', async () => {
    const shop = openShop(world());
    const txids: string[] = [];
    for (const times of [1n, 2n, 3n]) {
      txids.push(await world().pay([{ address: shop.address, amount: times * world().amount }]));
    }
    const view = await shop.adapter.unconfirmed();
    expect(view.credits.map((credit) => credit.ref.txid).sort()).toEqual([...txids].sort());
    await world().mine(1);
    const block = await blockAt(shop.adapter, (await shop.adapter.tip()).height);
    expect(block.credits.reduce((sum, credit) => sum + credit.amount, 0n)).toBe(6n * world().amount);
  });

  it('the adapter returns all unconfirmed transactions of the wallet on every call, also after a restart', async () => {
    const shop = openShop(world());
    const txid = await world().pay([{ address: shop.address, amount: world().amount }]);
    const first = await shop.adapter.unconfirmed();
    const second = await shop.adapter.unconfirmed();
    const restarted = await world().createAdapter(shop.index).unconfirmed();
    for (const view of [first, second, restarted]) {
      expect(view.credits.map(essence)).toEqual(first.credits.map(essence));
      expect(view.has(txid)).toBe(true);
      expect(view.has('00'.repeat(32))).toBe(false);
      expect(view.tip).toEqual(await shop.adapter.tip());
    }
    expect(first.credits).toHaveLength(1);
    await world().mine(1);
  });

  it('the adapter finds after a restart an unconfirmed payment to an address that was added later', async () => {
    const shop = openShop(world());
    const owned = world().newAddress();
    const txid = await world().pay([{ address: owned.address, amount: world().amount }]);
    expect((await shop.adapter.unconfirmed()).credits).toEqual([]);
    shop.index.watch(shop.adapter.watchKey(owned.address));
    const restarted = world().createAdapter(shop.index);
    expect((await unconfirmedCredit(restarted, txid)).amount).toBe(world().amount);
    await world().mine(1);
  });

  it('the adapter reports a double-spent payment as gone, and does not credit its replacement', async () => {
    const shop = openShop(world());
    const txid = await world().pay([{ address: shop.address, amount: world().amount }]);
    const { raw } = await unconfirmedCredit(shop.adapter, txid);
    const replacement = await world().replace(txid);
    const view = await shop.adapter.unconfirmed();
    expect(view.credits).toEqual([]);
    expect([view.has(txid), view.has(replacement)]).toEqual([false, world().knowsOnlyOwn !== true]);
    await world().mine(1);
    const fates = await shop.adapter.recheck([{ txid, raw }]);
    expect(fates.get(txid)).toBe('gone');
    const block = await blockAt(shop.adapter, (await shop.adapter.tip()).height);
    expect(block.credits).toEqual([]);
  });

  it('the adapter reports an unconfirmed or mined transaction as present', async () => {
    const shop = openShop(world());
    const txid = await world().pay([{ address: shop.address, amount: world().amount }]);
    const { raw } = await unconfirmedCredit(shop.adapter, txid);
    expect((await shop.adapter.recheck([{ txid, raw }])).get(txid)).toBe('present');
    await world().mine(1);
    expect((await shop.adapter.recheck([{ txid, raw }])).get(txid)).not.toBe('gone');
  });
}
