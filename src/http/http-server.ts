import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { createApis, type ApiDeps } from './api.ts';
import { createListener, type ListenAddress, type ListenerOptions } from './server/listener.ts';

export interface HttpServerDeps extends ApiDeps, Pick<ListenerOptions, 'tls' | 'timeouts'> {}

export interface HttpServer {
  /** The application of the public address. */
  readonly app: Express;
  /** @returns the actual addresses, for port 0; that of the operator if it is separate. */
  listen(at: ListenAddress): Promise<{ readonly public: AddressInfo; readonly operator: AddressInfo | null }>;
  /**
   * Accepts no more requests, lets the running ones finish, and after `graceMs` closes the remaining ones.
   */
  close(graceMs: number): Promise<void>;
}

export function createHttpServer(deps: HttpServerDeps): HttpServer {
  let closing = false;
  const { settings, logger, tls, timeouts } = deps;
  const apps = createApis({ ...deps, isClosing: () => closing });
  const common = { logger, ...(timeouts === undefined ? {} : { timeouts }) };
  const open = createListener(apps.public, { ...common, tls, settings: 'TILLD_HOST, TILLD_PORT' });
  // Plain HTTP, because it is meant for this machine or a network of the operator.
  const operator = createListener(apps.operator, { ...common, tls: null, settings: 'TILLD_ADMIN_LISTEN' });
  return {
    app: apps.public,
    listen: async (at) => {
      const { adminListen } = settings;
      const operatorAt = adminListen === null ? null : await operator.listen(adminListen);
      try {
        return { public: await open.listen(at), operator: operatorAt };
      } catch (error) {
        await operator.close(0);
        throw error;
      }
    },
    close: async (graceMs) => {
      closing = true;
      await Promise.all([open.close(graceMs), operator.close(graceMs)]);
    },
  };
}
