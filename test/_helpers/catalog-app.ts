/** The API with a catalog and sandbox payments, over a real socket and a real SQLite file. */
import { createSecretBox } from '../../src/wallet/secret-box.ts';
import { createSimulator } from '../../src/chains/simulator/simulator.ts';
import type { ChainAdapter } from '../../src/domain/chain.ts';
import { COINS, type Coin } from '../../src/domain/coins.ts';
import { AppError } from '../../src/domain/errors.ts';
import { paymentRoutes } from '../../src/http/routes/payments.ts';
import { priceRoutes } from '../../src/http/routes/prices.ts';
import { productRoutes } from '../../src/http/routes/products.ts';
import { createChainIndex } from '../../src/store/watch/chain-index.ts';
import { createSimulatorStore } from '../../src/store/simulator.ts';
import type { CreatePaymentDeps } from '../../src/usecases/payments/create-payment.ts';
import { createWallet } from '../../src/wallet/derivation.ts';
import { startHttpApp, type HttpApp } from './http-app.ts';

export interface CatalogApp {
  readonly app: HttpApp;
  readonly rates: TestRates;
}

const USD_PER_COIN: Readonly<Record<Coin, string>> = { BTC: '100000', ETH: '4000', LTC: '100', SOL: '200' };

/** Rates of dollars and yen only, that a test can step into while a payment waits for them. */
export class TestRates {
  /** Every currency asked for, in order. */
  readonly asked: string[] = [];
  /** Runs once, while the next payment waits for its rates. */
  meanwhile: (() => Promise<unknown>) | null = null;

  async ensure(currency: string): Promise<void> {
    this.asked.push(currency);
    const work = this.meanwhile;
    this.meanwhile = null;
    await work?.();
  }

  quote(coin: Coin, currency: string) {
    const rate = { USD: USD_PER_COIN[coin], JPY: `${USD_PER_COIN[coin]}00` }[currency];
    if (rate === undefined) throw new AppError('RATE_UNAVAILABLE', `No fresh rate of ${currency}`);
    return { coin, currency, rate, sources: ['fixed'], at: Date.now() };
  }
}

export async function startCatalogApp(): Promise<CatalogApp> {
  const started: { app?: HttpApp; payments?: CreatePaymentDeps } = {};
  const rates = new TestRates();
  const app = (): HttpApp => {
    if (started.app === undefined) throw new Error('the app is still starting');
    return started.app;
  };
  const payments = (): CreatePaymentDeps => (started.payments ??= paymentDeps(app(), rates));
  const clock = { now: () => app().now() };
  // The database exists once the app runs, its routes before that: they look it up when called.
  const catalog = {
    clock,
    get db() {
      return app().db;
    },
    get secretBox() {
      return createSecretBox(app().keyring);
    },
  };
  const late = new Proxy({} as CreatePaymentDeps, {
    get: (_target, name: keyof CreatePaymentDeps) => payments()[name],
  });
  started.app = await startHttpApp({
    extraRoutes: [
      ...productRoutes(catalog),
      ...priceRoutes(catalog),
      ...paymentRoutes(late, () => undefined),
    ],
  });
  return { app: started.app, rates };
}

function paymentDeps(app: HttpApp, rates: TestRates): CreatePaymentDeps {
  const { db, keyring } = app;
  const clock = { now: () => app.now() };
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const store = createSimulatorStore(db);
  const adapters = new Map<Coin, ChainAdapter>();
  for (const coin of COINS) {
    const index = createChainIndex(db, { coin, mode: 'sandbox' });
    const simulator = createSimulator({ coin, store, index, clock, logger, blockIntervalMs: 3_600_000 });
    adapters.set(coin, simulator.adapter);
  }
  const adapter = (coin: Coin): ChainAdapter => {
    const found = adapters.get(coin);
    if (found === undefined) throw new Error(`no simulated ${coin}`);
    return found;
  };
  return {
    db,
    clock,
    logger,
    rates,
    chains: { get: (coin, mode) => (mode === 'sandbox' ? adapter(coin) : null) },
    deriver: createWallet({ keyring, liveNetwork: 'regtest' }),
    toWatchKey: ({ coin }, address) => adapter(coin).watchKey(address),
    baseUrl: app.baseUrl,
    confirmations: () => ({ base: 1, tiers: [] }),
    wakeWebhooks: () => {},
    onPaymentChanged: () => {},
    webhookUrlRule: () => null,
  };
}
