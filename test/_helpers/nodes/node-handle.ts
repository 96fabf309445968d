/** What a test can ask of a regtest node, whether this process started it or not. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { toAtoms } from './amounts.ts';
import type { NodeCoin } from './coins.ts';
import { callRpc, type RpcParams } from './json-rpc.ts';
import { mineSelected } from './mining.ts';
import {
  buildPayment,
  buildReplacement,
  type Conflict,
  type PayOutput,
  type PayRequest,
  type ReplaceOptions,
} from './payments.ts';
import { type ReorgOptions, type ReorgResult, reorganize } from './reorg.ts';

export const MINER_WALLET = 'miner';
const POLL_MS = 20;

export type AddressType = 'legacy' | 'p2sh-segwit' | 'bech32' | 'bech32m';

/** Everything needed to attach to a node from another process. */
export interface NodeAddress {
  readonly coin: NodeCoin;
  readonly rpcUrl: string;
  readonly dataDir: string;
  readonly pid: number;
  readonly mweb: boolean;
}

export interface Tip {
  readonly height: number;
  readonly hash: string;
}

export class NodeHandle {
  readonly coin: NodeCoin;
  readonly dataDir: string;
  /** MWEB is active: generateblock does not work there (litecoind 0.21.2). */
  readonly mweb: boolean;
  private readonly url: string;
  private readonly knownPid: number;

  constructor(address: NodeAddress) {
    this.coin = address.coin;
    this.dataDir = address.dataDir;
    this.mweb = address.mweb;
    this.url = address.rpcUrl;
    this.knownPid = address.pid;
  }

  /** `http://user:pass@127.0.0.1:port` */
  get rpcUrl(): string {
    return this.url;
  }

  get rpcPort(): number {
    return Number(new URL(this.rpcUrl).port);
  }

  get pid(): number {
    return this.knownPid;
  }

  /** One call. Numbers with a fraction come back as strings, so amounts stay exact. */
  async rpc<T = unknown>(method: string, params: RpcParams = [], timeoutMs?: number): Promise<T> {
    return callRpc<T>(this.rpcUrl, method, params, timeoutMs);
  }

  /** The same, for a wallet of the node: the miner's unless another is named. */
  async walletRpc<T = unknown>(
    method: string,
    params: RpcParams = [],
    wallet: string = MINER_WALLET,
  ): Promise<T> {
    return callRpc<T>(`${this.rpcUrl}/wallet/${wallet}`, method, params);
  }

  async tip(): Promise<Tip> {
    const info = await this.rpc<{ blocks: number; bestblockhash: string }>('getblockchaininfo');
    return { height: info.blocks, hash: info.bestblockhash };
  }

  async blockHash(height: number): Promise<string> {
    return this.rpc<string>('getblockhash', [height]);
  }

  async getMempool(): Promise<string[]> {
    return this.rpc<string[]>('getrawmempool');
  }

  /** What the miner can spend, unconfirmed change included. */
  async balance(): Promise<bigint> {
    return toAtoms(await this.walletRpc<string>('getbalance'));
  }

  /** An address of the miner's wallet. */
  async newAddress(type: AddressType = 'bech32'): Promise<string> {
    return this.walletRpc<string>('getnewaddress', ['', type]);
  }

  /** A fresh P2WPKH address without a known key. */
  async foreignAddress(): Promise<string> {
    const script = `0014${randomBytes(20).toString('hex')}`;
    const decoded = await this.rpc<{ address?: string; addresses?: string[] }>('decodescript', [script]);
    const address = decoded.address ?? decoded.addresses?.[0];
    if (address === undefined) throw new Error(`decodescript gave no address for ${script}`);
    return address;
  }

  /** Mines the transactions of the mempool. Without an address, the rewards go to an unknown key. */
  async mine(blocks = 1, toAddress?: string): Promise<string[]> {
    if (blocks === 0) return [];
    const address = toAddress ?? (await this.foreignAddress());
    return this.rpc<string[]>('generatetoaddress', [blocks, address]);
  }

  /** Mines blocks without transactions; the mempool stays as it is. */
  async mineEmpty(blocks = 1): Promise<string[]> {
    const hashes: string[] = [];
    for (let count = 0; count < blocks; count += 1) hashes.push(await this.mineOnly([]));
    return hashes;
  }

  /** Mines one block with exactly these transactions: txids of the mempool, or raw hex. */
  async mineOnly(transactions: readonly string[]): Promise<string> {
    return mineSelected(this, transactions);
  }

  /** Pays from the miner's wallet: one address, one output or several. Answers the txid. */
  async pay(request: PayRequest): Promise<string> {
    const { address, amounts = [], amountAtoms, ...options } = request;
    const all = amountAtoms === undefined ? amounts : [amountAtoms, ...amounts];
    return this.payMany(
      all.map((amount) => ({ address, amountAtoms: amount })),
      options,
    );
  }

  /** One transaction with these outputs, in this order, plus change. Answers the txid. */
  async payMany(
    outputs: readonly PayOutput[],
    options: Pick<PayRequest, 'feeRate' | 'rbf'> = {},
  ): Promise<string> {
    return this.sendRaw(await buildPayment(this, outputs, options));
  }

  /** Broadcasts whatever the fee rate. */
  async sendRaw(rawHex: string): Promise<string> {
    return this.rpc<string>('sendrawtransaction', [rawHex, 0]);
  }

  /** Double-spends a payment of the miner to another address and broadcasts it (RBF). */
  async replaceTo(
    txid: string,
    newAddress: string,
    options: Omit<ReplaceOptions, 'newAddress'> = {},
  ): Promise<Conflict> {
    const conflict = await buildReplacement(this, txid, { ...options, newAddress });
    await this.sendRaw(conflict.rawTx);
    return conflict;
  }

  /** Pays the same outputs again with a higher fee (RBF): same receivers, another txid. */
  async bumpFee(txid: string, options: Pick<ReplaceOptions, 'feeAtoms'> = {}): Promise<Conflict> {
    const conflict = await buildReplacement(this, txid, options);
    await this.sendRaw(conflict.rawTx);
    return conflict;
  }

  /** A signed double-spend that is not broadcast: for `mineOnly`, `reorg` or `sendRaw`. */
  async conflictOf(txid: string, options: ReplaceOptions = {}): Promise<Conflict> {
    return buildReplacement(this, txid, options);
  }

  /** Replaces the last `depth` blocks by a longer chain. */
  async reorg(options: ReorgOptions = {}): Promise<ReorgResult> {
    return reorganize(this, options);
  }

  /** Waits until the mempool holds a transaction (say, one that the daemon under test sent). */
  async waitForMempool(txid: string, timeoutMs = 10_000): Promise<void> {
    await this.waitUntil(`${txid} in the mempool`, timeoutMs, async () =>
      (await this.getMempool()).includes(txid),
    );
  }

  /** Polls until the condition holds, for at most `timeoutMs`. */
  async waitUntil(what: string, timeoutMs: number, condition: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!(await condition())) {
      if (Date.now() >= deadline) throw new Error(`${this.coin}: no ${what} in ${timeoutMs} ms`);
      await delay(POLL_MS);
    }
  }
}
