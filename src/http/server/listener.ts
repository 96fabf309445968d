import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Express } from 'express';
import type { Logger } from '../../domain/ports.ts';
import type { Certificate, KeyPair } from './certificate.ts';
import { answerMalformed } from './malformed-requests.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export interface ListenerOptions {
  readonly logger: Logger;
  /** Null for plain HTTP, behind a proxy that speaks TLS. */
  readonly tls: Certificate | null;
  /** Shorter limits for tests. */
  readonly timeouts?: Partial<typeof OPTIONS>;
  /** The settings of the address, for error messages. */
  readonly settings: string;
}

/** An application on a port. */
export interface Listener {
  /** @returns the actual address, for port 0. */
  listen(at: ListenAddress): Promise<AddressInfo>;
  /**
   * Accepts no more requests, lets the running ones finish, and after `graceMs` closes the remaining ones.
   */
  close(graceMs: number): Promise<void>;
}

/** Timeouts for the headers and the whole request, so that a slow client cannot hold a socket. */
const OPTIONS = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  // The application rejects a request without Host, in the form of the API.
  requireHostHeader: false,
} satisfies ServerOptions;
const IDLE_SWEEP_MS = 50;

export function createListener(app: Express, options: ListenerOptions): Listener {
  const server = serverFor(app, options);
  const sockets = trackSockets(server, options.tls !== null);
  answerMalformed(server, options.logger);
  // Node would reject an unknown expectation without the headers of other responses.
  server.on('checkExpectation', app);
  return {
    listen: async (at) => {
      await new Promise<void>((resolve, reject) => {
        const refused = (cause: Error): void => reject(listenError(cause, at, options.settings));
        server.once('error', refused);
        server.listen(at.port, at.host, () => {
          server.off('error', refused);
          resolve();
        });
      });
      return server.address() as AddressInfo;
    },
    close: async (graceMs) => closeServer(server, sockets, graceMs),
  };
}

function serverFor(app: Express, { tls, timeouts }: ListenerOptions): Server {
  const options = { ...OPTIONS, ...timeouts };
  if (tls === null) return createServer(options, app);
  const server: TlsServer = createTlsServer({ ...options, ...secureContext(tls.pair) }, app);
  // Open connections keep the certificate that they began with.
  tls.onRenewed((pair) => server.setSecureContext(secureContext(pair)));
  return server;
}

function secureContext(pair: KeyPair): KeyPair & { readonly minVersion: 'TLSv1.2' } {
  return { ...pair, minVersion: 'TLSv1.2' };
}

function listenError(cause: Error, { host, port }: ListenAddress, settings: string): Error {
  const isTaken = 'code' in cause && cause.code === 'EADDRINUSE';
  const why = isTaken ? 'another program listens there already' : cause.message;
  return new Error(`cannot listen on ${host}, port ${port} (${settings}): ${why}`, { cause });
}

interface Sockets {
  readonly all: ReadonlySet<Socket>;
  /** Connections without a request yet: Node does not count them as idle. */
  readonly unused: ReadonlySet<Socket>;
}

const keepIn = (sockets: Set<Socket>) => (socket: Socket) => {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
};

function trackSockets(server: Server, isTls: boolean): Sockets {
  const all = new Set<Socket>();
  const unused = new Set<Socket>();
  server.on('connection', keepIn(all));
  server.on(isTls ? 'secureConnection' : 'connection', keepIn(unused));
  server.on('request', (req) => unused.delete(req.socket));
  return { all, unused };
}

async function closeServer(server: Server, { all, unused }: Sockets, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  const endIdle = (): void => {
    server.closeIdleConnections();
    for (const socket of unused) socket.destroySoon();
  };
  endIdle();
  const sweep = setInterval(endIdle, IDLE_SWEEP_MS);
  const cut = setTimeout(() => {
    for (const socket of all) socket.destroy();
  }, graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
