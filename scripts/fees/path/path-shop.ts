/** Shops on one real node: each automatic action of the wallet has a shop of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../../src/domain/errors.ts';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { createCustomer } from '../../../src/usecases/customers/create-customer.ts';
import { editForward } from '../../../src/usecases/forwards/edit-forward.ts';
import { runForwards } from '../../../src/usecases/forwards/run-forwards.ts';
import { readForwards } from '../../../src/usecases/forwards/view-forward.ts';
import { createPayment } from '../../../src/usecases/payments/create-payment.ts';
import { claimRefundLink } from '../../../src/usecases/refunds/links/claim-link.ts';
import { createRefundLink } from '../../../src/usecases/refunds/links/create-link.ts';
import { sendClaims } from '../../../src/usecases/refunds/links/send-claims.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { bumpSends } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { fillNonceGaps } from '../../../src/usecases/wallet/lifecycle/fill-nonce-gaps.ts';
import { RetryBackoff } from '../../../src/usecases/wallet/lifecycle/retry-backoff.ts';
import { sendCoins } from '../../../src/usecases/wallet/send/send-coins.ts';
import { consolidateRound } from '../../../src/usecases/wallet/sweep/consolidate-rounds.ts';
import { createSweepBackoff } from '../../../src/usecases/wallet/sweep/sweep-backoff.ts';
import { sweepDeposits } from '../../../src/usecases/wallet/sweep/sweep-deposits.ts';
import { receiveBranchReader } from '../../../src/wallet/receive-branch.ts';
import { SECRET_KEY } from '../../../test/_helpers/secret-key.ts';
import { addMerchant, openWalletWorld, type WalletWorld } from '../../../test/_helpers/wallet-world.ts';
import type { PathChain } from './path-chain.ts';

export type Merchant = WalletWorld['merchant'];

const HOUR_MS = 3_700_000;
const NO_REST = { most: 100, restMs: 0, maxRestMs: 0 };
/** Atoms per 1,000 vB: TILLD_CONSOLIDATE_BELOW of the default. */
export const CONSOLIDATE_BELOW = 2_000n;
const USD = { BTC: '100000', ETH: '4000' } as const;

export class PathShop {
  readonly chain: PathChain;
  readonly world: WalletWorld;
  readonly #dir: string;
  readonly #claimBackoff: RetryBackoff;
  readonly #forwardBackoff: RetryBackoff;
  readonly #sweepBackoff;
  #orders = 0;

  private constructor(chain: PathChain, world: WalletWorld, dir: string) {
    this.chain = chain;
    this.world = world;
    this.#dir = dir;
    this.#claimBackoff = new RetryBackoff(world.clock, NO_REST);
    this.#forwardBackoff = new RetryBackoff(world.clock, NO_REST);
    this.#sweepBackoff = createSweepBackoff(world.clock);
  }

  static async open(chain: PathChain): Promise<PathShop> {
    const dir = mkdtempSync(join(tmpdir(), 'tilld-fee-path-'));
    const policy = { consolidateBelowRate: CONSOLIDATE_BELOW, forwardDelayMs: 0 };
    const connect = (context: Parameters<PathChain['connect']>[0]) => [chain.connect(context)];
    const world = await openWalletWorld({ dir, mode: 'live', policy, connect });
    const quote = () => ({
      coin: chain.coin,
      currency: 'USD',
      rate: USD[chain.coin],
      sources: ['fixed'],
      at: world.clock.now(),
    });
    world.deps = { ...world.deps, rates: { quote, ensure: async () => {} } };
    const shop = new PathShop(chain, world, dir);
    await shop.sync();
    return shop;
  }

