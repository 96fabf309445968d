/** Watched accounts on the simulated chains: which addresses orders get, and that their money is never signed for. */
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import { watchedAccount } from '../../../src/domain/keys.ts';
import type { MerchantRow } from '../../../src/store/schema/merchants.ts';
import { allocateAddresses } from '../../../src/usecases/addresses/allocate-address.ts';
import { reserveGapLimit } from '../../../src/usecases/addresses/gap-limit.ts';
import { watchLookAhead } from '../../../src/usecases/addresses/watch-look-ahead.ts';
import { listOutputs } from '../../../src/usecases/wallet/list-outputs.ts';
import { markRestored } from '../../../src/usecases/wallet/lifecycle/mark-restored.ts';
import { skipUsedAddresses } from '../../../src/usecases/wallet/skip-used-addresses.ts';
import { consolidate } from '../../../src/usecases/wallet/sweep/consolidate.ts';
import { confirmWatch, dropPendingWatch, endWatch } from '../../../src/usecases/watch/confirm-watch.ts';
import { proposeWatch } from '../../../src/usecases/watch/propose-watch.ts';
import { listWatched, type WatchView } from '../../../src/usecases/watch/view-watch.ts';
import { findListedProblem } from '../../../src/wallet/listed-address.ts';
import { readWatchAccount, watchAccountReader } from '../../../src/wallet/watch-account.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';
import { addMerchant, silent } from '../../_helpers/wallet-world.ts';

const VERSIONS = { private: 0x04_35_83_94, public: 0x04_35_87_cf };
const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const key = (account: number): string =>
  HDKey.fromMasterSeed(SEED, VERSIONS).derive(`m/84'/1'/${account}'`).publicExtendedKey;
/** Addresses of an account in a form that a plain key stands for. */
function listAddresses(account: number, branch: 0 | 1, count: number): string[] {
  const keys = readWatchAccount(UTXO_COINS.BTC, 'testnet', key(account));
  if ('problem' in keys) throw new Error(keys.problem);
  return Array.from({ length: count }, (_, index) => keys.address(branch, index));
}

let sim: SimulatedWorld;
beforeEach(async () => {
  sim = await openSimulatedWorld();
});
afterEach(async () => sim.close());

const deps = () => ({
  ...sim.world.deps,
  secretBox: { seal: (plain: string) => plain, open: (sealed: string) => sealed },
  readWatchAccount: watchAccountReader('regtest'),
  findListedProblem,
});
const ref = (shop: MerchantRow = sim.world.merchant) => ({ userId: shop.userId, merchantId: shop.id });
const propose = async (account: number, shop = sim.world.merchant) =>
  proposeWatch(deps(), { ...ref(shop), coin: 'BTC', xpub: key(account) });
const confirm = async (id: string, shop = sim.world.merchant) => confirmWatch(deps(), { ...ref(shop), id });
/** Gives out the address of the next order. */
async function nextOrder(coin: 'BTC' | 'LTC' = 'BTC', shop = sim.world.merchant): Promise<string> {
  const at = { merchantId: shop.id, account: shop.account, mode: 'sandbox', branch: 0 } as const;
  const toWatchKey = (_chain: unknown, address: string) => sim.world.adapter(coin).watchKey(address);
  const [row] = await sim.world.db.transaction(async (tx) =>
    allocateAddresses(tx, { ...deps(), toWatchKey }, { ...at, purpose: 'payment', paymentId: null }, [coin]),
  );
  return row?.address ?? '';
}
async function pay(address: string, amount: bigint): Promise<void> {
  await sim.control('BTC').pay([{ address, amount }]);
  await sim.mine('BTC');
}
async function view(id: string): Promise<WatchView> {
  const found = (await listWatched(deps(), sim.world.merchant)).find((one) => one.id === id);
  if (found === undefined) throw new Error('no such account');
  return found;
}
const plainKey = (_chain: unknown, address: string) => address;
const wrong = async (made: Promise<unknown>, message: RegExp) =>
  expect(made).rejects.toMatchObject({
    code: 'VALIDATION_INVALID',
    message: expect.stringMatching(message) as string,
  });

