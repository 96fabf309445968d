/** Lists of addresses of cold wallets on the simulated chains: which orders get them, and that nothing is signed for them. */
import { PublicKey } from '@solana/web3.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reserveGapLimit } from '../../../src/usecases/addresses/gap-limit.ts';
import { findConditions } from '../../../src/usecases/notices/find-conditions.ts';
import { markRestored } from '../../../src/usecases/wallet/lifecycle/mark-restored.ts';
import { dropPendingWatch, endWatch } from '../../../src/usecases/watch/confirm-watch.ts';
import { proposeList } from '../../../src/usecases/watch/propose-list.ts';
import { proposeWatch } from '../../../src/usecases/watch/propose-watch.ts';
import { coldAddress, coldAddresses } from '../../_helpers/listed-addresses.ts';
import { type ListCoin, ListShop } from '../../_helpers/list-shop.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';
import { addMerchant } from '../../_helpers/wallet-world.ts';

let sim: SimulatedWorld;
let shop: ListShop;
beforeEach(async () => {
  sim = await openSimulatedWorld();
  shop = new ListShop(sim.world);
});
afterEach(async () => sim.close());

const delay = () => sim.world.clock.advance(sim.world.deps.policy.forwardDelayMs);
const otherShop = async () => new ListShop(sim.world, await addMerchant(sim.world.deps, 'sandbox'));
const wrong = async (made: Promise<unknown>, field: string, message: RegExp) =>
  expect(made).rejects.toMatchObject({
    code: 'VALIDATION_INVALID',
    message: expect.stringMatching(message) as string,
    details: expect.arrayContaining([expect.objectContaining({ field })]) as unknown,
  });
async function pay(coin: ListCoin, address: string, amount: bigint): Promise<void> {
  await sim.control(coin).pay([{ address, amount }]);
  await sim.mine(coin);
}

