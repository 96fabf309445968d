import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface Message {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Decides what becomes of a request: an answer, or null to close the connection without one. */
export type Handle = (message: Message, forward: () => Promise<Answer>) => Promise<Answer | null>;

/** An HTTP server on loopback that hands requests on to another one, as `handle` decides. */
export class Forwarder implements AsyncDisposable {
  readonly #server: Server;
  readonly #handle: Handle;
  target: string;

  private constructor(target: string, handle: Handle) {
    this.target = target;
    this.#handle = handle;
    this.#server = createServer((incoming, outgoing) => {
      void this.#serve(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  static async start(target: string, handle: Handle): Promise<Forwarder> {
    const forwarder = new Forwarder(target, handle);
    forwarder.#server.listen(0, '127.0.0.1');
    await once(forwarder.#server, 'listening');
    return forwarder;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sends a message to the target, as it came. */
  async forward(message: Message): Promise<Answer> {
    const { method, path, headers, body } = message;
    const outgoing = request(new URL(path, this.target), {
      method,
      headers: { ...headers, connection: 'close' },
    });
    outgoing.end(body);
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    return {
      status: incoming.statusCode ?? 502,
      headers: incoming.headers,
      body: Buffer.concat(await incoming.toArray()),
    };
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const message: Message = {
      method: incoming.method ?? 'GET',
      path: incoming.url ?? '/',
      headers: incoming.headers,
      body: Buffer.concat(await incoming.toArray()),
    };
    const answer = await this.#handle(message, () => this.forward(message));
    if (answer === null) {
      outgoing.destroy();
      return;
    }
    const { 'transfer-encoding': _chunked, connection: _connection, ...headers } = answer.headers;
    outgoing.writeHead(answer.status, { ...headers, 'content-length': String(answer.body.length) });
    outgoing.end(answer.body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await Promise.resolve();
  }
}
