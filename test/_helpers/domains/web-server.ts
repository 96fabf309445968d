import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A web server on a port of its own whose pages a test decides. */
export class WebServer {
  /** Every request as `host path`, without the port. */
  readonly requests: string[] = [];
  /** Answers every request; 404 by default. */
  handler: RequestListener = (_request, response) => void response.writeHead(404).end('not found');
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => {
      this.requests.push(`${(request.headers.host ?? '').replace(/:\d+$/, '')} ${request.url}`);
      response.on('error', () => undefined);
      this.handler(request, response);
    });
  }

  static async start(
    options: { tls?: { cert: string; key: string }; address?: string; port?: number } = {},
  ): Promise<WebServer> {
    const server = options.tls === undefined ? createServer() : createTlsServer(options.tls);
    server.listen(options.port ?? 0, options.address ?? '127.0.0.1');
    await once(server, 'listening');
    server.on('tlsClientError', () => undefined);
    return new WebServer(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Serves these paths and nothing else. */
  serve(pages: Readonly<Record<string, string>>): void {
    this.handler = (request, response) => {
      const page = pages[request.url ?? ''];
      response.writeHead(page === undefined ? 404 : 200).end(page ?? 'not found');
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
