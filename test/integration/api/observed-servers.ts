import { afterAll, vi } from 'vitest';
import * as httpServer from '../../../src/http/http-server.ts';
import type { Route } from '../../../src/http/server/route.ts';

export interface ObservedServers {
  readonly routes: Route[];
  readonly servers: httpServer.HttpServer[];
}

/**
 * The routes that the composition root hands to the server, as they are defined, and the servers: of daemons that the
 * test file starts from now on. Nothing is replaced as a module, so the file may share its process with others.
 */
export function observeServers(): ObservedServers {
  const observed: ObservedServers = { routes: [], servers: [] };
  const { createHttpServer } = httpServer;
  const spy = vi.spyOn(httpServer, 'createHttpServer').mockImplementation((deps) => {
    const server = createHttpServer(deps);
    observed.routes.push(...deps.routes);
    observed.servers.push(server);
    return server;
  });
  afterAll(() => spy.mockRestore());
  return observed;
}
