import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSolanaAdapter, type SolanaAdapterOptions } from '../../../src/chains/solana/adapter.ts';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { createCustomer } from '../../../src/usecases/customers/create-customer.ts';
import { createPayment, type CreatePaymentDeps } from '../../../src/usecases/payments/create-payment.ts';
import { expirePayments } from '../../../src/usecases/payments/expire-payments.ts';
import { ExpiryBalanceCheck } from '../../../src/usecases/payments/expiry-balance-check.ts';
import { getPayment } from '../../../src/usecases/payments/get-payment.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { ChainFollower } from '../../../src/workers/chain-watcher/chain-follower.ts';
import { SECRET_KEY } from '../secret-key.ts';
import { openWalletWorld, type WalletWorld } from '../wallet-world.ts';
import { SvmNode } from './node.ts';
import { Payer } from './payer.ts';

const POLL_MS = 5_000;
/** Slots in two polls of five seconds. */
const BLOCKS_PER_TWO_POLLS = 25;
const KEPT_BLOCKS = 2_000;

/** A shop that accepts SOL, its node, and a clock that only the test moves: hours pass in seconds. */
export class ShopHours implements AsyncDisposable {
  readonly node: SvmNode;
  readonly payer: Payer;
  readonly wallet: WalletWorld;
  readonly #deps: CreatePaymentDeps & WalletWorld['deps'];
  readonly #customerId: string;
  readonly #follower: ChainFollower;
  readonly #finalCheck: ExpiryBalanceCheck;
  readonly #dir: string;
  #polls = 0;
  #orders = 0;

  private constructor(parts: { node: SvmNode; wallet: WalletWorld; customerId: string; dir: string }) {
    this.node = parts.node;
    this.wallet = parts.wallet;
    this.#customerId = parts.customerId;
    this.#dir = parts.dir;
    this.payer = new Payer(parts.node);
    const { clock } = this.wallet;
    this.#deps = {
      ...parts.wallet.deps,
      rates: {
        quote: (coin, currency) => ({ coin, currency, rate: '100', sources: ['test'], at: clock.now() }),
        ensure: async () => {},
      },
      confirmations: () => ({ base: 32, tiers: [] }),
      toWatchKey: (_chain, address) => address,
      webhookUrlRule: () => null,
    };
    this.#finalCheck = new ExpiryBalanceCheck(this.#deps);
    this.#follower = new ChainFollower(this.#deps, this.wallet.adapter('SOL'), {
      pollIntervalMs: POLL_MS,
      maxBackoffMs: POLL_MS,
      statusEveryMs: 30_000,
    });
  }

  static async open(options: Pick<SolanaAdapterOptions, 'savesCalls'> = {}): Promise<ShopHours> {
    const dir = mkdtempSync(join(tmpdir(), 'tilld-shop-hours-'));
    const time = { now: Date.now };
    const node = await SvmNode.start({ keptBlocks: KEPT_BLOCKS, now: () => time.now() });
    const wallet = await openWalletWorld({
      dir,
      mode: 'live',
      connect: (context) => [
        createSolanaAdapter({
          network: 'regtest',
          rpcUrl: node.url,
          index: context.index({ coin: 'SOL', mode: 'live' }),
          clock: context.clock,
          logger: context.logger,
          ...options,
        }),
      ],
    });
    time.now = () => wallet.clock.now();
    const { userId } = wallet.merchant;
    const customer = await createCustomer(wallet.deps, { userId, email: 'payer@example.com', metadata: {} });
    return new ShopHours({ node, wallet, customerId: customer.id, dir });
  }

  /** One poll five seconds after the last: blocks, the follower's round, expiries. */
  async poll(): Promise<void> {
    this.wallet.clock.advance(POLL_MS);
    this.#polls += 1;
    const isEven = this.#polls % 2 === 0;
    this.node.advance(isEven ? Math.ceil(BLOCKS_PER_TWO_POLLS / 2) : Math.floor(BLOCKS_PER_TWO_POLLS / 2));
    await this.round();
    await expirePayments({
      ...this.#deps,
      finalCheck: this.#finalCheck,
      seenThrough: () => this.#follower.seenThrough(),
    });
  }

  /** The follower's round, on the chain as it is. */
  async round(): Promise<void> {
    while (await this.#follower.round());
  }

  async order(): Promise<PaymentView> {
    this.#orders += 1;
    const orderId = `order-${this.#orders}`;
    const { payment } = await createPayment(this.#deps, {
      merchant: this.wallet.merchant,
      price: { kind: 'amount', amount: '50.00', currency: 'USD' },
      payer: { kind: 'customer', customerId: this.#customerId },
      locale: null,
      description: null,
      lines: [],
      lifetimeMinutes: null,
      confirmations: {},
      actor: SECRET_KEY,
      isPublic: false,
      orderId,
      metadata: null,
      customFields: null,
      webhookUrl: null,
      orderLabel: null,
      successUrl: null,
      returnUrl: null,
      allowedCryptos: ['SOL'],
      requestHash: orderId,
      linkId: null,
      counterId: null,
      tip: null,
    });
    return payment;
  }

  /** Pays a payment in full, or another amount to its address. */
  pay(payment: PaymentView, amount?: bigint): string {
    const option = payment.options['SOL'];
    if (option === undefined) throw new Error('the payment does not offer SOL');
    const due = amount ?? parseCoinAmount(option.amount, 'SOL');
    return this.payer.pay([{ address: option.address, amount: due }]);
  }

  async payment({ id }: { id: string }): Promise<PaymentView> {
    return getPayment(this.#deps, { merchantId: this.wallet.merchant.id, paymentId: id });
  }

  /** Payments that closed at the present time without money. */
  async addClosed(count: number): Promise<void> {
    for (let made = 0; made < count; made += 1) await this.order();
    await this.wallet.db
      .updateTable('payments')
      .set({ status: 'expired', expiresAt: this.wallet.clock.now() })
      .where('status', '=', 'pending')
      .execute();
  }

  /** Calls by method while polling for so long; an order begins every so many polls, and most are paid. */
  async callsDuring(polls: number, pollsPerOrder = 0): Promise<Map<string, number>> {
    const before = this.node.calls.length;
    const unpaid: PaymentView[] = [];
    for (let at = 0; at < polls; at += 1) {
      if (pollsPerOrder > 0 && at % pollsPerOrder === 0) unpaid.push(await this.order());
      if (pollsPerOrder > 0 && at % pollsPerOrder === 5) {
        const next = unpaid.shift();
        // Four of five orders are paid.
        if (next !== undefined && (at / pollsPerOrder) % 5 >= 1) this.pay(next);
      }
      await this.poll();
    }
    const byMethod = Map.groupBy(this.node.calls.slice(before), (method) => method);
    return new Map([...byMethod].map(([method, calls]) => [method, calls.length]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.wallet.close();
    await this.node.stop();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
