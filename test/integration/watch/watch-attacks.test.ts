/** Watched accounts under attack and bad luck: no address is given out twice, and no money goes where it should not. */
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchedAccount } from '../../../src/domain/keys.ts';
import type { MerchantRow } from '../../../src/store/schema/merchants.ts';
import { allocateAddresses } from '../../../src/usecases/addresses/allocate-address.ts';
import { reserveGapLimit } from '../../../src/usecases/addresses/gap-limit.ts';
import { confirmSends } from '../../../src/usecases/wallet/lifecycle/record-spends.ts';
import { skipUsedAddresses } from '../../../src/usecases/wallet/skip-used-addresses.ts';
import { confirmWatch } from '../../../src/usecases/watch/confirm-watch.ts';
import { proposeWatch } from '../../../src/usecases/watch/propose-watch.ts';
import { listWatched, type WatchView } from '../../../src/usecases/watch/view-watch.ts';
import { descriptorChecksum } from '../../../src/wallet/descriptor-checksum.ts';
import { receiveBranchReader } from '../../../src/wallet/receive-branch.ts';
import { findListedProblem } from '../../../src/wallet/listed-address.ts';
import { watchAccountReader } from '../../../src/wallet/watch-account.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';
import { addMerchant } from '../../_helpers/wallet-world.ts';
import { ForwardWorld } from '../forwards/forward-world.ts';

const VERSIONS = { private: 0x04_35_83_94, public: 0x04_35_87_cf };
const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const key = (account: number): string =>
  HDKey.fromMasterSeed(SEED, VERSIONS).derive(`m/84'/1'/${account}'`).publicExtendedKey;
const signed = (body: string): string => `${body}#${descriptorChecksum(body)}`;

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
  readReceiveBranch: receiveBranchReader('regtest'),
  toWatchKey: (_chain: unknown, address: string) => sim.world.adapter('BTC').watchKey(address),
});
const propose = async (input: object, shop: MerchantRow = sim.world.merchant): Promise<WatchView> =>
  proposeWatch(deps(), { userId: shop.userId, merchantId: shop.id, coin: 'BTC', ...input });
/** Watches an account, also after a delay. */
async function watch(input: object, shop: MerchantRow = sim.world.merchant): Promise<WatchView> {
  const { id } = await propose(input, shop);
  const view = await confirmWatch(deps(), { userId: shop.userId, merchantId: shop.id, id });
  if (view.state === 'pending') sim.world.clock.advance(sim.world.deps.policy.forwardDelayMs);
  return view;
}
/** Gives out the address of the next order. */
async function nextOrder(shop: MerchantRow = sim.world.merchant): Promise<string> {
  const at = { merchantId: shop.id, account: shop.account, mode: 'sandbox', branch: 0 } as const;
  const [row] = await sim.world.db.transaction(async (tx) =>
    allocateAddresses(tx, deps(), { ...at, purpose: 'payment', paymentId: null }, ['BTC']),
  );
  return row?.address ?? '';
}
async function nextOrders(count: number, shop?: MerchantRow): Promise<string[]> {
  const addresses: string[] = [];
  for (let made = 0; made < count; made += 1) addresses.push(await nextOrder(shop));
  return addresses;
}
/** What a database knows that lost its watched accounts. */
async function loseAccounts(): Promise<void> {
  const { db } = sim.world;
  await db
    .deleteFrom('addresses')
    .where('idx', '>=', 2 ** 31)
    .execute();
  await db.deleteFrom('watch_accounts').execute();
}
const wrong = async (made: Promise<unknown>, message: RegExp) =>
  expect(made).rejects.toMatchObject({
    code: 'VALIDATION_INVALID',
    message: expect.stringMatching(message) as string,
  });

describe('an account that forwards go to as well', () => {
  it('gives orders no address of a forward, and forwards no address of an order', async () => {
    const forwards = new ForwardWorld(sim.world);
    const zpub = signed(`wpkh(${key(0)}/0/*)`);
    await forwards.rule('BTC', { to: zpub, keep: '0', threshold: '1', intervalMinutes: 0 });
    const forward = async (): Promise<void> => {
      await sim.fund('BTC', 2n * ONE.BTC);
      await forwards.run();
      await sim.mine('BTC');
      sim.world.clock.advance(86_400_000);
    };
    await forward();
    await forward();
    const { id } = await watch({ descriptor: signed(`wpkh([73c5da0a/84h/1h/0h]${key(0)}/<0;1>/*)`) });
    const orders = await nextOrders(2);
    await forward();
    orders.push(...(await nextOrders(2)));
    await forward();
    orders.push(...(await nextOrders(1)));
    const sent = (await forwards.made()).map(({ destination }) => destination);
    expect(sent).toHaveLength(4);
    expect(new Set([...sent, ...orders]).size).toBe(sent.length + orders.length);
    const [view] = await listWatched(deps(), sim.world.merchant);
    expect([view?.id, view?.nextIndex, view?.balance]).toEqual([id, 9, '0']);
    expect((await forwards.view('BTC')).addresses[0]).toBe(view?.addresses[0]);
  });
});