  async close(): Promise<void> {
    await this.world.close();
    rmSync(this.#dir, { recursive: true, force: true });
    await this.chain.stop();
  }

  async newMerchant(): Promise<Merchant> {
    return addMerchant(this.world.deps, 'live');
  }

  async sync(): Promise<void> {
    await this.world.sync(this.chain.coin);
  }

  /** The shop's own address. */
  address({ account }: Merchant): string {
    return this.world.deps.deriver.address({
      coin: this.chain.coin,
      mode: 'live',
      account,
      branch: 0,
      index: 0,
    });
  }

  async fund(merchant: Merchant, ...amounts: string[]): Promise<void> {
    const atoms = amounts.map((amount) => parseCoinAmount(amount, this.chain.coin));
    await this.chain.pay(this.address(merchant), atoms);
    await this.sync();
  }

  /** What the daemon does within an hour. */
  async round(): Promise<void> {
    const { deps, clock } = this.world;
    const chain = this.world.chain(this.chain.coin);
    clock.advance(HOUR_MS);
    await advanceSends(deps, chain);
    await bumpSends(deps, chain);
    await consolidateRound(deps, chain);
    await fillNonceGaps(deps, chain, this.#sweepBackoff);
    await sweepDeposits(deps, chain, this.#sweepBackoff);
    await sendClaims({ ...deps, claimBackoff: this.#claimBackoff });
    const forwards = { ...this.#forwardDeps(), forwardBackoff: this.#forwardBackoff };
    await runForwards(forwards, new AbortController().signal);
  }

  async block(): Promise<void> {
    await this.chain.mine();
    await this.sync();
  }

  /** The id of the send, or the code of the refusal. */
  async send(
    merchant: Merchant,
    amount: string,
    maxFee?: string,
  ): Promise<{ id: string } | { refused: string }> {
    const { coin } = this.chain;
    const destination = await this.chain.stranger();
    const order = { merchant, coin, amount, destination, idempotencyKey: null };
    try {
      return await sendCoins(this.world.deps, { ...order, ...(maxFee === undefined ? {} : { maxFee }) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { refused: error.code };
    }
  }

  /** A paid order. */
  async paid(merchant: Merchant, usd: string): Promise<string> {
    const { id, address, atoms } = await this.newPayment(merchant, usd);
    await this.chain.pay(address, [atoms]);
    await this.sync();
    return id;
  }

  async newPayment(
    merchant: Merchant,
    usd: string,
  ): Promise<{ readonly id: string; readonly address: string; readonly atoms: bigint }> {
    const { coin } = this.chain;
    const deps = this.#paymentDeps();
    this.#orders += 1;
    const email = `payer-${this.#orders}@example.com`;
    const customer = await createCustomer(deps, { userId: merchant.userId, email, metadata: {} });
    const { payment } = await createPayment(deps, {
      merchant,
      price: { kind: 'amount', amount: usd, currency: 'USD' },
      payer: { kind: 'customer', customerId: customer.id },
      locale: null,
      description: null,
      lines: [],
      lifetimeMinutes: null,
      confirmations: {},
      actor: SECRET_KEY,
      isPublic: false,
      orderId: `order-${this.#orders}`,
      metadata: null,
      customFields: null,
      webhookUrl: null,
      orderLabel: null,
      successUrl: null,
      returnUrl: null,
      allowedCryptos: [coin],
      requestHash: `hash-${this.#orders}`,
      linkId: null,
      counterId: null,
      tip: null,
    });
    const option = payment.options[coin];
    if (option === undefined) throw new Error(`the order is not payable in ${coin}`);
    return { id: payment.id, address: option.address, atoms: parseCoinAmount(option.amount, coin) };
  }

  /** Refunds a paid order by a link, which the payer claims at once; the id of the link. */
  async claim(merchant: Merchant, paymentId: string): Promise<string> {
    const deps = this.#paymentDeps();
    const link = await createRefundLink(deps, {
      merchantId: merchant.id,
      paymentId,
      request: { kind: 'all' },
      coin: undefined,
      rate: 'received',
      expiresInDays: 30,
      approval: false,
      deductFee: false,
      reason: null,
    });
    const token = link.url?.split('/').at(-1) ?? '';
    const destination = await this.chain.stranger();
    await claimRefundLink(deps, { token, coin: this.chain.coin, destination });
    return link.id;
  }

  async forwardTo(
    merchant: Merchant,
    terms: { readonly keep: string; readonly threshold: string; readonly destination?: string },
  ): Promise<void> {
    const { id: merchantId, userId } = merchant;
    const { coin } = this.chain;
    const destination = terms.destination ?? (await this.chain.stranger());
    await editForward(this.#forwardDeps(), {
      userId,
      merchantId,
      coin,
      intervalMinutes: 60,
      ...terms,
      destination,
    });
  }

  async forwardStatus(
    merchant: Merchant,
  ): Promise<{ readonly status: string; readonly sendId: string | null }> {
    const [view] = await readForwards(this.#forwardDeps(), merchant);
    if (view === undefined) throw new Error('the shop has no rule');
    return { status: view.status, sendId: view.lastSendId };
  }

  #forwardDeps() {
    return { ...this.#paymentDeps(), readReceiveBranch: receiveBranchReader('regtest') };
  }

  #paymentDeps() {
    const { world } = this;
    return {
      ...world.deps,
      secretBox: { seal: (plain: string) => plain, open: (sealed: string) => sealed },
      toWatchKey: (_chain: object, address: string) => world.adapter(this.chain.coin).watchKey(address),
      webhookUrlRule: () => null,
      wakeWatcher: () => {},
      sendClaims: async () => {},
    };
  }
}
