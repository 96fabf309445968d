/** Shops whose ETH and SOL orders are paid to lists of addresses of cold wallets. */
import type { MerchantRow } from '../../src/store/schema/merchants.ts';
import { allocateAddresses } from '../../src/usecases/addresses/allocate-address.ts';
import { confirmWatch } from '../../src/usecases/watch/confirm-watch.ts';
import { proposeList } from '../../src/usecases/watch/propose-list.ts';
import { listWatched, type WatchView } from '../../src/usecases/watch/view-watch.ts';
import type { WatchDeps } from '../../src/usecases/watch/watch-deps.ts';
import { findListedProblem } from '../../src/wallet/listed-address.ts';
import type { WalletWorld } from './wallet-world.ts';

export type ListCoin = 'ETH' | 'SOL';

export class ListShop {
  readonly world: WalletWorld;
  readonly merchant: MerchantRow;

  constructor(world: WalletWorld, merchant: MerchantRow = world.merchant) {
    this.world = world;
    this.merchant = merchant;
  }

  get deps(): WalletWorld['deps'] & WatchDeps {
    const secretBox = { seal: (plain: string) => plain, open: (sealed: string) => sealed };
    return { ...this.world.deps, secretBox, findListedProblem };
  }

  get #ref() {
    return { userId: this.merchant.userId, merchantId: this.merchant.id };
  }

  async propose(coin: ListCoin, addresses: readonly string[]): Promise<WatchView> {
    return proposeList(this.deps, { ...this.#ref, coin, addresses });
  }

  async confirm(id: string): Promise<WatchView> {
    return confirmWatch(this.deps, { ...this.#ref, id });
  }

  /** Watches a list, also after a delay. */
  async watch(coin: ListCoin, addresses: readonly string[]): Promise<WatchView> {
    const view = await this.confirm((await this.propose(coin, addresses)).id);
    if (view.state === 'pending') this.world.clock.advance(this.world.deps.policy.forwardDelayMs);
    return view;
  }

  ref<C extends ListCoin>(coin: C) {
    return { ...this.#ref, coin };
  }

  async view(id: string): Promise<WatchView> {
    const found = (await listWatched(this.deps, this.merchant)).find((one) => one.id === id);
    if (found === undefined) throw new Error('no such list');
    return found;
  }

  /** Gives out the address of the next order. */
  async nextOrder(coin: ListCoin): Promise<string> {
    const { id: merchantId, account } = this.merchant;
    const { mode } = this.world;
    const at = { merchantId, account, mode, branch: 0, purpose: 'payment', paymentId: null } as const;
    const toWatchKey = (_chain: unknown, address: string) => this.world.adapter(coin).watchKey(address);
    const [row] = await this.world.db.transaction(async (tx) =>
      allocateAddresses(tx, { ...this.deps, toWatchKey }, at, [coin]),
    );
    return row?.address ?? '';
  }

  async nextOrders(coin: ListCoin, count: number): Promise<string[]> {
    const addresses: string[] = [];
    for (let made = 0; made < count; made += 1) addresses.push(await this.nextOrder(coin));
    return addresses;
  }
}
