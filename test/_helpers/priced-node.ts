/** A merchant's live wallet on a regtest node whose fee level a test sets. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUtxoAdapter } from '../../src/chains/utxo/adapter.ts';
import type { FeeQuote } from '../../src/domain/chain.ts';
import { getSend } from '../../src/usecases/wallet/send/get-send.ts';
import { sendCoins, type SendCoinsInput } from '../../src/usecases/wallet/send/send-coins.ts';
import type { SendPolicy } from '../../src/domain/send/policy.ts';
import { toAtoms, type NodeCoin, type RegtestNode } from './nodes/index.ts';
import { openWalletWorld, silent, type WalletWorld } from './wallet-world.ts';

/** One whole coin in atoms. */
export const COIN = 100_000_000n;

export class PricedNode {
  readonly coin: NodeCoin;
  readonly node: RegtestNode;
  readonly dir: string;
  /** The node's fee rate, atoms per 1,000 vB; null for its own. */
  rate: bigint | null = 1_000n;
  /** The rate under which it is made to take nothing. */
  minimum: bigint | undefined = undefined;
  readonly #policy: Partial<SendPolicy>;
  #world: WalletWorld | null = null;

  constructor(coin: NodeCoin, node: RegtestNode, policy: Partial<SendPolicy> = {}, dir?: string) {
    this.coin = coin;
    this.node = node;
    this.dir = dir ?? mkdtempSync(join(tmpdir(), 'tilld-priced-'));
    this.#policy = policy;
  }

  get world(): WalletWorld {
    if (this.#world === null) throw new Error('the world is not open');
    return this.#world;
  }

  async open(rpcUrl = this.node.rpcUrl): Promise<this> {
    const { coin } = this;
    this.#world = await openWalletWorld({
      dir: this.dir,
      mode: 'live',
      policy: this.#policy,
      connect: (context) => {
        const { clock } = context;
        const adapter = createUtxoAdapter({
          coin,
          network: 'regtest',
          rpcUrl,
          index: context.index({ coin, mode: 'live' }),
          clock,
          logger: silent,
        });
        return [{ ...adapter, feeQuote: async () => this.#quote(await adapter.feeQuote()) }];
      },
    });
    return this;
  }

  async close(options: { keep?: boolean } = {}): Promise<void> {
    await this.#world?.close();
    this.#world = null;
    if (options.keep !== true) rmSync(this.dir, { recursive: true, force: true });
  }

  #quote(real: FeeQuote): FeeQuote {
    if (this.rate === null) return real;
    const quote = { ...real, rate: this.rate, source: 'test' };
    return this.minimum === undefined ? quote : { ...quote, minimum: this.minimum };
  }

  /** Pays the wallet address, one output per amount, in blocks. */
  async fund(...amounts: bigint[]): Promise<void> {
    await this.world.sync(this.coin);
    await this.node.pay({ address: this.world.address(this.coin), amounts });
    await this.mine();
  }

  async mine(blocks = 1): Promise<void> {
    await this.node.mine(blocks);
    await this.world.sync(this.coin);
  }

  async sync(): Promise<void> {
    await this.world.sync(this.coin);
  }

  async send(amount: string, more: Partial<SendCoinsInput> = {}) {
    const { merchant, deps } = this.world;
    const destination = more.destination ?? (await this.node.foreignAddress());
    return sendCoins(deps, {
      merchant,
      amount,
      coin: this.coin,
      idempotencyKey: null,
      ...more,
      destination,
    });
  }

  async status(sendId: string) {
    return getSend(this.world.deps, { merchantId: this.world.merchant.id, sendId });
  }

  async balance(): Promise<string> {
    return this.world.balance(this.coin);
  }

  /** What an address received in blocks and mempool, by the node's own wallet. */
  async received(address: string): Promise<bigint> {
    return toAtoms(await this.node.walletRpc<string>('getreceivedbyaddress', [address, 0]));
  }
}