describe.each(['ETH', 'SOL'] as const)('a list of %s', (coin) => {
  const cold = (count: number, from = 0) => coldAddresses(coin, 'ledger', count, from);

  it('pays the orders of a new shop to its addresses one after the other, at once', async () => {
    const proposed = await shop.propose(coin, cold(7));
    expect(proposed).toMatchObject({ state: 'proposed', descriptor: null, addresses: cold(5) });
    expect(proposed.list).toEqual({ size: 7, remaining: 7, last: cold(7)[6] });
    expect((await shop.confirm(proposed.id)).state).toBe('active');
    expect(await shop.nextOrders(coin, 3)).toEqual(cold(3));
    const view = await shop.view(proposed.id);
    expect([view.addresses, view.list?.remaining, view.nextIndex]).toEqual([cold(4, 3), 4, 3]);
  });

  it('gives a new order no address of the till once it is at its end', async () => {
    await shop.watch(coin, cold(2));
    await shop.nextOrders(coin, 2);
    await expect(shop.nextOrder(coin)).rejects.toMatchObject({
      code: 'COIN_UNAVAILABLE',
      message: expect.stringContaining('the owner has to add more') as string,
    });
  });

  it('continues with a list that was added, after its delay', async () => {
    await shop.watch(coin, cold(2));
    const added = await shop.confirm((await shop.propose(coin, cold(2, 2))).id);
    expect(added.state).toBe('pending');
    await shop.nextOrders(coin, 2);
    await expect(shop.nextOrder(coin)).rejects.toMatchObject({ code: 'COIN_UNAVAILABLE' });
    delay();
    expect(await shop.nextOrders(coin, 2)).toEqual(cold(2, 2));
  });

  it('waits for the delay in a shop that gave out addresses, and several lists can wait', async () => {
    const own = await shop.nextOrder(coin);
    const views = [await shop.propose(coin, cold(2)), undefined, undefined];
    const first = await shop.confirm(views[0]?.id ?? '');
    const second = await shop.confirm((await shop.propose(coin, cold(2, 2))).id);
    expect([first.state, second.state]).toEqual(['pending', 'pending']);
    expect(cold(9)).not.toContain(await shop.nextOrder(coin));
    delay();
    expect(await shop.nextOrders(coin, 4)).toEqual(cold(4));
    expect(cold(9)).not.toContain(own);
  });

  it('is dropped while it waits, together with other lists that wait', async () => {
    await shop.watch(coin, cold(1));
    await shop.confirm((await shop.propose(coin, cold(2, 1))).id);
    await shop.confirm((await shop.propose(coin, cold(2, 3))).id);
    expect(await dropPendingWatch(shop.deps, shop.ref(coin))).toEqual({ dropped: true });
    delay();
    expect(await shop.nextOrder(coin)).toBe(cold(1)[0]);
    await expect(shop.nextOrder(coin)).rejects.toMatchObject({ code: 'COIN_UNAVAILABLE' });
  });

  it('frees its addresses when it is dropped before it took effect, and stays known once it was in use', async () => {
    const { id } = await shop.watch(coin, cold(1));
    await shop.confirm((await shop.propose(coin, [...cold(2, 1), ...cold(1, 9)])).id);
    await dropPendingWatch(shop.deps, shop.ref(coin));
    // The owner corrects the list and enters it again.
    const corrected = await shop.propose(coin, cold(3, 1));
    expect((await shop.confirm(corrected.id)).state).toBe('pending');
    await endWatch(shop.deps, shop.ref(coin));
    sim.world.clock.advance(1);
    expect((await shop.confirm(id)).state).toBe('pending');
    await dropPendingWatch(shop.deps, shop.ref(coin));
    expect((await shop.view(id)).state).toBe('ended');
    // A thief who ends, confirms and drops a list makes no other one the first of the shop.
    const other = await otherShop();
    expect((await shop.confirm((await shop.propose(coin, cold(1, 20))).id)).state).toBe('pending');
    await wrong(other.propose(coin, cold(1)), 'addresses.0', /used by/);
    expect((await other.confirm((await other.propose(coin, cold(1, 9))).id)).state).toBe('active');
  });

  it('returns orders to the till only when it is ended, and continues where it was', async () => {
    const { id } = await shop.watch(coin, cold(3));
    await shop.nextOrder(coin);
    expect(await endWatch(shop.deps, shop.ref(coin))).toEqual({ ended: true });
    expect(cold(9)).not.toContain(await shop.nextOrder(coin));
    expect((await shop.confirm(id)).state).toBe('pending');
    delay();
    expect(await shop.nextOrders(coin, 2)).toEqual(cold(2, 1));
  });

  it('is refused with the index of an address that is invalid, listed twice, or used on this server', async () => {
    const other = await otherShop();
    const theirs = await other.nextOrder(coin);
    await other.watch(coin, cold(2, 20));
    const taken: [string, RegExp][] = [
      ['nonsense', /^addresses\.2: is not an? /],
      [cold(1)[0] ?? '', /same address as addresses\.0/],
      [theirs, /used by a wallet/],
      [cold(1, 21)[0] ?? '', /used by a wallet, a list/],
      [sim.world.address(coin), /used by a wallet/],
      [
        sim.world.deps.deriver.address({
          coin,
          mode: 'sandbox',
          account: shop.merchant.account,
          branch: 0,
          index: 5,
        }),
        /used/,
      ],
    ];
    for (const [address, message] of taken)
      await wrong(shop.propose(coin, [...cold(2), address, ...cold(1, 5)]), 'addresses.2', message);
    await wrong(shop.propose(coin, []), 'addresses', /must not be empty/);
    expect(
      await sim.world.db
        .selectFrom('watch_addresses')
        .select('idx')
        .where('accountNumber', '!=', 1)
        .execute(),
    ).toEqual([]);
  });

  it('is refused again when another shop confirmed one of its addresses first', async () => {
    const other = await otherShop();
    const [mine, theirs] = [await shop.propose(coin, cold(3)), await other.propose(coin, cold(3, 2))];
    await other.confirm(theirs.id);
    await wrong(shop.confirm(mine.id), 'addresses.2', /used by/);
    expect((await shop.view(mine.id)).state).toBe('proposed');
    expect(cold(9)).not.toContain(await shop.nextOrder(coin));
  });

  it('is credited and shown, and no send, sweep or balance of the till uses its money', async () => {
    const { id } = await shop.watch(coin, cold(20));
    await sim.fund(coin, ONE[coin]);
    for (const address of await shop.nextOrders(coin, 12)) await pay(coin, address, 2n * ONE[coin]);
    expect(await shop.view(id)).toMatchObject({ balance: '24', unconfirmed: '0' });
    expect(await sim.world.balance(coin)).toBe('1');
    await expect(sim.send(coin, '2')).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      details: expect.arrayContaining([expect.objectContaining({ code: 'watched' })]) as unknown,
    });
    await wrong(sim.send(coin, '0.5', { from: id }), 'from', /list of addresses/);
    const sent = await sim.send(coin, 'max');
    expect(Number(sent.amount) + Number(sent.fee)).toBeCloseTo(1, 8);
    await sim.mine(coin);
    expect(await shop.view(id)).toMatchObject({ balance: '24' });
    expect(await sim.world.balance(coin)).toBe('0');
  });

  it('skips and watches as many addresses as a restored backup looks ahead, and never beyond its end', async () => {
    const { id } = await shop.watch(coin, cold(4));
    await shop.nextOrder(coin);
    await markRestored(sim.world.db, sim.world.clock);
    expect((await shop.view(id)).state).toBe('ended');
    // The restore looks at live accounts alone; the sandbox stands for them here.
    await sim.world.db.updateTable('watch_accounts').set({ mode: 'live' }).execute();
    await reserveGapLimit(shop.deps, 2);
    const [account] = await sim.world.db.selectFrom('watch_accounts').selectAll().execute();
    expect(account?.nextReceive).toBe(3);
    await reserveGapLimit(shop.deps, 5);
    const [after] = await sim.world.db.selectFrom('watch_accounts').selectAll().execute();
    expect(after?.nextReceive).toBe(4);
  });
});

