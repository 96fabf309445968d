/** One anvil as a child process: a real EVM with a mempool, blocks on demand and reorganisations. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Transaction, type TransactionLike, Wallet } from 'ethers';
import { post, RpcError } from '../nodes/json-rpc.ts';
import { freePort, listensOn } from '../nodes/proc.ts';
import { anvilBinary } from './binary.ts';
import { carelessCode, CONTRACTS, PAYER_CODE, pairs, REVERTER_CODE } from './contracts.ts';

const CHAIN_ID = 31_337;
/** First account of the mnemonic that every anvil starts with. */
const PAYER_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const GWEI = 1_000_000_000n;
const PRICE = 20n * GWEI;
const GAS = 400_000n;
const START_MS = 20_000;

export interface Output {
  readonly address: string;
  readonly amount: bigint;
}

export class Anvil implements AsyncDisposable {
  readonly rpcUrl: string;
  readonly #chainId: number;
  readonly #child: ChildProcess;
  readonly #payer = new Wallet(PAYER_KEY);
  /** Signed bytes of the payer's transactions, to send or move them again. */
  readonly #raws = new Map<string, string>();

  private constructor(child: ChildProcess, port: number, chainId: number) {
    this.#chainId = chainId;
    this.#child = child;
    this.rpcUrl = `http://127.0.0.1:${port}`;
  }

  /**
   * `slotsInAnEpoch`: the head less this is safe, less twice this finalized. `keptStates`: so many of the newest
   * blocks; older balances are not told.
   */
  static async start(
    options: { chainId?: number; slotsInAnEpoch?: number; keptStates?: number } = {},
  ): Promise<Anvil> {
    const port = await freePort();
    const chainId = options.chainId ?? CHAIN_ID;
    const slots = String(options.slotsInAnEpoch ?? 32);
    const args = ['--port', String(port), '--slots-in-an-epoch', slots, '--no-mining', '--quiet'];
    const kept = options.keptStates === undefined ? [] : ['--prune-history', String(options.keptStates)];
    const child = spawn(anvilBinary(), [...args, ...kept, '--chain-id', String(chainId)], {
      stdio: 'ignore',
    });
    const anvil = new Anvil(child, port, chainId);
    try {
      await anvil.#waitUntilReady(port);
      await anvil.#deploy();
    } catch (error) {
      await anvil.stop();
      throw error;
    }
    return anvil;
  }

  async rpc<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    const { text } = await post(this.rpcUrl, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    const reply = JSON.parse(text) as { result?: T; error?: { code: number; message: string } };
    if (reply.error !== undefined) throw new RpcError(method, reply.error.code, reply.error.message);
    return reply.result as T;
  }

  /** Ends exactly the child that `start` started. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async mine(blocks = 1): Promise<void> {
    await this.rpc('anvil_mine', [`0x${blocks.toString(16)}`]);
  }

  async height(): Promise<number> {
    return Number(await this.rpc<string>('eth_blockNumber'));
  }

  async balance(address: string): Promise<bigint> {
    return BigInt(await this.rpc<string>('eth_getBalance', [address, 'latest']));
  }

  async newAddress(): Promise<string> {
    return Wallet.createRandom().address;
  }

  /** An ordinary transfer, optionally with calldata. Answers the txid. */
  async pay(output: Output, options: { data?: string } = {}): Promise<string> {
    return this.send({ to: output.address, value: output.amount, data: options.data ?? '0x' });
  }

  /** One transaction that pays several outputs, through a contract unless there is only one. */
  async payMany(outputs: readonly Output[]): Promise<string> {
    const [first] = outputs;
    return outputs.length === 1 && first !== undefined ? this.pay(first) : this.payInside(outputs);
  }

  /** Pays through a contract: on the chain these are internal transfers. */
  async payInside(outputs: readonly Output[]): Promise<string> {
    const value = outputs.reduce((sum, { amount }) => sum + amount, 0n);
    return this.send({ to: CONTRACTS.payer, value, data: pairs(outputs) });
  }

