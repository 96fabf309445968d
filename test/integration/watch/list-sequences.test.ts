/**
 * Lists, orders, confirmations, drops, ends, and restores of older copies in two shops, in any order: no address is given
 * out twice, none before its list has taken effect, and none of the till while a list is in use. `LIST_RUNS=200 npx
 * vitest run …` plays as many.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSimulator } from '../../../src/chains/simulator/simulator.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { addressCounters, newestAddressId } from '../../../src/store/ledger/addresses.ts';
import { watchCounters } from '../../../src/store/ledger/watch-accounts.ts';
import { createSimulatorStore } from '../../../src/store/simulator.ts';
import { skipUsedAddresses } from '../../../src/usecases/wallet/skip-used-addresses.ts';
import { dropPendingWatch, endWatch } from '../../../src/usecases/watch/confirm-watch.ts';
import { listWatched } from '../../../src/usecases/watch/view-watch.ts';
import { IssuedAddresses, withReservedAddresses } from '../../../src/wallet/issued-addresses.ts';
import { coldAddresses } from '../../_helpers/listed-addresses.ts';
import { type ListCoin, ListShop } from '../../_helpers/list-shop.ts';
import { addMerchant, openWalletWorld, silent, type WalletWorld } from '../../_helpers/wallet-world.ts';

const RUNS = Number(process.env.LIST_RUNS ?? 10);
const TIMEOUT_MS = 120_000 + RUNS * 20_000;
const COINS = ['ETH', 'SOL'] as const;
/** Few addresses, so that lists of both shops overlap and come to their ends. */
const COLD = { ETH: coldAddresses('ETH', 'cold', 30), SOL: coldAddresses('SOL', 'cold', 30) };
const HOUR_MS = 3_600_000;