describe('confirmWatch', () => {
  it('pays new orders of a shop without orders to fresh addresses of the account at once', async () => {
    const proposed = await propose(0);
    expect(proposed).toMatchObject({ state: 'proposed', active: false, addresses: listAddresses(0, 0, 5) });
    expect((await confirm(proposed.id)).state).toBe('active');
    expect([await nextOrder(), await nextOrder(), await nextOrder()]).toEqual(listAddresses(0, 0, 3));
    expect(await view(proposed.id)).toMatchObject({ nextIndex: 3, gap: 3 });
    // Another coin of the shop, and another shop, keep their own.
    const other = await addMerchant(sim.world.deps, 'sandbox');
    expect(listAddresses(0, 0, 9)).not.toContain(await nextOrder('BTC', other));
    expect(await nextOrder('LTC')).toMatch(/^tltc1/);
  });

  it('waits for the delay in a shop that gave out addresses, and a later change replaces a pending one', async () => {
    const own = await nextOrder();
    const first = await propose(0);
    const pending = await confirm(first.id);
    expect([pending.state, pending.takesEffectAt !== null]).toEqual(['pending', true]);
    expect(await confirm(first.id)).toEqual(pending);
    expect(listAddresses(0, 0, 9)).not.toContain(await nextOrder());
    const second = await propose(1);
    expect((await confirm(second.id)).state).toBe('pending');
    expect((await view(first.id)).state).toBe('ended');
    sim.world.clock.advance(sim.world.deps.policy.forwardDelayMs);
    expect((await view(second.id)).state).toBe('active');
    expect(await nextOrder()).toBe(listAddresses(1, 0, 1)[0]);
    expect(own).not.toBe('');
  });

  it('waits for the delay where another account was confirmed before, also without any order', async () => {
    const first = await propose(0);
    await confirm(first.id);
    const second = await propose(1);
    expect((await confirm(second.id)).state).toBe('pending');
    await endWatch(deps(), { ...ref(), coin: 'BTC' });
    expect((await confirm(second.id)).state).toBe('pending');
  });

  it('continues with the next address after an account was ended and confirmed again', async () => {
    const { id } = await propose(0);
    await confirm(id);
    await nextOrder();
    expect(await endWatch(deps(), { ...ref(), coin: 'BTC' })).toEqual({ ended: true });
    expect(await endWatch(deps(), { ...ref(), coin: 'BTC' })).toEqual({ ended: false });
    expect(listAddresses(0, 0, 9)).not.toContain(await nextOrder());
    expect((await propose(0)).id).toBe(id);
    expect((await confirm(id)).state).toBe('pending');
    sim.world.clock.advance(sim.world.deps.policy.forwardDelayMs);
    expect(await nextOrder()).toBe(listAddresses(0, 0, 2)[1]);
  });

  it('leaves things as they are after the pending account was dropped', async () => {
    await nextOrder();
    const { id } = await propose(0);
    await confirm(id);
    expect(await dropPendingWatch(deps(), { ...ref(), coin: 'BTC' })).toEqual({ dropped: true });
    sim.world.clock.advance(10 * sim.world.deps.policy.forwardDelayMs);
    expect(listAddresses(0, 0, 9)).not.toContain(await nextOrder());
    expect(await dropPendingWatch(deps(), { ...ref(), coin: 'BTC' })).toEqual({ dropped: false });
  });

  it('refuses an account that another shop confirmed first, also one proposed before', async () => {
    const other = await addMerchant(sim.world.deps, 'sandbox');
    const [mine, theirs] = [await propose(0), await propose(0, other)];
    await confirm(theirs.id, other);
    await wrong(confirm(mine.id), /another shop/);
    await wrong(propose(0), /another shop/);
    await expect(confirm(theirs.id)).rejects.toMatchObject({ code: 'WATCH_NOT_FOUND' });
  });
});

describe('proposeWatch', () => {
  it('refuses an account with an address that the server gives out already', async () => {
    const [, , address = ''] = listAddresses(2, 1, 3);
    const { id: merchantId } = sim.world.merchant;
    const at = { merchantId, coin: 'BTC', mode: 'sandbox', branch: 1, idx: 900 } as const;
    const watchKey = sim.world.adapter('BTC').watchKey(address);
    await sim.world.db
      .insertInto('addresses')
      .values({ ...at, address, watchKey, purpose: 'change', paymentId: null, createdAt: 0 })
      .execute();
    await wrong(propose(2), /belongs to a wallet of this server/);
  });

  it('refuses private keys, keys of other networks, and coins without accounts', async () => {
    const node = HDKey.fromMasterSeed(SEED, VERSIONS);
    const input = { ...ref(), coin: 'BTC' } as const;
    const secret = node.privateExtendedKey;
    await wrong(proposeWatch(deps(), { ...input, descriptor: secret }), /contains a private key/);
    await wrong(proposeWatch(deps(), { ...input, xpub: secret }), /contains a private key/);
    const live = HDKey.fromMasterSeed(SEED).derive("m/84'/0'/0'").publicExtendedKey;
    await wrong(proposeWatch(deps(), { ...input, xpub: live }), /another network/);
    await wrong(proposeWatch(deps(), { ...input, coin: 'ETH', xpub: key(0) }), /^addresses/);
    await wrong(proposeWatch(deps(), input), /required/);
    await wrong(proposeWatch(deps(), { ...input, descriptor: key(0), path: '0/*' }), /^path/);
    const stored = await sim.world.db.selectFrom('watch_accounts').selectAll().execute();
    expect(stored).toEqual([]);
  });
});