describe('an account that is entered again in an older copy of the database', () => {
  it('skips the addresses that a restored backup looks ahead', async () => {
    await watch({ xpub: key(0) });
    const before = await nextOrders(3);
    await loseAccounts();
    await reserveGapLimit(deps(), 5);
    await watch({ xpub: key(0) });
    expect(before).not.toContain(await nextOrder());
  });

  it('skips the addresses that the record outside the database names', async () => {
    await watch({ xpub: key(0) });
    const before = await nextOrders(3);
    await loseAccounts();
    const at = { coin: 'BTC', mode: 'sandbox', account: watchedAccount(1), branch: 0, index: 500 } as const;
    await skipUsedAddresses(deps(), [at]);
    await watch({ xpub: key(0) });
    expect(before).not.toContain(await nextOrder());
  });
});

describe('an account that an older copy of the database knows as a proposal', () => {
  it('skips the addresses that the record outside the database names, under whatever number it had', async () => {
    const { id } = await propose({ xpub: key(0) });
    const at = { coin: 'BTC', mode: 'sandbox', account: watchedAccount(1), branch: 0, index: 3 } as const;
    await skipUsedAddresses(deps(), [at]);
    expect(id).not.toBe('');
    const view = await watch({ xpub: key(1) });
    expect(view.nextIndex).toBe(3);
  });
});

describe('allocateAddresses', () => {
  it('skips an address of a watched account that another wallet of the server has', async () => {
    const { addresses } = await watch({ xpub: key(0) });
    const { id: merchantId } = await addMerchant(sim.world.deps, 'sandbox');
    const address = addresses[1] ?? '';
    const watchKey = sim.world.adapter('BTC').watchKey(address);
    const row = { merchantId, coin: 'BTC', mode: 'sandbox', branch: 0, idx: 900, address, watchKey } as const;
    await sim.world.db
      .insertInto('addresses')
      .values({ ...row, purpose: 'payment', paymentId: null, createdAt: 0 })
      .execute();
    expect(await nextOrders(3)).toEqual([addresses[0], addresses[2], addresses[3]]);
  });
});

describe('proposeWatch', () => {
  it('keeps the key origins of a watched account that is entered again without them', async () => {
    const { descriptor } = await watch({ descriptor: signed(`wpkh([73c5da0a/84h/1h/0h]${key(0)}/<0;1>/*)`) });
    expect((await propose({ xpub: key(0), path: '0/*' })).descriptor?.length).toBeGreaterThan(0);
    const vpub = signed(`wpkh(${key(0)}/<0;1>/*)`);
    expect((await propose({ descriptor: vpub })).descriptor).toBe(descriptor);
  });

  it('refuses a path with two lists of branches, and keys that are equal in the branch for change', async () => {
    await wrong(propose({ xpub: key(0), path: '<0;1>/<0;1>/*' }), /^xpub/);
    await wrong(
      propose({ descriptor: signed(`wsh(sortedmulti(2,${key(0)}/<0;1>/*,${key(0)}/<5;1>/*))`) }),
      /same key twice/,
    );
    const many = Array.from({ length: 16 }, (_, n) => `${key(n)}/<0;1>/*`).join(',');
    await wrong(propose({ descriptor: signed(`wsh(sortedmulti(2,${many}))`) }), /1 to 15 keys/);
  });
});

describe('confirmSends', () => {
  it('warns of foreign spends of the money of the till, and not of money that the other wallet spends', async () => {
    const warnings: string[] = [];
    const warn = (_fields: object, text: string): void => void warnings.push(text);
    await watch({ xpub: key(0) });
    await sim.control('BTC').pay([{ address: await nextOrder(), amount: 2n * ONE.BTC }]);
    await sim.fund('BTC', ONE.BTC);
    expect((await listWatched(deps(), sim.world.merchant))[0]?.balance).toBe('2');
    const { db } = sim.world;
    const chain = sim.world.chain('BTC');
    const outputs = await db
      .selectFrom('outputs')
      .select(['txid', 'vout'])
      .orderBy('watchOnly', 'desc')
      .execute();
    expect(outputs).toHaveLength(2);
    const noted: number[] = [];
    for (const [n, { txid, vout }] of outputs.entries()) {
      const spends = [{ ref: { txid, index: vout }, byTxid: `${n}`.repeat(64) }];
      const logger = { ...sim.world.deps.logger, warn };
      await db.transaction(async (tx) =>
        confirmSends(tx, { ...sim.world.deps, logger }, chain, { spends, height: 900 }),
      );
      noted.push(warnings.length);
    }
    expect(noted).toEqual([0, 1]);
    expect((await listWatched(deps(), sim.world.merchant))[0]?.balance).toBe('0');
  });
});
