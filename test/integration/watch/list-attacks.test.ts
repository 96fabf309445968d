/** Lists of addresses under attack and bad luck: other shops, races, changes of the mode, and lists of 10,000. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allListedAddresses } from '../../../src/store/ledger/watch-lists.ts';
import { allocateAddresses } from '../../../src/usecases/addresses/allocate-address.ts';
import { dropPendingWatch } from '../../../src/usecases/watch/confirm-watch.ts';
import { coldAddresses } from '../../_helpers/listed-addresses.ts';
import { ListShop } from '../../_helpers/list-shop.ts';
import { openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';
import { addMerchant } from '../../_helpers/wallet-world.ts';

let sim: SimulatedWorld;
let shop: ListShop;
let other: ListShop;
beforeEach(async () => {
  sim = await openSimulatedWorld();
  shop = new ListShop(sim.world);
  other = new ListShop(sim.world, await addMerchant(sim.world.deps, 'sandbox'));
});
afterEach(async () => sim.close());

/** Changes the mode of the shop. */
async function setSandbox(sandbox: boolean): Promise<void> {
  const { id } = shop.merchant;
  await sim.world.db.updateTable('merchants').set({ sandbox }).where('id', '=', id).execute();
}

describe.each(['ETH', 'SOL'] as const)('a list of %s', (coin) => {
  const cold = (count: number, from = 0) => coldAddresses(coin, 'attacked', count, from);

  it('keeps an address that the wallet of another shop would reach, whose orders skip it', async () => {
    const { account } = other.merchant;
    const at = { coin, mode: 'sandbox', account, branch: 0 } as const;
    const future = [2, 3].map((index) => sim.world.deps.deriver.address({ ...at, index }));
    await shop.watch(coin, [...future, ...cold(1)]);
    const [first = ''] = await shop.nextOrders(coin, 1);
    const theirs = await other.nextOrders(coin, 5);
    const mine = [first, ...(await shop.nextOrders(coin, 2))];
    expect(mine).toEqual([...future, ...cold(1)]);
    expect(new Set([...theirs, ...mine]).size).toBe(8);
  });

  it('is confirmed for one of two shops that confirm the same address at once, and refused with its index', async () => {
    const mine = await shop.propose(coin, cold(5));
    const theirs = await other.propose(coin, [...cold(2, 20), ...cold(2, 4)]);
    const results = await Promise.allSettled([shop.confirm(mine.id), other.confirm(theirs.id)]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const refused = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    const index = results[0]?.status === 'rejected' ? 4 : 2;
    expect(refused.reason).toMatchObject({
      code: 'VALIDATION_INVALID',
      details: [expect.objectContaining({ field: `addresses.${index}`, code: 'duplicate' })],
    });
  });

  it('belongs to the mode in which it was entered', async () => {
    const { id } = await shop.propose(coin, cold(3));
    await setSandbox(false);
    await expect(shop.confirm(id)).rejects.toMatchObject({ code: 'COIN_UNAVAILABLE' });
    await expect(shop.propose(coin, cold(1))).rejects.toMatchObject({ code: 'COIN_UNAVAILABLE' });
    await setSandbox(true);
    expect((await shop.confirm(id)).state).toBe('active');
    await setSandbox(false);
    await expect(dropPendingWatch(shop.deps, shop.ref(coin))).rejects.toMatchObject({
      code: 'COIN_UNAVAILABLE',
    });
    const { id: merchantId, account } = shop.merchant;
    const live = {
      merchantId,
      account,
      mode: 'live',
      branch: 0,
      purpose: 'payment',
      paymentId: null,
    } as const;
    const toWatchKey = (_chain: unknown, address: string) => sim.world.adapter(coin).watchKey(address);
    const [row] = await sim.world.db.transaction(async (tx) =>
      allocateAddresses(tx, { ...shop.deps, toWatchKey }, live, [coin]),
    );
    expect(cold(3)).not.toContain(row?.address);
    await setSandbox(true);
    expect(await shop.nextOrders(coin, 3)).toEqual(cold(3));
    await setSandbox(false);
    await setSandbox(true);
    await expect(shop.nextOrder(coin)).rejects.toMatchObject({ code: 'COIN_UNAVAILABLE' });
  });
});

describe('allListedAddresses', () => {
  it('reads a long list in pieces, between which other work goes on', async () => {
    const size = 2_600;
    const addresses = coldAddresses('SOL', 'long', size);
    await shop.propose('SOL', addresses);
    let rounds = 0;
    const count = (): void => {
      rounds += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const rows = await allListedAddresses(sim.world.db, 1, size);
    clearImmediate(next);
    expect(rows.map(({ address }) => address)).toEqual(addresses);
    expect(rounds).toBeGreaterThanOrEqual(size / 500);
  });
});