describe('money on a watched account', () => {
  it('is credited and shown, and no send, consolidation or balance of the till uses it', async () => {
    const { id } = await propose(0);
    await confirm(id);
    await sim.fund('BTC', ONE.BTC);
    const orders = [await nextOrder(), await nextOrder(), await nextOrder()];
    for (const address of orders) await pay(address, 2n * ONE.BTC);
    expect(await view(id)).toMatchObject({ balance: '6', unconfirmed: '0' });
    expect(await sim.world.balance('BTC')).toBe('1');
    const { outputs } = await listOutputs(deps(), {
      merchant: sim.world.merchant,
      coin: 'BTC',
      page: 1,
      limit: 10,
    });
    expect(outputs.map(({ spendable, hold }) => [spendable, hold])).toEqual([
      [false, 'watched'],
      [false, 'watched'],
      [false, 'watched'],
      [true, null],
    ]);
    await expect(sim.send('BTC', '2')).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      details: expect.arrayContaining([expect.objectContaining({ code: 'watched' })]) as unknown,
    });
    await expect(
      consolidate(sim.world.deps, { merchant: sim.world.merchant, coin: 'BTC' }),
    ).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    // The till's own money stays spendable, all of it and nothing more.
    const sent = await sim.send('BTC', 'max');
    expect(Number(sent.amount) + Number(sent.fee)).toBeCloseTo(1, 8);
    await sim.mine('BTC');
    expect(await view(id)).toMatchObject({ balance: '6', gap: 3 });
  });
});

describe('recovery', () => {
  it('skips and watches as many addresses of both branches as a restored backup looks ahead', async () => {
    const keys = readWatchAccount(UTXO_COINS.BTC, 'regtest', key(0));
    if ('problem' in keys) throw new Error(keys.problem);
    const { id: merchantId } = sim.world.merchant;
    const account = {
      id: 'wat_x',
      merchantId,
      coin: 'BTC',
      mode: 'live',
      descriptor: keys.descriptor,
    } as const;
    const { db } = sim.world;
    const rest = { nextReceive: 5, nextChange: 0, confirmedAt: 1, pendingId: null, startsAt: 1 };
    const times = { createdAt: 1, updatedAt: 1 };
    await db
      .insertInto('watch_accounts')
      .values({ ...account, firstReceive: 'a', firstChange: 'b', ...rest, ...times })
      .execute();
    await reserveGapLimit(deps(), 3);
    while (await watchLookAhead({ ...deps(), toWatchKey: plainKey }));
    const rows = await db
      .selectFrom('addresses')
      .select(['address', 'branch', 'purpose'])
      .where('idx', '>=', 2 ** 31)
      .orderBy('branch')
      .orderBy('idx')
      .execute();
    const expected = ([0, 1] as const).flatMap((branch) =>
      [0, 1, 2].map((at) => ({
        address: keys.address(branch, branch === 0 ? at + 5 : at),
        branch,
        purpose: 'recovered',
      })),
    );
    expect(rows).toEqual(expected);
    const [after] = await db.selectFrom('watch_accounts').selectAll().execute();
    expect([after?.nextReceive, after?.nextChange]).toEqual([8, 3]);
  });

  it('returns orders to the wallet of the till in an older copy of the database until the owner confirms', async () => {
    const { id } = await propose(0);
    await confirm(id);
    await nextOrder();
    await markRestored(sim.world.db, sim.world.clock);
    expect((await view(id)).state).toBe('ended');
    expect(listAddresses(0, 0, 9)).not.toContain(await nextOrder());
  });

  it('watches addresses that the database does not know, credits them, and never gives them out', async () => {
    const { id } = await propose(0);
    await confirm(id);
    const account = await sim.world.db.selectFrom('watch_accounts').selectAll().executeTakeFirstOrThrow();
    const path = { coin: 'BTC', mode: 'sandbox', account: watchedAccount(account.number) } as const;
    const toWatchKey = (_chain: unknown, address: string) => sim.world.adapter('BTC').watchKey(address);
    const recovery = { ...deps(), toWatchKey, logger: silent };
    const given = [
      { ...path, branch: 0 as const, index: 4 },
      { ...path, branch: 1 as const, index: 2 },
      { ...path, account: watchedAccount(99), branch: 0 as const, index: 50 },
    ];
    expect(await skipUsedAddresses(recovery, given)).toEqual({ addresses: 6, unknownMerchants: 0 });
    await pay(listAddresses(0, 0, 4)[3] ?? '', ONE.BTC);
    await pay(listAddresses(0, 1, 2)[1] ?? '', ONE.BTC);
    expect(await view(id)).toMatchObject({ balance: '2', nextIndex: 4 });
    expect(await sim.world.balance('BTC')).toBe('0');
  });
});
