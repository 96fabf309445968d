/** Forwards of a wallet, driven by their use cases. */
import { isDescriptor } from '../../../src/domain/send/forward.ts';
import type { Coin } from '../../../src/domain/coins.ts';
import { editForward, type ForwardInput } from '../../../src/usecases/forwards/edit-forward.ts';
import { runForwards } from '../../../src/usecases/forwards/run-forwards.ts';
import { type ForwardView, readForwards } from '../../../src/usecases/forwards/view-forward.ts';
import { RetryBackoff } from '../../../src/usecases/wallet/lifecycle/retry-backoff.ts';
import { receiveBranchReader } from '../../../src/wallet/receive-branch.ts';
import type { WalletWorld } from '../../_helpers/wallet-world.ts';

/** BIP-84 account of other words, for the test networks. */
export const COLD_KEY =
  'vpub5Y6cjg78GGuNLsaPhmYsiw4gYX3HoQiRBiSwDaBXKUafCt9bNwWQiitDk5VZ5BVxYnQdwoTyXSs2JHRPAgjAvtbBrf8ZhDYe2jWAqvZVnsc';

export class ForwardWorld {
  readonly world: WalletWorld;
  readonly #backoff: RetryBackoff;
  /** Replaces dependencies, such as rates. */
  change: object = {};

  constructor(world: WalletWorld) {
    this.world = world;
    this.#backoff = new RetryBackoff(world.clock, { most: 10, restMs: 0, maxRestMs: 0 });
  }

  deps() {
    const secretBox = { seal: (plain: string) => plain, open: (sealed: string) => sealed };
    const readReceiveBranch = receiveBranchReader('regtest');
    return { ...this.world.deps, secretBox, readReceiveBranch, ...this.change };
  }

  /** Makes or changes the rule of a coin; a new destination takes effect at once. */
  async rule(coin: Coin, terms: Partial<ForwardInput> & { readonly to?: string }): Promise<ForwardView> {
    const { to, ...rest } = terms;
    const where = to === undefined ? {} : isKey(to) ? { descriptor: to } : { destination: to };
    const { merchant, deps, clock } = this.world;
    const input = { userId: merchant.userId, merchantId: merchant.id, coin, ...where, ...rest };
    const view = await editForward(this.deps(), input);
    if (view.pending !== null) clock.advance(deps.policy.forwardDelayMs);
    return view;
  }

  async run(): Promise<void> {
    await runForwards({ ...this.deps(), forwardBackoff: this.#backoff }, new AbortController().signal);
  }

  async view(coin: Coin): Promise<ForwardView> {
    const views = await readForwards(this.deps(), this.world.merchant);
    const found = views.find((view) => view.coin === coin);
    if (found === undefined) throw new Error(`${coin} is not forwarded`);
    return found;
  }

  /** The forwards so far, oldest first. */
  async made() {
    return this.world.db
      .selectFrom('sends')
      .selectAll()
      .where('reason', '=', 'forward')
      .orderBy('createdAt')
      .orderBy('id')
      .execute();
  }
}

function isKey(text: string): boolean {
  return isDescriptor(text) || /^[a-zA-Z]pub|^[a-zA-Z]tub/.test(text);
}
