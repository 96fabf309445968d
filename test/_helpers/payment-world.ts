/** A shop that takes BTC and LTC on scripted chains, on a real database, with followers a test steps. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Coin, Network } from '../../src/domain/coins.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { Logger } from '../../src/domain/ports.ts';
import type { LatePolicy } from '../../src/domain/payment/types.ts';
import { createCustomer } from '../../src/usecases/customers/create-customer.ts';
import { createPayment, type CreatePaymentDeps } from '../../src/usecases/payments/create-payment.ts';
import { expirePayments } from '../../src/usecases/payments/expire-payments.ts';
import { ExpiryBalanceCheck } from '../../src/usecases/payments/expiry-balance-check.ts';
import { getPayment } from '../../src/usecases/payments/get-payment.ts';
import type { PaymentView } from '../../src/usecases/payments/present-payment.ts';
import { ChainFollower } from '../../src/workers/chain-watcher/chain-follower.ts';
import { ScriptedChain } from './scripted-chain.ts';
import { openWalletWorld, silent, type WalletWorld } from './wallet-world.ts';
import { SECRET_KEY } from './secret-key.ts';

export const MINUTE = 60_000;

export interface PaymentWorldOptions {
  readonly network?: Network;
  readonly latePolicy?: LatePolicy;
  readonly logger?: Logger;
}

export type PaymentDeps = CreatePaymentDeps & WalletWorld['deps'];

export class PaymentWorld {
  readonly wallet: WalletWorld;
  readonly chains: Readonly<Record<'BTC' | 'LTC', ScriptedChain>>;
  readonly deps: PaymentDeps;
  /** US dollars per coin; null: no source answers. */
  rate: string | null = '100';
  /** A currency that no source knows. */
  unpriced: string | null = null;
  /** Payments that were said to look different now, in order. */
  readonly news: string[] = [];
  readonly #network: Network;
  readonly #customerId: string;
  readonly #remove: () => void;
  #followers: Map<Coin, ChainFollower>;
  #orders = 0;

  constructor(parts: {
    wallet: WalletWorld;
    chains: PaymentWorld['chains'];
    customerId: string;
    options: PaymentWorldOptions;
    remove: () => void;
  }) {
    this.wallet = parts.wallet;
    this.chains = parts.chains;
    this.#network = parts.options.network ?? 'regtest';
    this.#customerId = parts.customerId;
    this.#remove = parts.remove;
    this.deps = {
      ...parts.wallet.deps,
      logger: parts.options.logger ?? silent,
      baseUrl: 'http://localhost',
      onPaymentChanged: (paymentId) => void this.news.push(paymentId),
      rates: {
        quote: (coin, currency) => {
          if (this.rate === null || currency === this.unpriced)
            throw new AppError('RATE_UNAVAILABLE', 'no source');
          return { coin, currency, rate: this.rate, sources: ['test'], at: this.now() };
        },
        ensure: async () => {},
      },
      confirmations: () => ({ base: 2, tiers: [] }),
      toWatchKey: (_chain, address) => address,
      webhookUrlRule: () => null,
    };
    this.#followers = this.#newFollowers();
  }

  now(): number {
    return this.wallet.clock.now();
  }

  advance(ms: number): void {
    this.wallet.clock.advance(ms);
  }

  follower(coin: Coin): ChainFollower {
    const follower = this.#followers.get(coin);
    if (follower === undefined) throw new Error(`${coin} is not followed`);
    return follower;
  }

  /** One look at every chain, to its end. */
  async poll(...coins: readonly Coin[]): Promise<void> {
    for (const coin of coins.length === 0 ? this.#followers.keys() : coins) {
      for (let round = 0; (await this.follower(coin).round()) && round < 20; round += 1);
    }
  }

  /** What a new process knows of the chains: nothing but the database. */
  restart(): void {
    this.#followers = this.#newFollowers();
  }

  async order(
    more: {
      orderId?: string;
      amount?: string;
      allowed?: readonly Coin[];
      confirmations?: Partial<Record<Coin, number>>;
    } = {},
  ): Promise<PaymentView> {
    this.#orders += 1;
    const orderId = more.orderId ?? `order-${this.#orders}`;
    const merchant = await this.wallet.db.selectFrom('merchants').selectAll().executeTakeFirstOrThrow();
    const { payment } = await createPayment(this.deps, {
      merchant,
      price: { kind: 'amount', amount: more.amount ?? '50.00', currency: 'USD' },
      payer: { kind: 'customer', customerId: this.#customerId },
      locale: null,
      description: null,
      lines: [],
      lifetimeMinutes: null,
      confirmations: more.confirmations ?? {},
      actor: SECRET_KEY,
      isPublic: false,
      orderId,
      metadata: null,
      customFields: null,
      webhookUrl: null,
      orderLabel: null,
      successUrl: null,
      returnUrl: null,
      allowedCryptos: more.allowed ?? [],
      requestHash: orderId,
      linkId: null,
      counterId: null,
      tip: null,
    });
    return payment;
  }

  async expire(): Promise<number> {
    return expirePayments({
      ...this.deps,
      finalCheck: new ExpiryBalanceCheck(this.deps),
      seenThrough: (coin) => this.#followers.get(coin)?.seenThrough() ?? null,
    });
  }

  async payment({ id }: { id: string }): Promise<PaymentView> {
    return getPayment(this.deps, { merchantId: this.wallet.merchant.id, paymentId: id });
  }

  async eventsOf({ id }: { id: string }): Promise<string[]> {
    const view = await this.payment({ id });
    return view.timeline.map((entry) => entry.type.replace('payment.', ''));
  }

  async close(): Promise<void> {
    await this.wallet.close();
    this.#remove();
  }

  #newFollowers(): Map<Coin, ChainFollower> {
    const options = { pollIntervalMs: 1_000, maxBackoffMs: 1_000, statusEveryMs: 1_000 };
    const coins = ['BTC', 'LTC'] as const;
    return new Map(
      coins.map((coin) => {
        const adapter = this.chains[coin].adapter(coin, this.#network);
        return [coin, new ChainFollower(this.deps, adapter, options)];
      }),
    );
  }
}

export function addressOf(payment: PaymentView, coin: Coin): string {
  const option = payment.options[coin];
  if (option === undefined) throw new Error(`the payment takes no ${coin}`);
  return option.address;
}

export async function openPaymentWorld(options: PaymentWorldOptions = {}): Promise<PaymentWorld> {
  const dir = mkdtempSync(join(tmpdir(), 'tilld-payments-'));
  const old = Date.now() - 24 * 60 * MINUTE;
  const chains = { BTC: new ScriptedChain(old), LTC: new ScriptedChain(old) };
  const wallet = await openWalletWorld({
    dir,
    mode: 'live',
    connect: () => [chains.BTC.adapter('BTC', options.network), chains.LTC.adapter('LTC', options.network)],
  });
  if (options.latePolicy !== undefined) {
    await wallet.db.updateTable('merchants').set({ latePolicy: options.latePolicy }).execute();
  }
  const customer = await createCustomer(wallet.deps, {
    userId: wallet.merchant.userId,
    email: 'payer@example.com',
    metadata: {},
  });
  return new PaymentWorld({
    wallet,
    chains,
    customerId: customer.id,
    options,
    remove: () => rmSync(dir, { recursive: true, force: true }),
  });
}