  /** The payer's transaction; its nonce is the next one, pending ones counted. */
  async send(fields: TransactionLike): Promise<string> {
    const nonce = Number(await this.rpc<string>('eth_getTransactionCount', [this.#payer.address, 'pending']));
    return this.#submit({ nonce, ...fields });
  }

  /** Double-spends an unconfirmed payment to a stranger at a higher price. */
  async replace(txid: string): Promise<string> {
    const { nonce } = this.transaction(txid);
    const [to, price] = [await this.newAddress(), 2n * PRICE];
    return this.#submit({ nonce, to, value: 1n, maxFeePerGas: price, maxPriorityFeePerGas: price });
  }

  /** The same payment again at a higher price. */
  async raiseFee(txid: string): Promise<string> {
    const { nonce, to, value, data } = this.transaction(txid);
    const price = 2n * PRICE;
    return this.#submit({ nonce, to, value, data, maxFeePerGas: price, maxPriorityFeePerGas: price });
  }

  async drop(txid: string): Promise<void> {
    await this.rpc('anvil_dropTransaction', [txid]);
  }

  async resend(txid: string): Promise<void> {
    await this.rpc('eth_sendRawTransaction', [this.raw(txid)]);
  }

  /**
   * Replaces the last `depth` blocks by as many others, and one more on top. Their transactions
   * are gone from the node, except those that are moved into the last of the new blocks.
   */
  async reorg(
    depth: number,
    options: { move?: readonly string[]; doubleSpend?: string } = {},
  ): Promise<void> {
    const moved = (options.move ?? []).map((txid) => this.raw(txid));
    const rival = options.doubleSpend === undefined ? [] : [await this.#rivalOf(options.doubleSpend)];
    await this.rpc('anvil_reorg', [depth, [...moved, ...rival].map((raw) => [raw, depth - 1])]);
    await this.mine(1);
  }

  raw(txid: string): string {
    const raw = this.#raws.get(txid);
    if (raw === undefined) throw new Error(`${txid} is none of the payer's transactions`);
    return raw;
  }

  transaction(txid: string): Transaction {
    return Transaction.from(this.raw(txid));
  }

  async #rivalOf(txid: string): Promise<string> {
    const { nonce } = this.transaction(txid);
    return this.#sign({ nonce, to: await this.newAddress(), value: 1n });
  }

  async #submit(fields: TransactionLike): Promise<string> {
    const raw = await this.#sign(fields);
    const txid = await this.rpc<string>('eth_sendRawTransaction', [raw]);
    this.#raws.set(txid, raw);
    return txid;
  }

  async #sign(fields: TransactionLike): Promise<string> {
    const transaction = Transaction.from({
      type: 2,
      chainId: this.#chainId,
      gasLimit: GAS,
      maxFeePerGas: PRICE,
      maxPriorityFeePerGas: PRICE,
      ...fields,
    });
    transaction.signature = this.#payer.signingKey.sign(transaction.unsignedHash);
    return transaction.serialized;
  }

  async #deploy(): Promise<void> {
    await this.rpc('anvil_setCode', [CONTRACTS.payer, PAYER_CODE]);
    await this.rpc('anvil_setCode', [CONTRACTS.reverter, REVERTER_CODE]);
    await this.rpc('anvil_setCode', [CONTRACTS.careless, carelessCode(CONTRACTS.reverter)]);
    await this.mine(10);
  }

  async #waitUntilReady(port: number): Promise<void> {
    const deadline = Date.now() + START_MS;
    for (;;) {
      const { pid, exitCode } = this.#child;
      if (exitCode !== null) throw new Error(`anvil ended with ${exitCode}`);
      const answers = await this.rpc('eth_chainId').then(
        () => true,
        () => false,
      );
      // The port was free a moment ago, so the answering process must be our child.
      if (answers && pid !== undefined && listensOn(pid, port)) return;
      if (Date.now() > deadline) throw new Error('anvil does not answer');
      await delay(20);
    }
  }
}
