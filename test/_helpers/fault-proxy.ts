import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * What becomes of one request: `drop` closes the connection before the daemon sees it, `drop-answer` after the daemon
 * has answered, `cut-answer` in the middle of the answer, `hang` never answers, a status answers in its place.
 */
export type Fault =
  | 'pass'
  | 'drop'
  | 'drop-answer'
  | 'cut-answer'
  | 'hang'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly at: number;
}

/** Stands before a daemon and does to each request in turn what it was told to; passes the rest. */
export class FaultProxy implements AsyncDisposable {
  readonly seen: Seen[] = [];
  readonly #server: Server;
  readonly #target: string;
  #faults: Fault[] = [];
  #heldUp: (() => void)[] = [];

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  static async start(target: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Faults of the next requests, in turn. */
  next(...faults: Fault[]): void {
    this.seen.length = 0;
    this.#faults = faults;
  }

  /** Ends once a request hangs. */
  async hanging(): Promise<void> {
    await new Promise<void>((resolve) => this.#heldUp.push(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    const body = await buffer(request);
    this.seen.push({ method, path: url, headers, at: Date.now() });
    const fault = this.#faults.shift() ?? 'pass';
    if (fault === 'drop') return void response.destroy();
    if (fault === 'hang') return this.#heldUp.splice(0).forEach((resolve) => resolve());
    if (typeof fault === 'object')
      return void response.writeHead(fault.status, fault.headers).end(fault.body);
    const { authorization, 'idempotency-key': key } = headers;
    const answer = await fetch(this.#target + url, {
      method,
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(typeof key === 'string' ? { 'idempotency-key': key } : {}),
        ...(body.length === 0 ? {} : { 'content-type': 'application/json' }),
      },
      ...(body.length === 0 ? {} : { body }),
    });
    const text = Buffer.from(await answer.arrayBuffer());
    if (fault === 'drop-answer') return void response.destroy();
    const told = Object.fromEntries(
      [...answer.headers].filter(([name]) =>
        /^(content-type|retry-after|x-request-id|idempotent-replayed)$/.test(name),
      ),
    );
    response.writeHead(answer.status, { ...told, 'content-length': text.length });
    if (fault === 'pass') return void response.end(text);
    response.write(text.subarray(0, text.length / 2), () => response.destroy());
  }
}
