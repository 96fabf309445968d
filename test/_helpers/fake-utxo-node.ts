/** A node of a coin of the Bitcoin family, without the coin: JSON-RPC over HTTP, blocks when a test asks for them. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { RawTx } from '@scure/btc-signer';
import {
  doubleSha,
  encodeBlock,
  encodeTransaction,
  type TestBlock,
  type TestTransaction,
} from '../unit/chains/utxo/raw-chain.ts';

interface KnownBlock extends TestBlock {
  readonly time: number;
  readonly txids: readonly string[];
}

interface Request {
  readonly id: string;
  readonly method: string;
  readonly params: readonly unknown[];
}

class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export class FakeUtxoNode {
  /** Raw transactions that were handed in, in order. */
  readonly received: string[] = [];
  /** Headers that it knows beyond its blocks, as while it syncs. */
  headersAhead = 0;
  /** Does not answer. */
  isOff = false;
  readonly #blocks: KnownBlock[];
  readonly #mempool = new Map<string, { readonly raw: Buffer; readonly time: number }>();
  readonly #unspent = new Map<string, { readonly value: string; readonly scriptHex: string }>();
  readonly #server: Server;
  readonly #subversion: string;
  #count = 0;

  private constructor(genesis: TestBlock & { readonly time: number }, subversion: string) {
    this.#blocks = [{ ...genesis, txids: [] }];
    this.#subversion = subversion;
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (this.isOff) return response.destroy();
        const asked = JSON.parse(Buffer.concat(chunks).toString()) as Request | Request[];
        const answer = Array.isArray(asked) ? asked.map((one) => this.#reply(one)) : this.#reply(asked);
        return response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
      });
    });
  }

  static async start(
    genesis: TestBlock & { readonly time: number },
    subversion: string,
  ): Promise<FakeUtxoNode> {
    const node = new FakeUtxoNode(genesis, subversion);
    node.#server.listen(0, '127.0.0.1');
    await once(node.#server, 'listening');
    return node;
  }

  get rpcUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Money from a stranger, into the mempool. */
  pay(script: Uint8Array, amount: bigint): string {
    return this.#accept(
      encodeTransaction({
        inputs: [{ txid: this.#anyId(), index: 0, script: Buffer.from('51', 'hex') }],
        outputs: [{ amount, script }],
      }),
    );
  }

  /** Spends the coins of the transaction that was handed in last to a stranger, in its place and in a block of six. */
  displaceLast(): void {
    const raw = Buffer.from(this.received.at(-1) ?? '', 'hex');
    this.#mempool.delete(idOf(raw));
    const inputs = RawTx.decode(raw).inputs.map(({ txid, index }) => ({
      txid: Buffer.from(txid).toString('hex'),
      index,
    }));
    this.#accept(
      encodeTransaction({ inputs, outputs: [{ amount: 1_000n, script: Buffer.from('51', 'hex') }] }),
    );
    this.mine(5);
  }

  /** A block with everything that waits, and then `more` empty ones. */
  mine(more = 0): void {
    for (let left = more; left >= 0; left -= 1) {
      const waiting = [...this.#mempool];
      this.#mempool.clear();
      const coinbase: TestTransaction = {
        inputs: [{ txid: '00'.repeat(32), index: 0xffffffff, script: Buffer.from(this.#anyId(), 'hex') }],
        outputs: [{ amount: 1n, script: Buffer.from('6a', 'hex') }],
      };
      const transactions = [encodeTransaction(coinbase), ...waiting.map(([, { raw }]) => raw)];
      const txids = transactions.map(idOf);
      const time = Math.floor(Date.now() / 1000);
      this.#blocks.push({
        ...encodeBlock({ transactions, txids, parentHash: this.#tip.hash, time }),
        time,
        txids,
      });
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  get #tip(): KnownBlock {
    return this.#blocks.at(-1)!;
  }

  #anyId(): string {
    this.#count += 1;
    return doubleSha(Buffer.from(`stranger ${this.#count}`)).toString('hex');
  }

  #accept(raw: Buffer): string {
    const txid = idOf(raw);
    const { inputs, outputs } = RawTx.decode(raw);
    for (const input of inputs)
      this.#unspent.delete(`${Buffer.from(input.txid).toString('hex')}:${input.index}`);
    for (const [index, { amount, script }] of outputs.entries()) {
      this.#unspent.set(`${txid}:${index}`, {
        value: amount.toString(),
        scriptHex: Buffer.from(script).toString('hex'),
      });
    }
    this.#mempool.set(txid, { raw, time: Math.floor(Date.now() / 1000) });
    return txid;
  }

  #reply({ id, method, params }: Request): object {
    try {
      return { id, result: this.#answer(method, params), error: null };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { id, result: null, error: { code: error.code, message: error.message } };
    }
  }

  #answer(method: string, [first, second]: readonly unknown[]): unknown {
    switch (method) {
      case 'getblockchaininfo':
        return {
          chain: 'regtest',
          blocks: this.#blocks.length - 1,
          headers: this.#blocks.length - 1 + this.headersAhead,
          bestblockhash: this.#tip.hash,
        };
      case 'getnetworkinfo':
        return { subversion: this.#subversion, connections: 1, incrementalfee: 0.0001 };
      case 'getbestblockhash':
        return this.#tip.hash;
      case 'getblockhash':
        return (this.#blocks[Number(first)] ?? refuse(-8, 'Block height out of range')).hash;
      case 'getblockheader':
        return this.#header(String(first));
      case 'getblock': {
        const block = this.#blocks.find(({ hash }) => hash === first) ?? refuse(-5, 'Block not found');
        return second === 0 ? block.bytes.toString('hex') : { tx: block.txids };
      }
      case 'getrawmempool':
        return [...this.#mempool.keys()];
      case 'getmempoolinfo':
        return { loaded: true, mempoolminfee: 0.001, minrelaytxfee: 0.001 };
      case 'getrawtransaction':
        return this.#waiting(first).raw.toString('hex');
      case 'getmempoolentry':
        return { time: this.#waiting(first).time };
      case 'gettxout':
        return this.#unspent.has(`${String(first)}:${String(second)}`) ? { bestblock: this.#tip.hash } : null;
      case 'estimatesmartfee':
        return { errors: ['Insufficient data'] };
      case 'sendrawtransaction':
        this.received.push(String(first));
        return this.#accept(Buffer.from(String(first), 'hex'));
      default:
        return refuse(-32601, `Method not found: ${method}`);
    }
  }

  #waiting(txid: unknown): { readonly raw: Buffer; readonly time: number } {
    return this.#mempool.get(String(txid)) ?? refuse(-5, 'No such mempool transaction');
  }

  #header(hash: string): object {
    const height = this.#blocks.findIndex((block) => block.hash === hash);
    const block = this.#blocks[height] ?? refuse(-5, 'Block not found');
    const parent = this.#blocks[height - 1];
    const { time } = block;
    return {
      hash,
      height,
      time,
      mediantime: time,
      ...(parent === undefined ? {} : { previousblockhash: parent.hash }),
    };
  }
}

function refuse(code: number, message: string): never {
  throw new Refusal(code, message);
}

function idOf(raw: Buffer): string {
  return Buffer.from(doubleSha(raw).toReversed()).toString('hex');
}
