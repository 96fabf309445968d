/** A shop on the sandbox network of all four coins, with the watcher running, on a real database. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSimulator } from '../../../src/chains/simulator/simulator.ts';
import { COINS, type Coin } from '../../../src/domain/coins.ts';
import type { RateQuote } from '../../../src/domain/ports.ts';
import type { SimulatorControl } from '../../../src/domain/simulator-control.ts';
import { createSimulatorStore } from '../../../src/store/simulator.ts';
import { createCustomer } from '../../../src/usecases/customers/create-customer.ts';
import { createPayment } from '../../../src/usecases/payments/create-payment.ts';
import {
  simulatePayment,
  type SimulatePaymentInput,
} from '../../../src/usecases/payments/simulate-payment.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { ChainFollower } from '../../../src/workers/chain-watcher/chain-follower.ts';
import { openWalletWorld, silent, type WalletWorld } from '../../_helpers/wallet-world.ts';
import { SECRET_KEY } from '../../_helpers/secret-key.ts';

const INITIAL_USD_RATES: Readonly<Record<Coin, string>> = {
  BTC: '100000',
  ETH: '3680.55',
  LTC: '100',
  SOL: '151.37',
};

export interface SandboxShop {
  readonly world: WalletWorld;
  /** USD for one coin, by which new payments are quoted and late money is valued. */
  readonly rates: Record<Coin, string>;
  control(coin: Coin): SimulatorControl;
  /** A payment of 50 USD, or of as many as are named. */
  order(allowedCryptos?: readonly Coin[], amount?: string): Promise<PaymentView>;
  simulate(
    payment: { id: string },
    wish: Omit<SimulatePaymentInput, 'merchantId' | 'paymentId'>,
  ): Promise<PaymentView>;
  /** Types of the payment's events in order. */
  eventsOf(payment: { id: string }): Promise<string[]>;
  /** Moves the clock and mints a block wherever something waits. */
  tick(): Promise<void>;
  close(): Promise<void>;
}

interface Simulated {
  readonly control: SimulatorControl;
  tick(): Promise<void>;
}

export async function openSandboxShop(): Promise<SandboxShop> {
  const dir = mkdtempSync(join(tmpdir(), 'tilld-sandbox-'));
  const simulators = new Map<Coin, Simulated>();
  const world = await openWalletWorld({
    dir,
    mode: 'sandbox',
    connect: (context) =>
      COINS.map((coin) => {
        const simulator = createSimulator({
          coin,
          store: createSimulatorStore(context.db),
          index: context.index({ coin, mode: 'sandbox' }),
          clock: context.clock,
          logger: silent,
          blockIntervalMs: 3_600_000,
        });
        simulators.set(coin, simulator);
        return simulator.adapter;
      }),
  });
  const rates = { ...INITIAL_USD_RATES };
  const deps = paymentDeps(world, rates, (coin) => simulators.get(coin)?.control ?? null);
  const followers = COINS.map(
    (coin) =>
      new ChainFollower(deps, world.adapter(coin), {
        pollIntervalMs: 10,
        maxBackoffMs: 10,
        statusEveryMs: 1_000,
      }),
  );
  for (const follower of followers) follower.start();
  const customer = await createCustomer(deps, {
    userId: world.merchant.userId,
    email: 'payer@example.com',
    metadata: {},
  });
  let orders = 0;
  return {
    world,
    rates,
    control: (coin) => {
      const found = simulators.get(coin);
      if (found === undefined) throw new Error(`no simulated ${coin}`);
      return found.control;
    },
    order: async (allowedCryptos = [], amount = '50.00') => {
      orders += 1;
      const { payment } = await createPayment(deps, {
        merchant: world.merchant,
        price: { kind: 'amount', amount, currency: 'USD' },
        payer: { kind: 'customer', customerId: customer.id },
        locale: null,
        description: null,
        lines: [],
        lifetimeMinutes: null,
        confirmations: {},
        actor: SECRET_KEY,
        isPublic: false,
        orderId: `order-${orders}`,
        metadata: null,
        customFields: null,
        webhookUrl: null,
        orderLabel: null,
        successUrl: null,
        returnUrl: null,
        allowedCryptos,
        requestHash: `hash-${orders}`,
        linkId: null,
        counterId: null,
        tip: null,
      });
      return payment;
    },
    simulate: async ({ id }, wish) =>
      simulatePayment(deps, { merchantId: world.merchant.id, paymentId: id, ...wish }),
    eventsOf: async ({ id }) => {
      const rows = await world.db
        .selectFrom('events')
        .select('type')
        .where('paymentId', '=', id)
        .orderBy('seq')
        .execute();
      return rows.map((row) => row.type.replace('payment.', ''));
    },
    tick: async () => {
      world.clock.advance(2_000);
      for (const simulator of simulators.values()) await simulator.tick();
    },
    close: async () => {
      await Promise.all(followers.map(async (follower) => follower.stop()));
      await world.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function paymentDeps(
  world: WalletWorld,
  usdRates: Readonly<Record<Coin, string>>,
  control: (coin: Coin) => SimulatorControl | null,
) {
  const quote = (coin: Coin): RateQuote => ({
    coin,
    currency: 'USD',
    rate: usdRates[coin],
    sources: ['fixed'],
    at: world.clock.now(),
  });
  return {
    ...world.deps,
    baseUrl: 'http://localhost:3000',
    rates: { quote, ensure: async () => {} },
    confirmations: () => ({ base: 2, tiers: [] }),
    toWatchKey: ({ coin }: { coin: Coin }, address: string) => world.adapter(coin).watchKey(address),
    simulators: { get: control },
    wakeWatcher: () => {},
    wakeWebhooks: () => {},
    webhookUrlRule: () => null,
  };
}
