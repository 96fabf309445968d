/** A network of accounts and nonces in memory, which a test mines, forks and cheats; plans and signatures are the real ones. */
import { createHash } from 'node:crypto';
import { getAddress } from 'ethers/address';
import { Transaction } from 'ethers/transaction';
import { AccountLedger } from '../../src/chains/ethereum/accounts/account-ledger.ts';
import { accountKey, validateAddress } from '../../src/chains/ethereum/address.ts';
import { planReplacement, planSend } from '../../src/chains/ethereum/sends/plan-send.ts';
import { signSend } from '../../src/chains/ethereum/sends/sign-send.ts';
import type {
  BlockRef,
  BroadcastResult,
  ChainAdapter,
  ChainBlock,
  ChainBlockHeader,
  ChainIndex,
  TransactionFate,
  FeeQuote,
  StoredTransaction,
  UnconfirmedView,
} from '../../src/domain/chain.ts';
import type { Clock } from '../../src/domain/ports.ts';
import type { Landed } from './send-steps.ts';

const GAS = 21_000n;
const CHAIN_ID = 1_337;
const CAP_RATE = 10n ** 18n;
/** Sends from nothing. */
const FAUCET = 'faucet';
const STRANGER = `0x${'5'.repeat(40)}`;

interface AccountTransaction {
  readonly txid: string;
  readonly from: string;
  readonly to: string;
  readonly nonce: number;
  readonly value: bigint;
  /** Wei per gas. */
  readonly price: bigint;
}

interface AccountBlock extends ChainBlockHeader {
  readonly transactions: readonly AccountTransaction[];
}