describe('proposeList', () => {
  it('refuses system and burn addresses, wrong checksums, and addresses of programs', async () => {
    const eth = (address: string) => shop.propose('ETH', [coldAddress('ETH', 'ledger', 0), address]);
    const good = coldAddress('ETH', 'ledger', 1);
    await wrong(eth(`0x${'0'.repeat(40)}`), 'addresses.1', /zero address/);
    await wrong(eth(`0x${'0'.repeat(39)}1`), 'addresses.1', /no key/);
    await wrong(eth('0x000000000000000000000000000000000000dEaD'), 'addresses.1', /no key/);
    const swapped = good.replace(/[a-fA-F](?=[^a-fA-F]*$)/, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    await wrong(eth(swapped), 'addresses.1', /checksum \(EIP-55\)/);
    expect((await eth(good.toLowerCase())).list?.size).toBe(2);
    await wrong(shop.propose('ETH', [good, good.toLowerCase()]), 'addresses.1', /same address/);
    const sol = (address: string) => shop.propose('SOL', [coldAddress('SOL', 'ledger', 0), address]);
    await wrong(sol('1'.repeat(32)), 'addresses.1', /system program/);
    for (const address of [
      'SysvarC1ock11111111111111111111111111111111',
      'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
      'Vote111111111111111111111111111111111111111',
    ])
      await wrong(sol(address), 'addresses.1', /program or a system account/);
    const seed = [new TextEncoder().encode('vault')];
    const [vault] = PublicKey.findProgramAddressSync(seed, new PublicKey(coldAddress('SOL', 'program', 0)));
    await wrong(sol(vault.toBase58()), 'addresses.1', /no key signs/);
  });

  it('refuses lists for BTC, keys for ETH, and both at once', async () => {
    const ref = { userId: shop.merchant.userId, merchantId: shop.merchant.id };
    const addresses = coldAddresses('ETH', 'ledger', 1);
    const list = { ...ref, addresses };
    await wrong(shop.propose('BTC' as 'ETH', addresses), 'addresses', /descriptor or xpub/);
    await wrong(proposeWatch(shop.deps, { ...ref, coin: 'ETH', xpub: 'zpub' }), 'addresses', /is required/);
    const both = { ...list, coin: 'ETH', xpub: 'zpub' } as const;
    await wrong(proposeList(shop.deps, both), 'addresses', /together/);
  });

  it('refuses more than 10,000 addresses at a time, and replaces a list that was not confirmed', async () => {
    const [one = ''] = coldAddresses('ETH', 'ledger', 1);
    await wrong(
      shop.propose(
        'ETH',
        Array.from({ length: 10_001 }, () => one),
      ),
      'addresses',
      /at most 10000/,
    );
    await shop.propose('ETH', coldAddresses('ETH', 'ledger', 700));
    const { id } = await shop.propose('ETH', coldAddresses('ETH', 'ledger', 3));
    const rows = await sim.world.db.selectFrom('watch_addresses').select('address').execute();
    expect(rows.map(({ address }) => address)).toEqual(coldAddresses('ETH', 'ledger', 3));
    expect((await shop.confirm(id)).state).toBe('active');
  });
});

describe('watch_addresses', () => {
  it('refuses to free an address, to delete one of a confirmed list, and to confirm one twice', async () => {
    await shop.watch('ETH', coldAddresses('ETH', 'ledger', 2));
    await shop.nextOrder('ETH');
    const { db } = sim.world;
    const given = db.updateTable('watch_addresses').set({ givenAt: null }).where('idx', '=', 0);
    await expect(given.execute()).rejects.toThrow(/given out once/);
    await expect(db.deleteFrom('watch_addresses').execute()).rejects.toThrow(/is kept/);
    const [row] = await db.selectFrom('watch_addresses').selectAll().where('idx', '=', 1).execute();
    if (row === undefined) throw new Error('no row');
    const again = db.insertInto('watch_addresses').values({ ...row, idx: 7 });
    await expect(again.execute()).rejects.toThrow(/UNIQUE/);
  });
});

const off = () => false;

describe('findConditions', () => {
  it('reports lists of a coin with 100 addresses or fewer left together, and those at their end', async () => {
    const faults = {
      isBackupTooOld: off,
      isReplicaBehind: off,
      isCertificateEnding: off,
      areRatesUnsure: off,
    };
    const { db, clock } = sim.world;
    const reasons = async () =>
      (await findConditions({ db, clock, chains: () => [], ...faults })).map(({ reason }) => reason);
    await shop.watch('ETH', coldAddresses('ETH', 'many', 101));
    expect(await reasons()).toEqual([]);
    await shop.nextOrder('ETH');
    expect(await reasons()).toEqual(['addresses_low']);
    const added = await shop.confirm((await shop.propose('ETH', coldAddresses('ETH', 'added', 1))).id);
    expect([added.state, await reasons()]).toEqual(['pending', ['addresses_low']]);
    delay();
    expect(await reasons()).toEqual([]);
    await shop.nextOrders('ETH', 101);
    expect(await reasons()).toEqual(['addresses_gone']);
  });
});
