import type { Router } from 'express';
import type { Registry } from 'prom-client';
import { simulatorControls } from './app-chains.ts';
import type { Upkeep } from './app-upkeep.ts';
import type { Simulator } from './chains/simulator/simulator.ts';
import type { Config } from './config/config.ts';
import { webDirectory } from './config/package-root.ts';
import type { DomainChecks } from './domain-checks/domain-checks.ts';
import type { Coin, Mode } from './domain/coins.ts';
import type { SecretBox } from './domain/keys.ts';
import type { Route } from './http/route.ts';
import { authRoutes } from './http/routes/auth.ts';
import { customerRoutes } from './http/routes/customers.ts';
import { createOrderCounter } from './http/order-counter.ts';
import { createFrames } from './http/pages/checkout/frames.ts';
import { CheckoutStreams } from './http/pages/checkout/streams.ts';
import { checkoutRouter } from './http/pages/checkout/router.ts';
import { dashboardRouter } from './http/pages/dashboard.ts';
import { assetsRouter, loadWebAssets } from './http/pages/web-assets.ts';
import { domainRoutes } from './http/routes/domains.ts';
import { keyRoutes } from './http/routes/keys.ts';
import { merchantRoutes } from './http/routes/merchants.ts';
import { paymentRoutes } from './http/routes/payments.ts';
import { priceRoutes } from './http/routes/prices.ts';
import { productRoutes } from './http/routes/products.ts';
import { rateRoutes } from './http/routes/rates.ts';
import { refundRoutes } from './http/routes/refunds.ts';
import { sandboxRoutes } from './http/routes/sandbox.ts';
import { volumeRoutes } from './http/routes/volume.ts';
import { walletOutputRoutes } from './http/routes/wallet-outputs.ts';
import { walletRoutes } from './http/routes/wallet.ts';
import { webhookRoutes } from './http/routes/webhooks.ts';
import { createHttpServer, type HttpServer } from './http/server.ts';
import type { Passwords } from './usecases/auth/passwords.ts';
import { createSignInGuard, noSignInGuard } from './usecases/auth/sign-in-guard.ts';
import type { Tokens } from './usecases/auth/tokens.ts';
import type { CreatePaymentDeps } from './usecases/payment/create-payment.ts';
import type { PaymentNews } from './usecases/payment/payment-news.ts';
import type { SendCoinsDeps } from './usecases/wallet/send-coins.ts';
import { readReadiness } from './watcher/readiness.ts';
import type { Watcher } from './watcher/watcher.ts';
import type { WebhookQueue } from './webhooks/queue.ts';

/** What the routes work with: the use cases' needs, and the running parts they talk to. */
interface HttpDeps extends CreatePaymentDeps, SendCoinsDeps {
  readonly rates: CreatePaymentDeps['rates'];
  readonly config: Config;
  readonly secretBox: SecretBox;
  readonly tokens: Tokens;
  readonly passwords: Passwords;
  readonly queue: WebhookQueue;
  readonly news: PaymentNews;
  readonly domainChecks: DomainChecks;
  readonly watcher: Watcher;
  readonly upkeep: Upkeep;
  readonly registry: Registry;
  readonly simulators: readonly Simulator[];
  readonly hasLiveCoin: boolean;
  readonly checkAnswers: boolean;
  readonly version: string;
  /** What concerns no chain and is worth an operator's look. */
  readonly warnings: () => readonly string[];
}

/** Every route of the API on one server, not listening yet. */
export function createHttp(deps: HttpDeps): HttpServer {
  const { config, db, clock, logger, secretBox, tokens, checkAnswers } = deps;
  const streams = new CheckoutStreams(createFrames(deps), logger);
  const server = createHttpServer({
    routes: routesOf(deps),
    db,
    clock,
    logger,
    secretBox,
    tokens,
    readiness: () =>
      readReadiness(
        db,
        () => deps.upkeep.chains(),
        () => deps.warnings(),
      ),
    registry: deps.registry,
    settings: {
      trustProxy: config.http.trustProxy,
      bodyLimitBytes: config.http.bodyLimitBytes,
      authRatePerMinute: config.auth.ratePerMinute,
      publicRatePerMinute: config.http.publicRatePerMinute,
      baseUrl: config.http.baseUrl,
      version: deps.version,
    },
    checkAnswers,
    tls: config.http.tls,
    pages: pagesOf(deps, streams),
  });
  return {
    ...server,
    close: async (graceMs) => {
      streams.close();
      await server.close(graceMs);
    },
  };
}

/** Dashboard and checkout, with the files that the build left beside it. */
function pagesOf(deps: HttpDeps, streams: CheckoutStreams): Router[] {
  const assets = loadWebAssets(webDirectory());
  if (assets.dashboard === null) deps.logger.warn({}, 'the web pages are not built: run npm run build');
  return [
    assetsRouter(assets),
    dashboardRouter(assets),
    checkoutRouter({ ...deps, ...simulation(deps), assets, streams }),
  ];
}

function simulation({ simulators, watcher }: HttpDeps) {
  return {
    simulators: simulatorControls(simulators),
    wakeWatcher: (coin: Coin, mode: Mode) => watcher.wake(coin, mode),
  };
}

function routesOf(deps: HttpDeps): Route[] {
  const { config } = deps;
  return [
    ...authRoutes({
      ...deps,
      baseUrl: config.http.baseUrl,
      registration: config.auth.registration,
      guard: config.auth.ratePerMinute === 0 ? noSignInGuard() : createSignInGuard(deps.clock),
    }),
    ...merchantRoutes({ ...deps, defaults: config.payments }),
    ...domainRoutes({ ...deps, checker: deps.domainChecks }),
    ...keyRoutes(deps),
    ...customerRoutes(deps),
    ...productRoutes(deps),
    ...priceRoutes(deps),
    ...paymentRoutes(deps, createOrderCounter(deps.registry)),
    ...refundRoutes(deps),
    ...volumeRoutes(deps),
    ...rateRoutes(deps),
    ...sandboxRoutes({ ...deps, ...simulation(deps) }),
    ...walletRoutes(deps),
    ...walletOutputRoutes(deps),
    ...webhookRoutes({ ...deps, attempts: deps.queue }),
  ];
}