export class AccountChain {
  readonly coin = 'ETH';
  /** Contracts that fail whatever is sent to them; lower case. */
  readonly failing = new Set<string>();
  readonly #clock: Clock;
  readonly #blocks: AccountBlock[] = [];
  #pool: readonly AccountTransaction[] = [];
  #price = 10n ** 10n;
  #made = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#addBlock([]);
  }

  adapter(index: ChainIndex): ChainAdapter {
    return {
      coin: 'ETH',
      mode: 'live',
      network: 'regtest',
      minimumPayment: 1n,
      status: async () => ({
        tip: this.#tip,
        headersHeight: this.#tip.height,
        syncing: false,
        pruneHeight: 0,
        peers: null,
        version: 'accounts',
        warnings: null,
      }),
      tip: async () => this.#tip,
      hashAt: async (height) => this.#blocks[height]?.hash ?? null,
      blockBefore: async () => this.#header(0),
      blockAt: async (height) => this.#read(height, index),
      unconfirmed: async () => this.#unconfirmed(index),
      recheck: async (transactions, ledger) =>
        new Map(transactions.map((each) => [each.txid, this.#fateOf(each, ledger)])),
      validateAddress,
      watchKey: accountKey,
      paymentUri: ({ address }) => address,
      feeQuote: async (intent) => this.#quote(intent?.from ?? FAUCET),
      planSend,
      planReplacement: (request) => planReplacement({ ...request, capRate: CAP_RATE }),
      signSend,
      broadcast: async (transaction) => this.#submit(transaction),
      close: async () => {},
    };
  }

  /** Pays from nothing. */
  give(address: string, amount: bigint): void {
    const nonce = this.#nextOf(FAUCET);
    const to = accountKey(address);
    this.#pool = [
      ...this.#pool,
      { txid: this.#newHash(), from: FAUCET, to, nonce, value: amount, price: 0n },
    ];
  }

  async landed(): Promise<readonly Landed[]> {
    const shown = ({ txid, to }: AccountTransaction, height: number | null): Landed => ({
      txid,
      height,
      pays: [getAddress(to)],
      isReverted: this.failing.has(to),
    });
    const mined = this.#blocks.flatMap(({ height, transactions }) =>
      transactions.map((each) => shown(each, height)),
    );
    return [...mined, ...this.#pool.map((each) => shown(each, null))];
  }

  async mine(count: number): Promise<void> {
    for (let mined = 0; mined < count; mined += 1) {
      const taken = this.#executable();
      this.#pool = this.#pool.filter((each) => !taken.includes(each));
      this.#addBlock(taken);
      this.#forgetUsed();
    }
  }

  async reorg(depth: number, fate: 'moved' | 'dropped' | 'replaced'): Promise<void> {
    const undone = this.#blocks.splice(-depth).flatMap(({ transactions }) => transactions);
    if (fate !== 'dropped') {
      const back = fate === 'moved' ? undone : undone.map((each) => this.#rivalOf(each));
      const isFree = ({ from, nonce }: AccountTransaction) =>
        !back.some((each) => each.from === from && each.nonce === nonce);
      this.#pool = [...back, ...this.#pool.filter(isFree)];
    }
    for (let mined = 0; mined < depth; mined += 1) this.#addBlock([]);
    await this.mine(1);
  }

  async drop(txid: string): Promise<void> {
    this.#pool = this.#pool.filter((each) => each.txid !== txid);
  }

  async steal(txid: string): Promise<void> {
    this.#pool = this.#pool.map((each) => (each.txid === txid ? this.#rivalOf(each) : each));
  }

  raiseFees(): void {
    this.#price *= 2n;
  }

  get #tip(): BlockRef {
    const { height, hash } = this.#header(this.#blocks.length - 1);
    return { height, hash };
  }

  #header(height: number): ChainBlockHeader {
    const block = this.#blocks[height];
    if (block === undefined) throw new Error(`there is no block ${height}`);
    const { hash, parentHash, timeMs } = block;
    return { height, hash, parentHash, timeMs };
  }

  #addBlock(transactions: readonly AccountTransaction[]): void {
    const parentHash = this.#blocks.at(-1)?.hash ?? `0x${'0'.repeat(64)}`;
    const height = this.#blocks.length;
    this.#blocks.push({ height, hash: this.#newHash(), parentHash, timeMs: this.#clock.now(), transactions });
  }

  #newHash(): string {
    this.#made += 1;
    return `0x${createHash('sha256').update(`made ${this.#made}`).digest('hex')}`;
  }

  /** Another transaction of the same account with the same nonce, which pays another address. */
  #rivalOf(each: AccountTransaction): AccountTransaction {
    return { ...each, txid: this.#newHash(), to: STRANGER, value: 1n, price: each.price * 2n };
  }

  #countOf(account: string, upTo = this.#blocks.length - 1): number {
    return this.#blocks
      .slice(0, upTo + 1)
      .flatMap(({ transactions }) => transactions)
      .filter(({ from }) => from === account).length;
  }

  #nextOf(account: string): number {
    let nonce = this.#countOf(account);
    while (this.#pool.some((each) => each.from === account && each.nonce === nonce)) nonce += 1;
    return nonce;
  }

  #balanceOf(account: string): bigint {
    let balance = 0n;
    for (const each of this.#blocks.flatMap(({ transactions }) => transactions)) {
      if (each.from === account) balance -= this.#costOf(each);
      if (each.to === account && !this.failing.has(each.to)) balance += each.value;
    }
    return balance;
  }

  #costOf({ to, value, price }: AccountTransaction): bigint {
    return GAS * price + (this.failing.has(to) ? 0n : value);
  }

  /** What the next block takes: each account's transactions in the order of their nonces, as far as it can pay for them. */
  #executable(): AccountTransaction[] {
    const taken: AccountTransaction[] = [];
    for (const each of this.#pool.toSorted((a, b) => a.nonce - b.nonce)) {
      const own = taken.filter(({ from }) => from === each.from);
      const held = own.reduce((rest, one) => rest - this.#costOf(one), this.#balanceOf(each.from));
      const isNext = each.nonce === this.#countOf(each.from) + own.length;
      if (isNext && (each.from === FAUCET || held >= each.value + GAS * each.price)) taken.push(each);
    }
    return taken;
  }

  #forgetUsed(): void {
    this.#pool = this.#pool.filter(({ from, nonce }) => nonce >= this.#countOf(from));
  }

  #isMined(txid: string): boolean {
    return this.#blocks.some(({ transactions }) => transactions.some((each) => each.txid === txid));
  }

  #submit({ txid, raw }: StoredTransaction): BroadcastResult {
    if (this.#isMined(txid) || this.#pool.some((each) => each.txid === txid)) return { kind: 'accepted' };
    const given = readRaw(txid, raw);
    if (given === null) return { kind: 'unknown', reason: 'the signed bytes are not at hand' };
    if (given.nonce < this.#countOf(given.from))
      return { kind: 'rejected', reason: 'nonce too low', isExpired: true };
    const rival = this.#pool.find(({ from, nonce }) => from === given.from && nonce === given.nonce);
    if (rival !== undefined && given.price * 10n < rival.price * 11n) {
      return { kind: 'unknown', reason: 'replacement transaction underpriced' };
    }
    if (this.#balanceOf(given.from) < given.value + GAS * given.price) {
      return { kind: 'rejected', reason: 'insufficient funds' };
    }
    this.#pool = [...this.#pool.filter((each) => each !== rival), given];
    return { kind: 'accepted' };
  }

  /** By the words of the port: gone is what a block up to the ledger's has taken the nonce of, or failed. */
  #fateOf({ txid, raw }: StoredTransaction, ledger: BlockRef | undefined): TransactionFate {
    const mined = this.#blocks.flatMap(({ transactions }) => transactions).find((each) => each.txid === txid);
    if (mined !== undefined) return this.failing.has(mined.to) ? 'gone' : 'present';
    if (this.#pool.some((each) => each.txid === txid)) return 'present';
    const at = ledger ?? this.#tip;
    if (this.#blocks[at.height]?.hash !== at.hash) return 'unknown';
    const given = readRaw(txid, raw);
    if (given === null) return 'absent';
    if (given.nonce < this.#countOf(given.from, at.height)) return 'gone';
    if (this.#pool.some(({ from, nonce }) => from === given.from && nonce === given.nonce)) return 'gone';
    return this.#submit({ txid, raw }).kind === 'accepted' ? 'present' : 'absent';
  }

  #quote(from: string): FeeQuote {
    const nonce = this.#nextOf(accountKey(from));
    const rate = this.#price * 1_000n;
    return {
      rate,
      source: 'test',
      at: this.#clock.now(),
      account: { chainId: CHAIN_ID, nonce, gasLimit: GAS },
    };
  }

  async #read(height: number, index: ChainIndex): Promise<ChainBlock | null> {
    const block = this.#blocks[height];
    if (block === undefined) return null;
    const { transactions } = block;
    const keys = transactions.flatMap(({ from, to }) => [from, to]);
    const watched = await index.watched([...new Set(keys)]);
    const senders = [...new Set(transactions.map(({ from }) => from))].filter((from) => watched.has(from));
    const book = new AccountLedger(await index.holdings(senders));
    for (const each of transactions) {
      const { txid, from, to, value, price } = each;
      const succeeded = !this.failing.has(to);
      const outcome = { fee: GAS * price, succeeded };
      if (watched.has(from)) book.spend({ watchKey: from, txid, cost: this.#costOf(each), outcome });
      if (succeeded && watched.has(to) && value > 0n)
        book.receive({ ref: { txid, index: 0 }, watchKey: to, amount: value, raw: null });
    }
    return { ...this.#header(height), credits: book.credits, debits: book.debits };
  }

  async #unconfirmed(index: ChainIndex): Promise<UnconfirmedView> {
    const next = this.#executable();
    const first = new Map<string, string>();
    for (const { from, txid } of next) if (!first.has(from)) first.set(from, txid);
    const watched = await index.watched([...first.keys()]);
    const holdings = await index.holdings([...watched]);
    const debits = [...first].flatMap(([account, byTxid]) =>
      (holdings.get(account) ?? []).map(({ ref }) => ({ ref, byTxid })),
    );
    const known = new Set(next.map(({ txid }) => txid));
    return { tip: this.#tip, credits: [], debits, has: (txid) => known.has(txid) };
  }
}

function readRaw(txid: string, raw: string | null): AccountTransaction | null {
  if (raw === null) return null;
  const { from, to, nonce, value, maxFeePerGas } = Transaction.from(raw);
  if (from === null || to === null || maxFeePerGas === null) return null;
  return { txid, from: accountKey(from), to: accountKey(to), nonce, value, price: maxFeePerGas };
}
