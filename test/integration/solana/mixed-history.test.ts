import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSolanaAdapter } from '../../../src/chains/solana/adapter.ts';
import type { ChainAdapter, StoredTransaction } from '../../../src/domain/chain.ts';
import { OwnKeys } from '../../conformance/own-keys.ts';
import { OpenIndex } from '../../_helpers/svm/open-index.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { strangerAddress } from '../../_helpers/svm/payer.ts';
import { EXPIRY } from '../../_helpers/svm/world.ts';

const LAMPORTS = 1_000_000_000n;

interface Reply {
  readonly id: unknown;
  result?: unknown;
  error?: unknown;
}
type Question = { readonly id: unknown; readonly method: string };

/**
 * One address for two backends of one chain, by turns: the second lacks all but the newest blocks, and whatever is
 * in the others. A request is answered by one of them, as a whole.
 */
class TwoHistories {
  readonly #server: Server;
  readonly #node: SvmNode;
  /** Methods that the second answers when they are asked for alone. */
  readonly second: Set<string>;
  /** A gateway may take no requests that are several. */
  takesMany = true;

  constructor(node: SvmNode, second: readonly string[]) {
    this.#node = node;
    this.second = new Set(second);
    this.#server = createServer((incoming, outgoing) => {
      this.#answer(incoming).then(
        (body) => outgoing.writeHead(200, { 'content-type': 'application/json' }).end(body),
        () => outgoing.destroy(),
      );
    });
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(incoming: NodeJS.ReadableStream): Promise<string> {
    const body = await text(incoming);
    const asked = JSON.parse(body) as Question | Question[];
    if (Array.isArray(asked) && !this.takesMany)
      return '{"jsonrpc":"2.0","error":{"code":-32600,"message":"no batches"},"id":null}';
    const answer = await fetch(this.#node.url, { method: 'POST', body });
    const told = (await answer.json()) as Reply | Reply[];
    const questions = [asked].flat();
    const isSecond = questions.some(({ method }) => this.second.has(method));
    if (isSecond) for (const reply of [told].flat()) this.#forget(questions, reply);
    return JSON.stringify(told);
  }

  #forget(questions: readonly Question[], reply: Reply): void {
    const { slot } = this.#node.ledger.top;
    const method = questions.find(({ id }) => id === reply.id)?.method;
    if (method === 'getFirstAvailableBlock') reply.result = slot - 10;
    if (method === 'getSignatureStatuses') reply.result = { context: { slot }, value: [null] };
  }
}

const keys = new OwnKeys('SOL', 'live', 'regtest');
let node: SvmNode;
let both: TwoHistories;
let adapter: ChainAdapter;
let landed: StoredTransaction;

beforeEach(async () => {
  node = await SvmNode.start();
  const own = keys.newAddress();
  node.airdrop(own.address, LAMPORTS);
  node.advance(42);
  both = new TwoHistories(node, []);
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  adapter = createSolanaAdapter({
    network: 'regtest',
    rpcUrl: await both.start(),
    index: new OpenIndex([]),
    clock: { now: () => Date.now() },
    logger: quiet,
  });
  const plan = adapter.planSend({
    funds: [{ ref: { txid: 'any', index: 0 }, amount: LAMPORTS, ...own }],
    destination: strangerAddress(),
    amount: LAMPORTS,
    subtractFee: true,
    changeAddress: own.address,
    quote: await adapter.feeQuote(),
  });
  landed = { ...(await adapter.signSend(plan, keys)), lifetime: plan.lifetime };
  expect(await adapter.broadcast(landed)).toEqual({ kind: 'accepted' });
  node.advance(EXPIRY);
});
afterEach(async () => {
  await adapter.close();
  await Promise.all([both.close(), node.stop()]);
});

const fate = async () => (await adapter.recheck([landed])).get(landed.txid);

test('a Solana backend that lacks the history of a send does not prove its expiry together with the history of another backend', async () => {
  both.second.add('getSignatureStatuses');
  expect(await fate()).toBe('unknown');
  both.second.clear();
  expect(await fate()).toBe('present');
});

test('a Solana gateway that accepts one request at a time receives only one at a time', async () => {
  both.takesMany = false;
  expect(await fate()).toBe('present');
  both.second.add('getFirstAvailableBlock').add('getSignatureStatuses');
  expect(await fate()).toBe('unknown');
});
