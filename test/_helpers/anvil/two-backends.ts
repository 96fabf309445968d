/** A load balancer before one node whose answers come, by turns, from a backend that lags behind. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { post } from '../nodes/json-rpc.ts';

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

interface Reply {
  id: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

/** Every second request is answered as of `lag` blocks ago: that backend knows nothing newer. */
export class TwoBackends implements AsyncDisposable {
  readonly #server: Server;
  readonly #target: string;
  readonly #lag: number;
  #turn = 0;

  private constructor(target: string, lag: number) {
    this.#target = target;
    this.#lag = lag;
    this.#server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        this.#answer(Buffer.concat(chunks).toString('utf8')).then(
          (text) => outgoing.writeHead(200, { 'content-type': 'application/json' }).end(text),
          () => outgoing.destroy(),
        );
      });
    });
  }

  static async start(target: string, lag: number): Promise<TwoBackends> {
    const both = new TwoBackends(target, lag);
    await new Promise<void>((resolve) => both.#server.listen(0, '127.0.0.1', resolve));
    return both;
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

  async #answer(body: string): Promise<string> {
    const { text } = await post(this.#target, body);
    this.#turn += 1;
    if (this.#turn % 2 === 0) return text;
    const asked = JSON.parse(body) as Call | Call[];
    const replies = JSON.parse(text) as Reply | Reply[];
    const height = Math.max(0, Number(await this.#ask('eth_blockNumber', [])) - this.#lag);
    const calls = Array.isArray(asked) ? asked : [asked];
    const seen = await Promise.all(
      (Array.isArray(replies) ? replies : [replies]).map(async (reply) => {
        const call = calls.find(({ id }) => id === reply.id);
        return call === undefined ? reply : this.#asOf(height, call, reply);
      }),
    );
    return JSON.stringify(Array.isArray(asked) ? seen : seen[0]);
  }

  async #asOf(height: number, { method, params }: Call, reply: Reply): Promise<Reply> {
    const { id, result } = reply;
    switch (method) {
      case 'eth_getBlockByNumber': {
        if (params[0] === 'pending') return { id, result: null };
        if (params[0] === 'latest') return { id, result: await this.#ask(method, [hex(height), params[1]]) };
        return Number(params[0]) > height ? { id, result: null } : reply;
      }
      case 'eth_getBlockByHash':
        return isAbove(result, 'number', height) ? { id, result: null } : reply;
      case 'eth_getTransactionReceipt':
      case 'eth_getTransactionByHash':
        return isAbove(result, 'blockNumber', height) ? { id, result: null } : reply;
      case 'eth_getBalance':
      case 'eth_getTransactionCount': {
        const at = params[1] as { blockHash?: string } | string;
        if (typeof at === 'string') return { id, result: await this.#ask(method, [params[0], hex(height)]) };
        const block = await this.#ask('eth_getBlockByHash', [at.blockHash, false]);
        if (!isAbove(block, 'number', height)) return reply;
        return { id, error: { code: -32000, message: 'header for hash not found' } };
      }
      case 'eth_call': {
        const { blockHash } = params[1] as { blockHash: string };
        const block = await this.#ask('eth_getBlockByHash', [blockHash, false]);
        if (!isAbove(block, 'number', height)) return reply;
        return { id, error: { code: -32000, message: 'header for hash not found' } };
      }
      case 'trace_block':
        return Number(params[0]) > height ? { id, result: [] } : reply;
      case 'debug_traceBlockByHash': {
        const block = await this.#ask('eth_getBlockByHash', [params[0], false]);
        if (!isAbove(block, 'number', height)) return reply;
        return { id, error: { code: -32000, message: 'block not found' } };
      }
      default:
        return reply;
    }
  }

  async #ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const { text } = await post(this.#target, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    return (JSON.parse(text) as Reply).result;
  }
}

function isAbove(result: unknown, field: string, height: number): boolean {
  if (typeof result !== 'object' || result === null) return false;
  const value = (result as Record<string, unknown>)[field];
  return typeof value === 'string' && Number(value) > height;
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}
