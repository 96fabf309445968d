/** Money that an address of a watched account received before an order got it: it pays no order. */
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainAdapter } from '../../../src/domain/chain.ts';
import { requestOnlineRescan } from '../../../src/usecases/chain-sync/request-online-rescan.ts';
import { rereadBlocks } from '../../../src/usecases/chain-sync/reread-blocks.ts';
import { rescanChain } from '../../../src/usecases/chain-sync/rescan-chain.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { confirmWatch } from '../../../src/usecases/watch/confirm-watch.ts';
import { proposeWatch } from '../../../src/usecases/watch/propose-watch.ts';
import { listWatched } from '../../../src/usecases/watch/view-watch.ts';
import { findListedProblem } from '../../../src/wallet/listed-address.ts';
import { outputFunds } from '../../_helpers/output-funds.ts';
import { addressOf, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, unconfirmed } from '../../_helpers/scripted-chain.ts';

const DUE = 50_000_000n;
const DAY_MS = 86_400_000;
const VERSIONS = { private: 0x04_35_83_94, public: 0x04_35_87_cf };
const ACCOUNT = HDKey.fromMasterSeed(mnemonicToSeedSync(`${'abandon '.repeat(11)}about`), VERSIONS).derive(
  "m/84'/1'/0'",
);

type Coin = 'BTC' | 'LTC';

/** A shop that watches an account, whose addresses the account may have used before. */
class Watching {
  readonly coin: Coin;
  readonly world: PaymentWorld;
  addresses: readonly string[] = [];

  constructor(world: PaymentWorld, coin: Coin) {
    this.world = world;
    this.coin = coin;
  }

  get chain() {
    return this.world.chains[this.coin];
  }

  /** The node's clock is a day ahead, so that only block heights give the order of events. */
  mine(credits: Parameters<PaymentWorld['chains']['BTC']['mine']>[1] = []): void {
    this.chain.mine(this.world.now() + DAY_MS, credits);
  }

  mineMany(count: number): void {
    for (let block = 0; block < count; block += 1) this.mine();
  }

  get deps() {
    const secretBox = { seal: (plain: string) => plain, open: (sealed: string) => sealed };
    return { ...this.world.deps, secretBox, findListedProblem };
  }

  async watch(): Promise<void> {
    const { userId, id: merchantId } = this.world.wallet.merchant;
    const ref = { userId, merchantId };
    const { id, addresses } = await proposeWatch(this.deps, {
      ...ref,
      coin: this.coin,
      xpub: ACCOUNT.publicExtendedKey,
    });
    await confirmWatch(this.deps, { ...ref, id });
    this.addresses = addresses;
  }

  async order(): Promise<PaymentView> {
    const payment = await this.world.order({ allowed: [this.coin] });
    expect(this.addresses).toContain(addressOf(payment, this.coin));
    return payment;
  }

  adapter(): ChainAdapter {
    const { height, hash } = this.chain.tip;
    const scanUnspent = async () => ({ tip: { height, hash }, outputs: [], isComplete: true });
    return { ...this.chain.adapter(this.coin), funds: outputFunds(scanUnspent) };
  }

  /** `tillctl rescan` while the daemon runs. */
  async rescanOnline(): Promise<void> {
    await requestOnlineRescan(this.world.deps.db, this.adapter(), 1);
    for (let call = 0; !(await rereadBlocks(this.world.deps, this.adapter())); call += 1)
      expect(call).toBeLessThan(100);
  }

  /** `tillctl rescan` without the daemon. */
  async rescan(height = 0): Promise<void> {
    await rescanChain(this.world.deps, this.adapter(), { height });
    this.world.restart();
    for (let poll = 0; poll < 30; poll += 1) await this.world.poll(this.coin);
  }

  async received(payment: PaymentView): Promise<string | undefined> {
    return (await this.world.payment(payment)).options[this.coin]?.received;
  }

  async balance(): Promise<string | undefined> {
    return (await listWatched(this.deps, this.world.wallet.merchant)).find(({ coin }) => coin === this.coin)
      ?.balance;
  }
}

