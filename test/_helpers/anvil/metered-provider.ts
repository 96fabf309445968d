/** A provider before a node: every call costs compute units, so many a second over a rolling window, and tracing is not in the plan. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { post } from '../nodes/json-rpc.ts';

interface Call {
  readonly id: unknown;
  readonly method: string;
}

/** Alchemy's published prices; 20 for whatever is not named. */
const PRICES: Readonly<Record<string, number>> = {
  eth_chainId: 0,
  eth_syncing: 0,
  eth_call: 26,
  eth_maxPriorityFeePerGas: 10,
  eth_sendRawTransaction: 40,
};
const USUAL_PRICE = 20;
const WINDOW_MS = 10_000;

export class MeteredProvider implements AsyncDisposable {
  readonly #server: Server;
  readonly #target: string;
  readonly #unitsPerWindow: number;
  readonly #refusedMethods: RegExp;
  readonly #spent: { readonly at: number; readonly units: number }[] = [];
  /** Requests refused with 429 so far. */
  refused = 0;
  /** Units spent so far. */
  spent = 0;

  private constructor(target: string, unitsPerSecond: number, refusedMethods: RegExp) {
    this.#target = target;
    this.#unitsPerWindow = unitsPerSecond * (WINDOW_MS / 1000);
    this.#refusedMethods = refusedMethods;
    this.#server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        this.#answer(Buffer.concat(chunks).toString('utf8'), outgoing).catch(() => outgoing.destroy());
      });
    });
  }

  /** @param refusedMethods methods that are not in the plan */
  static async start(
    target: string,
    unitsPerSecond: number,
    refusedMethods = /^(debug|trace)_/,
  ): Promise<MeteredProvider> {
    const provider = new MeteredProvider(target, unitsPerSecond, refusedMethods);
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #answer(body: string, outgoing: ServerResponse): Promise<void> {
    const asked = JSON.parse(body) as Call | readonly Call[];
    const calls: readonly Call[] = 'method' in asked ? [asked] : asked;
    if (!this.#pays(calls)) {
      this.refused += 1;
      const message = 'Your app has exceeded its compute units per second capacity.';
      send(outgoing, 429, { jsonrpc: '2.0', error: { code: 429, message } });
      return;
    }
    const refused = calls.find(({ method }) => this.#refusedMethods.test(method));
    if (refused !== undefined) {
      const { id, method } = refused;
      const message = `${method} is not available on the Free tier - upgrade to Pay As You Go, or Enterprise for access.`;
      send(outgoing, 200, { jsonrpc: '2.0', id, error: { code: -32600, message } });
      return;
    }
    const { text } = await post(this.#target, body);
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(text);
  }

  #pays(calls: readonly Call[]): boolean {
    const now = Date.now();
    while (this.#spent[0] !== undefined && now - this.#spent[0].at > WINDOW_MS) this.#spent.shift();
    const units = calls.reduce((sum, { method }) => sum + (PRICES[method] ?? USUAL_PRICE), 0);
    if (this.#spent.reduce((sum, each) => sum + each.units, 0) + units > this.#unitsPerWindow) return false;
    this.#spent.push({ at: now, units });
    this.spent += units;
    return true;
  }
}

function send(outgoing: ServerResponse, status: number, body: object): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
