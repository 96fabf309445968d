import { webDirectory } from '../config/package-root.ts';
import { createOrderCounter } from '../http/server/order-counter.ts';
import { createSnapshots } from '../http/checkout/snapshots.ts';
import { CheckoutEventStreams } from '../http/checkout/event-streams.ts';
import { loadWebAssets } from '../http/pages/web-assets.ts';
import { createHttpServer, type HttpServer } from '../http/http-server.ts';
import { readReadiness } from '../workers/chain-watcher/readiness.ts';
import { createPages, createRoutes } from './routes.ts';
import { type HttpDeps, routeDependencies } from './route-dependencies.ts';

/** Every route of the API on one server, not listening yet. */
export function createHttp(deps: HttpDeps): HttpServer {
  const { config, db, clock, logger, secretBox, tokens, checkAnswers } = deps;
  const of = routeDependencies(deps);
  db.database.onNewEvent = of.events.waiters.wake;
  const streams = new CheckoutEventStreams(createSnapshots(of.frames), logger);
  const assets = loadWebAssets(webDirectory());
  if (assets.dashboard === null) logger.warn({}, 'the web pages are not built: run npm run build');
  const countOrder = createOrderCounter(deps.registry);
  const server = createHttpServer({
    routes: createRoutes(of, countOrder),
    db,
    clock,
    logger,
    secretBox,
    tokens,
    readiness: async () => ({
      ...(await readReadiness(
        db,
        () => deps.upkeep.chains(),
        () => deps.warnings(),
      )),
      backup: deps.backup(),
      replica: deps.replica(),
      update: deps.update(),
    }),
    registry: deps.registry,
    settings: {
      trustProxy: config.http.trustProxy,
      bodyLimitBytes: config.http.bodyLimitBytes,
      authRatePerMinute: config.auth.ratePerMinute,
      publicRatePerMinute: config.http.publicRatePerMinute,
      accessLog: config.http.accessLog,
      adminListen: config.http.adminListen,
      baseUrl: config.http.baseUrl,
      version: deps.version,
    },
    checkAnswers,
    tls: deps.certificate,
    pages: createPages(of, streams, {
      assets,
      logger,
      publicPerMinute: config.http.publicRatePerMinute,
      countOrder,
    }),
    docsScript: assets.docsScript,
  });
  return {
    ...server,
    close: async (graceMs) => {
      streams.close();
      of.events.waiters.close();
      await server.close(graceMs);
    },
  };
}