const of = { shop: fc.constantFrom(0 as const, 1 as const), coin: fc.constantFrom(...COINS) };
const step = fc.oneof(
  { weight: 10, arbitrary: fc.record({ do: fc.constant('order' as const), ...of }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('propose' as const),
      ...of,
      from: fc.nat(28),
      size: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('confirm' as const), ...of, which: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('drop' as const, 'end' as const), ...of }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('hours' as const), count: fc.constantFrom(1, 12, 25) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('copy' as const, 'restore' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

async function openWorld(dir: string): Promise<WalletWorld> {
  return openWalletWorld({
    dir,
    mode: 'sandbox',
    connect: (context) =>
      COINS.map(
        (coin) =>
          createSimulator({
            coin,
            store: createSimulatorStore(context.db),
            index: context.index({ coin, mode: 'sandbox' }),
            clock: context.clock,
            logger: silent,
            blockIntervalMs: HOUR_MS,
          }).adapter,
      ),
  });
}

/** Each shop has a list from the beginning. */
const BEGIN: readonly Step[] = [
  { do: 'propose', shop: 0, coin: 'ETH', from: 0, size: 6 },
  { do: 'confirm', shop: 0, coin: 'ETH', which: 0 },
  { do: 'propose', shop: 1, coin: 'SOL', from: 0, size: 6 },
  { do: 'confirm', shop: 1, coin: 'SOL', which: 0 },
];

/** Plays steps on a server whose database may become an older copy of itself, with its record outside of it. */
class Play {
  readonly dir = mkdtempSync(join(tmpdir(), 'tilld-lists-'));
  /** Each address that an order ever got, with the place that it came from. */
  readonly given = new Map<string, string>();
  /** When lists were confirmed, by address: not before their delay may it be given out. */
  readonly due = new Map<string, number>();
  orders = 0;
  #world: WalletWorld | null = null;
  #issued: IssuedAddresses | null = null;
  #shops: ListShop[] = [];
  #hasCopy = false;

  async open(): Promise<void> {
    const world = (this.#world = await openWorld(this.dir));
    const { db, deps } = world;
    const others = await db.selectFrom('merchants').selectAll().orderBy('account').execute();
    const second = others[1] ?? (await addMerchant(deps, 'sandbox'));
    const known = [...(await addressCounters(db)), ...(await watchCounters(db))];
    const issued = (this.#issued = IssuedAddresses.open(join(this.dir, 'given-addresses'), known, silent));
    const toWatchKey = (chain: { coin: string }, address: string) =>
      world.adapter(chain.coin as ListCoin).watchKey(address);
    if (issued.isAheadOf(await newestAddressId(db)))
      await skipUsedAddresses({ ...deps, toWatchKey }, issued.branches);
    issued.recordIssued(await newestAddressId(db));
    world.db.database.onNewAddresses = (newest) => issued.recordIssued(newest);
    world.deps = { ...deps, deriver: withReservedAddresses(deps.deriver, issued) };
    this.#shops = [new ListShop(world), new ListShop(world, second)];
  }

  async close(): Promise<void> {
    await this.#world?.close();
    this.#issued?.close();
  }

  async end(): Promise<void> {
    await this.close();
    rmSync(this.dir, { recursive: true, force: true });
  }

  async play(one: Step): Promise<void> {
    try {
      await this.#do(one);
    } catch (error) {
      // What the rules refuse is refused; anything else is a fault.
      if (!(error instanceof AppError)) throw error;
    }
  }

  get #now(): number {
    return this.#world?.clock.now() ?? 0;
  }

  async #do(one: Step): Promise<void> {
    if ('shop' in one) return this.#doInShop(one);
    if (one.do === 'hours') return this.#world?.clock.advance(one.count * HOUR_MS);
    if (one.do === 'copy') return this.#copy();
    return this.#restore();
  }

  async #doInShop(one: Extract<Step, { readonly shop: 0 | 1 }>): Promise<void> {
    const shop = this.#shops[one.shop];
    if (shop === undefined) throw new Error('no such shop');
    const { coin } = one;
    if (one.do === 'order') return this.#order(shop, coin);
    if (one.do === 'propose') {
      await shop.propose(coin, COLD[coin].slice(one.from, one.from + one.size));
    } else if (one.do === 'confirm') await this.#confirm(shop, coin, one.which);
    else if (one.do === 'drop') await dropPendingWatch(shop.deps, shop.ref(coin));
    else await endWatch(shop.deps, shop.ref(coin));
  }

  async #confirm(shop: ListShop, coin: ListCoin, which: number): Promise<void> {
    const lists = (await listWatched(shop.deps, shop.merchant)).filter((one) => one.coin === coin);
    const list = lists[which % Math.max(1, lists.length)];
    if (list === undefined) return;
    const { state, takesEffectAt } = await shop.confirm(list.id);
    const from = state === 'pending' ? Date.parse(takesEffectAt ?? '') : this.#now;
    const rows = await shop.world.db
      .selectFrom('watch_addresses')
      .innerJoin('watch_accounts', 'watch_accounts.number', 'watch_addresses.accountNumber')
      .select('watch_addresses.address')
      .where('watch_accounts.id', '=', list.id)
      .execute();
    if (list.state !== 'active') for (const { address } of rows) this.due.set(address, from);
  }

  async #order(shop: ListShop, coin: ListCoin): Promise<void> {
    const active = (await listWatched(shop.deps, shop.merchant)).filter(
      (one) => one.coin === coin && one.active,
    );
    const address = await shop.nextOrder(coin);
    this.orders += 1;
    const key = address.toLowerCase();
    expect(this.given.get(key), `${address} is given out again`).toBeUndefined();
    this.given.set(key, `${shop.merchant.id} ${coin}`);
    const isCold = COLD[coin].includes(address);
    expect(isCold).toBe(active.length > 0);
    if (isCold) expect(this.#now).toBeGreaterThanOrEqual(this.due.get(address) ?? Infinity);
  }

  #copy(): void {
    const file = join(this.dir, 'copy.db');
    rmSync(file, { force: true });
    const sqlite = new Sqlite(join(this.dir, 'tilld.db'), { readonly: true });
    sqlite.prepare('VACUUM INTO ?').run(file);
    sqlite.close();
    this.#hasCopy = true;
  }

  /** An operator puts an older copy in place; the record outside the database stays. */
  async #restore(): Promise<void> {
    if (!this.#hasCopy) return;
    const passed = this.#now;
    await this.close();
    for (const end of ['-wal', '-shm']) rmSync(join(this.dir, `tilld.db${end}`), { force: true });
    copyFileSync(join(this.dir, 'copy.db'), join(this.dir, 'tilld.db'));
    await this.open();
    this.#world?.clock.advance(Math.max(0, passed - this.#now));
  }
}

it(
  'no address is given out twice, whatever happens to lists, shops and copies of the database',
  async () => {
    let orders = 0;
    let cold = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 80 }), async (steps) => {
        const play = new Play();
        try {
          await play.open();
          for (const one of [...BEGIN, ...steps]) await play.play(one);
          orders += play.orders;
          cold += [...play.given.keys()].filter((key) =>
            COINS.some((coin) => COLD[coin].some((address) => address.toLowerCase() === key)),
          ).length;
        } finally {
          await play.end();
        }
      }),
      { numRuns: RUNS },
    );
    // The rule is tested: lists were in use.
    expect(cold).toBeGreaterThan(2 * RUNS);
    expect(orders).toBeGreaterThan(cold);
  },
  TIMEOUT_MS,
);