describe.each(['BTC', 'LTC'] as const)('a watched account of %s', (coin) => {
  let shop: Watching;
  beforeEach(async () => {
    shop = new Watching(await openPaymentWorld(), coin);
    await shop.world.poll();
    await shop.watch();
  });
  afterEach(async () => shop.world.close());

  const used = () => shop.addresses[0] ?? '';

  it('does not credit an order with earlier money that an online rescan finds', async () => {
    shop.mine([creditTo(used(), DUE)]);
    shop.mineMany(4);
    await shop.world.poll(coin);
    const order = await shop.order();
    await shop.rescanOnline();
    expect(await shop.world.payment(order)).toMatchObject({ status: 'pending' });
    expect([await shop.received(order), await shop.balance()]).toEqual(['0', '0.5']);
    // The payer's own money in the next block, in spite of the clock.
    shop.mine([creditTo(used(), DUE)]);
    shop.mineMany(2);
    await shop.world.poll(coin);
    await shop.rescanOnline();
    expect(await shop.world.payment(order)).toMatchObject({ status: 'completed', exception: null });
    expect(await shop.balance()).toBe('1');
  });

  it('does not credit an order with money far below its block after a rescan, and leaves it out after a reorg', async () => {
    const earlier = creditTo(used(), DUE);
    shop.mine([earlier]);
    shop.mineMany(110);
    for (let poll = 0; poll < 8; poll += 1) await shop.world.poll(coin);
    const order = await shop.order();
    await shop.rescan();
    expect([await shop.received(order), await shop.balance()]).toEqual(['0', '0.5']);
    // Mined again above the order's block, it stays the wallet's own.
    shop.chain.drop(111);
    shop.chain.unconfirmed = [unconfirmed(earlier)];
    shop.mineMany(112);
    for (let poll = 0; poll < 8; poll += 1) await shop.world.poll(coin);
    expect(await shop.received(order)).toBe('0');
    shop.chain.unconfirmed = [];
    shop.mine([earlier]);
    await shop.world.poll(coin);
    expect([await shop.received(order), await shop.balance()]).toEqual(['0', '0.5']);
  });

  it('credits money that a reorg mines at or below the block of the order', async () => {
    shop.mineMany(3);
    await shop.world.poll(coin);
    const order = await shop.order();
    shop.mineMany(1);
    await shop.world.poll(coin);
    shop.chain.drop(3);
    shop.mine();
    shop.mine([creditTo(used(), DUE)]);
    shop.mineMany(3);
    await shop.world.poll(coin);
    await shop.rescanOnline();
    expect(await shop.world.payment(order)).toMatchObject({ status: 'completed' });
  });

  it('keeps money that it saw after the order, whatever block holds it later', async () => {
    shop.mineMany(120);
    for (let poll = 0; poll < 8; poll += 1) await shop.world.poll(coin);
    const order = await shop.order();
    const paid = creditTo(used(), DUE);
    shop.chain.unconfirmed = [unconfirmed(paid)];
    await shop.world.poll(coin);
    expect(await shop.received(order)).toBe('0.5');
    shop.chain.unconfirmed = [];
    shop.chain.drop(119);
    shop.mine([paid]);
    shop.mineMany(122);
    for (let poll = 0; poll < 8; poll += 1) await shop.world.poll(coin);
    await shop.rescan();
    expect(await shop.world.payment(order)).toMatchObject({ status: 'completed' });
  });

  it('credits whatever a rescan finds where the block of the order is unknown', async () => {
    shop.mine([creditTo(used(), DUE)]);
    shop.mineMany(4);
    await shop.world.poll(coin);
    const order = await shop.order();
    await shop.world.deps.db.deleteFrom('address_tips').execute();
    await shop.rescanOnline();
    expect(await shop.world.payment(order)).toMatchObject({ status: 'completed' });
  });
});

it('recordObservations credits orders of a watched account with later blocks alone, whatever the order of events', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constantFrom('order' as const, 'mine' as const, 'rescan' as const) }),
    fc.record({ do: fc.constant('pay' as const), to: fc.nat(3) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), async (steps) => {
      const shop = new Watching(await openPaymentWorld(), 'BTC');
      try {
        await shop.world.poll();
        await shop.watch();
        const due = new Map<string, { order: PaymentView; atoms: bigint }>();
        for (const one of [...steps, { do: 'rescan' } as const]) {
          if (one.do === 'order' && due.size < shop.addresses.length) {
            const order = await shop.order();
            due.set(addressOf(order, 'BTC'), { order, atoms: 0n });
          } else if (one.do === 'pay') {
            const address = shop.addresses[one.to] ?? '';
            // So little that no order is ever paid, and each still collects.
            shop.mine([creditTo(address, 1_000n)]);
            const paid = due.get(address);
            if (paid !== undefined) paid.atoms += 1_000n;
          } else if (one.do === 'mine') shop.mine();
          else if (shop.chain.tip.height > 0) {
            await shop.world.poll('BTC');
            await shop.rescanOnline();
          }
          await shop.world.poll('BTC');
        }
        for (const { order, atoms } of due.values())
          expect(BigInt(Math.round(Number(await shop.received(order)) * 1e8))).toBe(atoms);
      } finally {
        await shop.world.close();
      }
    }),
    { numRuns: 8 },
  );
}, 120_000);
