/** Lists that are entered again after a restore from the words: the chain shows which addresses had money. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AccountFunds, ChainError } from '../../../src/domain/chain.ts';
import { toStoredIndex } from '../../../src/store/ledger/address-index.ts';
import { insertAddresses } from '../../../src/store/ledger/addresses.ts';
import { writeMeta } from '../../../src/store/meta.ts';
import { extendGapLimit, noteUnknownAddresses } from '../../../src/usecases/addresses/gap-limit.ts';
import { coldAddresses } from '../../_helpers/listed-addresses.ts';
import { ListShop } from '../../_helpers/list-shop.ts';
import { creditTo } from '../../_helpers/scripted-chain.ts';
import { openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

const LOOK_AHEAD = 100;
const SIZE = 60;
const DAY_MS = 86_400_000;

let sim: SimulatedWorld;
let shop: ListShop;
beforeEach(async () => {
  sim = await openSimulatedWorld();
  shop = new ListShop(sim.world);
  await writeMeta(sim.world.db, 'look_ahead.gap', String(LOOK_AHEAD));
  await writeMeta(sim.world.db, 'restored_at', String(sim.world.clock.now()));
});
afterEach(async () => sim.close());

const cold = (count = SIZE, from = 0) => coldAddresses('ETH', 'restored', count, from);
const asked: string[][] = [];

/** The node answers like this about addresses. */
function node(funds: Partial<AccountFunds>, syncing = false): void {
  const { chains } = sim.world.deps;
  const adapter = sim.world.adapter('ETH');
  const all: AccountFunds = {
    model: 'accounts',
    heldAfter: async () => new Map<string, bigint>(),
    balancesAt: async () => {
      throw new ChainError('unavailable', 'the node keeps no balances');
    },
    ...funds,
  };
  const status = async () => ({ ...(await adapter.status()), syncing });
  const answering = { ...adapter, status, funds: all };
  const get: typeof chains.get = (coin, mode) =>
    coin === 'ETH' && mode === 'sandbox' ? answering : chains.get(coin, mode);
  sim.world.deps = { ...sim.world.deps, chains: { get } };
}

/** A node whose state proves which accounts were used. */
function usedAre(addresses: readonly string[], syncing = false): void {
  const used = new Set(addresses.map((address) => sim.world.adapter('ETH').watchKey(address)));
  asked.length = 0;
  node(
    {
      usedAmong: async (keys) => {
        asked.push([...keys]);
        return new Set(keys.filter((key) => used.has(key)));
      },
    },
    syncing,
  );
}

describe('confirmWatch of a list after a restore from the words', () => {
  it('continues after the last address with money and a gap of 20', async () => {
    usedAre([...cold(3), ...cold(1, 12)]);
    const view = await shop.watch('ETH', cold());
    expect(view).toMatchObject({ nextIndex: 33, list: { size: SIZE, remaining: SIZE - 33 } });
    expect(await shop.nextOrders('ETH', SIZE - 33)).toEqual(cold(SIZE - 33, 33));
  });

  it('gives out every address of a short list that never had money', async () => {
    usedAre([]);
    await shop.watch('ETH', cold(10));
    expect(await shop.nextOrders('ETH', 10)).toEqual(cold(10));
  });

  it('gives out no address with money, wherever it is in the list', async () => {
    const entered = [...cold(40, 20), ...cold(20)];
    usedAre([...cold(2), ...cold(2, 7)]);
    await shop.watch('ETH', entered);
    const given = await shop.nextOrders('ETH', SIZE - 4);
    expect(given).toEqual([...cold(40, 20), ...cold(5, 2), ...cold(11, 9)]);
    await expect(shop.nextOrder('ETH')).rejects.toMatchObject({ code: 'COIN_UNAVAILABLE' });
    expect(asked.flat()).toHaveLength(SIZE);
  });

  it('skips as many addresses as before where the node is syncing or does not answer', async () => {
    usedAre([], true);
    expect(await shop.watch('ETH', cold())).toMatchObject({ nextIndex: SIZE });
    node({
      usedAmong: async () => {
        throw new ChainError('unavailable', 'the node is away');
      },
    });
    expect(await shop.watch('ETH', coldAddresses('ETH', 'long', 150))).toMatchObject({
      nextIndex: LOOK_AHEAD,
    });
  });

  it('moves those that hold money into the skipped ones where others may have been emptied', async () => {
    const [rich = ''] = cold(1, 130);
    const key = sim.world.adapter('ETH').watchKey(rich);
    node({ heldAfter: async (keys) => new Map(keys.map((one) => [one, one === key ? 1n : 0n])) });
    expect(await shop.watch('ETH', cold(150))).toMatchObject({ nextIndex: LOOK_AHEAD });
    const given = await shop.nextOrders('ETH', 50);
    expect(given).toEqual([...cold(31, 99), ...cold(19, 131)]);
  });

  it('skips what the record outside the database says, and nothing a month later', async () => {
    usedAre([]);
    await noteUnknownAddresses(sim.world.db, 7);
    expect(await shop.watch('ETH', cold(20))).toMatchObject({ nextIndex: 7 });
    sim.world.clock.advance(31 * DAY_MS);
    usedAre(cold(3, 20));
    expect(await shop.watch('ETH', cold(20, 20))).toMatchObject({ nextIndex: 0 });
    expect(asked).toEqual([]);
  });

  it('keeps its free addresses when money arrives on a skipped one', async () => {
    usedAre(cold(2));
    const { id } = await shop.watch('ETH', cold());
    const { db, clock, merchant } = sim.world;
    const chain = { coin: 'ETH', mode: 'sandbox' } as const;
    const [address = ''] = cold();
    const watchKey = sim.world.adapter('ETH').watchKey(address);
    const at = { ...chain, merchantId: merchant.id, branch: 0, idx: toStoredIndex(1, 0) } as const;
    const row = { ...at, address, watchKey, purpose: 'recovered', paymentId: null } as const;
    await db.transaction(async (tx) => insertAddresses(tx, [{ ...row, createdAt: clock.now() }]));
    const toWatchKey = (_chain: unknown, one: string) => sim.world.adapter('ETH').watchKey(one);
    const extend = async () => extendGapLimit({ ...shop.deps, toWatchKey }, chain, [creditTo(watchKey, 1n)]);
    expect(await extend()).toBe(false);
    expect(await shop.view(id)).toMatchObject({ nextIndex: 22 });
    await writeMeta(db, 'look_ahead.gap.1', '30');
    expect([await extend(), (await shop.view(id)).nextIndex]).toEqual([true, 31]);
  });
});
