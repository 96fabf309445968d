import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { Faults } from './faults.ts';
import type { Method } from './methods.ts';
import { RpcError } from './rpc-error.ts';
import type { Subscriptions } from './subscriptions.ts';

const request = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
  method: z.string(),
  params: z.array(z.unknown()).optional(),
});

type Outcome =
  | { readonly kind: 'answer'; readonly body: object }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'cut' };

/** Balances are u64: they go out as exact numbers, whatever a double can hold. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

/** Where the server listens; a free port of 127.0.0.1 unless said otherwise. */
export interface Listening {
  readonly host?: string;
  readonly port?: number;
}

/** JSON-RPC over HTTP. Counts what it was asked. */
export class RpcServer {
  readonly #methods: Readonly<Record<string, Method>>;
  readonly #faults: Faults;
  readonly #subscriptions: Subscriptions;
  readonly #sockets = new Set<Socket>();
  readonly calls: string[] = [];
  #server: Server | null = null;
  readonly #host: string;
  #port: number;

  constructor(
    parts: { methods: Readonly<Record<string, Method>>; faults: Faults; subscriptions: Subscriptions },
    listening: Listening = {},
  ) {
    this.#methods = parts.methods;
    this.#faults = parts.faults;
    this.#subscriptions = parts.subscriptions;
    this.#host = listening.host ?? '127.0.0.1';
    this.#port = listening.port ?? 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens on the port it had before, if it had one. */
  async start(): Promise<void> {
    const server = createServer((incoming, outgoing) => void this.#serve(incoming, outgoing));
    server.on('upgrade', (incoming, socket, head) => this.#subscriptions.upgrade(incoming, socket, head));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, this.#host, resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const parsed = parseJson(await text(incoming).catch(() => ''));
    const outcomes = await Promise.all(
      (Array.isArray(parsed) ? parsed : [parsed]).map((each) => this.#answer(each)),
    );
    const bad = outcomes.find((outcome) => outcome.kind !== 'answer');
    if (bad?.kind === 'cut') {
      incoming.socket.destroy();
      return;
    }
    if (bad?.kind === 'status') {
      outgoing.writeHead(bad.status, bad.status === 429 ? { 'retry-after': '0' } : {}).end();
      return;
    }
    const bodies = outcomes.flatMap((outcome) => (outcome.kind === 'answer' ? [outcome.body] : []));
    const body = JSON.stringify(Array.isArray(parsed) ? bodies : bodies[0], (_key, value: unknown) =>
      typeof value === 'bigint' ? rawJSON(value.toString()) : value,
    );
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }

  async #answer(value: unknown): Promise<Outcome> {
    const parsed = request.safeParse(value);
    if (!parsed.success) return failure(null, new RpcError(-32600, 'Invalid request'));
    const { id, method, params = [] } = parsed.data;
    this.calls.push(method);
    const faults = await this.#faults.hitting(method, params);
    for (const fault of faults) {
      if (fault.kind === 'rateLimit') return { kind: 'status', status: 429 };
      if (fault.kind === 'status') return { kind: 'status', status: fault.status };
      if (fault.kind === 'error') return failure(id, new RpcError(fault.code, fault.message, fault.data));
      if (fault.kind === 'cut' && fault.after !== true) return { kind: 'cut' };
    }
    try {
      const run = this.#methods[method];
      if (run === undefined) throw new RpcError(-32601, 'Method not found');
      let result = run(params);
      for (const fault of faults) {
        if (fault.kind === 'cut') return { kind: 'cut' };
        if (fault.kind === 'rewrite') result = fault.rewrite(result);
      }
      return { kind: 'answer', body: { jsonrpc: '2.0', result, id } };
    } catch (error) {
      if (error instanceof RpcError) return failure(id, error);
      throw error;
    }
  }
}

function failure(id: string | number | null, { code, message, data }: RpcError): Outcome {
  const error = data === undefined ? { code, message } : { code, message, data };
  return { kind: 'answer', body: { jsonrpc: '2.0', error, id } };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
