import { base58 } from '@scure/base';
import { createHash, randomBytes } from 'node:crypto';
import { type AccountState, type Execution, Machine } from './machine.ts';
import { readTransaction, type WireTransaction } from './transaction.ts';

export const COMMITMENTS = ['processed', 'confirmed', 'finalized'] as const;
export type Commitment = (typeof COMMITMENTS)[number];

/** A blockhash may be used while the chain is at most this many blocks past its block. */
const BLOCKHASH_LIFETIME = 150;

export interface LedgerTransaction extends Execution {
  readonly wire: WireTransaction;
  readonly slot: number;
  readonly blockTime: number;
  readonly preBalances: readonly bigint[];
  readonly postBalances: readonly bigint[];
  readonly fee: bigint;
}

export interface Block {
  readonly slot: number;
  readonly parentSlot: number;
  readonly height: number;
  readonly blockhash: string;
  readonly previousBlockhash: string;
  readonly blockTime: number;
  readonly transactions: LedgerTransaction[];
  /** State before this block of every account that it changed. */
  readonly before: Map<string, AccountState | null>;
}

export interface LedgerOptions {
  /** Slots that a block waits for each commitment. */
  readonly confirmedLag: number;
  readonly finalizedLag: number;
  /** Older blocks are forgotten, their transactions are not; all are kept unless said otherwise. */
  readonly keptBlocks?: number;
  /** What time it is for the chain, ms; the machine's clock unless said otherwise. */
  readonly now?: () => number;
}

/** Everything a ledger is, in plain data that structured cloning takes. */
export interface LedgerSnapshot {
  readonly seed: Uint8Array;
  readonly salt: number;
  readonly genesisHash: string;
  readonly blocks: readonly (Omit<Block, 'transactions'> & { readonly signatures: readonly string[] })[];
  readonly transactions: readonly (Omit<LedgerTransaction, 'wire'> & { readonly bytes: Uint8Array })[];
  readonly accounts: readonly (readonly [string, AccountState | null])[];
}

export type SendOutcome =
  { readonly kind: 'landed' } | { readonly kind: 'refused'; readonly execution: Execution };

/**
 * The chain: one open block on top, each block with what it changed, so that the state at any
 * commitment can be told and blocks can be taken back.
 */
export class Ledger {
  readonly machine = new Machine();
  readonly options: LedgerOptions;
  readonly genesisHash: string;
  readonly #seed: Uint8Array;
  readonly #touched = new Set<string>();
  readonly #listeners: (() => void)[] = [];
  #salt = 0;
  #blocks: Block[] = [];
  #byAddress = new Map<string, LedgerTransaction[]>();
  #bySignature = new Map<string, LedgerTransaction>();

  /** @param from a ledger to go on with, instead of a new chain */
  constructor(options: LedgerOptions, from?: LedgerSnapshot) {
    this.options = options;
    this.#seed = from?.seed ?? randomBytes(16);
    if (from === undefined) this.#open(0);
    else this.#restore(from);
    this.genesisHash = from?.genesisHash ?? this.top.blockhash;
  }

  /** Called after each new block was opened. */
  onBlock(listener: () => void): void {
    this.#listeners.push(listener);
  }

  snapshot(): LedgerSnapshot {
    return {
      seed: this.#seed,
      salt: this.#salt,
      genesisHash: this.genesisHash,
      blocks: this.#blocks.map(({ transactions, ...block }) => ({
        ...block,
        signatures: transactions.map(({ wire }) => wire.signature),
      })),
      transactions: [...this.#bySignature.values()].map(({ wire, ...rest }) => ({
        ...rest,
        bytes: wire.bytes,
      })),
      accounts: [...this.#touched].map((address) => [address, this.machine.account(address)] as const),
    };
  }

  #restore({ salt, blocks, transactions, accounts }: LedgerSnapshot): void {
    this.#salt = salt;
    for (const [address, state] of accounts) {
      this.#touched.add(address);
      this.machine.put(address, state);
    }
    for (const { bytes, ...rest } of transactions) this.#index({ ...rest, wire: this.read(bytes) });
    this.#blocks = blocks.map(({ signatures, ...block }) => ({
      ...block,
      transactions: signatures.flatMap((signature) => this.transaction(signature) ?? []),
    }));
    this.machine.warp(this.top.slot, this.top.blockTime);
  }

  get firstSlot(): number {
    return this.#blocks[0]?.slot ?? 0;
  }

  /** The open block: where transactions land now. */
  get top(): Block {
    const top = this.#blocks.at(-1);
    if (top === undefined) throw new Error('a ledger always has a block');
    return top;
  }

  /** The newest block that has a commitment. */
  tip(commitment: Commitment): Block {
    const index = Math.max(0, this.#blocks.length - 1 - this.#lag(commitment));
    return this.#blocks[index] ?? this.top;
  }

  blockAt(slot: number): Block | undefined {
    return this.#blocks.findLast((block) => block.slot === slot);
  }

  blocksBetween(first: number, last: number): Block[] {
    return this.#blocks.filter(({ slot }) => slot >= first && slot <= last);
  }

  commitmentOf(slot: number): Commitment {
    if (slot <= this.tip('finalized').slot) return 'finalized';
    return slot <= this.tip('confirmed').slot ? 'confirmed' : 'processed';
  }

  /** Oldest first. */
  transactionsOf(address: string): readonly LedgerTransaction[] {
    return this.#byAddress.get(address) ?? [];
  }

  transaction(signature: string): LedgerTransaction | undefined {
    return this.#bySignature.get(signature);
  }

  /** An account as it was after the newest block of a commitment. */
  accountAt(address: string, commitment: Commitment): AccountState | null {
    const { slot } = this.tip(commitment);
    for (const block of this.#blocks) {
      if (block.slot > slot && block.before.has(address)) return block.before.get(address) ?? null;
    }
    return this.machine.account(address);
  }

  read(bytes: Uint8Array): WireTransaction {
    return readTransaction(bytes, (address) => this.machine.account(address)?.data ?? null);
  }

  /** Height up to which a blockhash is good; null when it is not of this chain. */
  lastValidHeight(blockhash: string): number | null {
    const block = this.#blocks.find((each) => each.blockhash === blockhash);
    return block === undefined ? null : block.height + BLOCKHASH_LIFETIME;
  }

  /** A dry run against the newest state: no trace remains. */
  simulate(
    wire: WireTransaction,
    { sigVerify, anyBlockhash }: { readonly sigVerify: boolean; readonly anyBlockhash: boolean },
  ): Execution {
    const refusal = anyBlockhash ? null : this.#refusal(wire);
    return refusal ?? this.machine.simulate(wire, { sigVerify });
  }

  send(wire: WireTransaction): SendOutcome {
    const refusal = this.#refusal(wire);
    if (refusal !== null) return { kind: 'refused', execution: refusal };
    for (const key of wire.writableKeys) this.#remember(key);
    const preBalances = wire.keys.map((key) => this.machine.lamports(key));
    const execution = this.machine.execute(wire);
    if (!execution.landed) return { kind: 'refused', execution };
    const postBalances = wire.keys.map((key) => this.machine.lamports(key));
    const { slot, blockTime } = this.top;
    const landed = {
      ...execution,
      wire,
      slot,
      blockTime,
      preBalances,
      postBalances,
      fee: sum(preBalances) - sum(postBalances),
    };
    this.top.transactions.push(landed);
    this.#index(landed);
    return { kind: 'landed' };
  }

  /** Writes an account past all rules, in the open block. */
  put(address: string, state: AccountState): void {
    this.#remember(address);
    this.machine.put(address, state);
  }

  /** Closes the open block and opens the next one, leaving out `skipped` slots. */
  advance(skipped = 0): void {
    this.#open(this.top.slot + 1 + skipped);
    const { keptBlocks = Infinity } = this.options;
    // In bulk: taking one at a time from the front would move all others each time.
    if (this.#blocks.length >= 2 * keptBlocks) this.#blocks = this.#blocks.slice(-keptBlocks);
  }

  /** Takes the newest blocks back, the open one included. Answers them, oldest first. */
  takeBack(count: number): Block[] {
    if (count >= this.#blocks.length) throw new Error('a fork cannot go below the first block');
    const removed = this.#blocks.splice(this.#blocks.length - count);
    for (const block of removed.toReversed()) {
      for (const [address, state] of block.before) this.machine.put(address, state);
      for (const { wire } of block.transactions) this.#bySignature.delete(wire.signature);
    }
    const first = removed[0]?.slot ?? 0;
    for (const [address, all] of this.#byAddress) {
      this.#byAddress.set(
        address,
        all.filter(({ slot }) => slot < first),
      );
    }
    return removed;
  }

  /** Opens a block on top of the newest one at a slot. */
  reopen(slot: number): void {
    this.#open(slot);
  }

  #open(slot: number): void {
    const parent = this.#blocks.at(-1);
    const blockTime = Math.floor((this.options.now ?? Date.now)() / 1000);
    this.#salt += 1;
    const digest = createHash('sha256').update(this.#seed).update(`${slot}/${this.#salt}`).digest();
    const blockhash = base58.encode(digest);
    this.#blocks.push({
      slot,
      parentSlot: parent?.slot ?? 0,
      height: (parent?.height ?? -1) + 1,
      blockhash,
      previousBlockhash: parent?.blockhash ?? '1'.repeat(32),
      blockTime,
      transactions: [],
      before: new Map(),
    });
    this.machine.warp(slot, blockTime);
    for (const listener of this.#listeners) listener();
  }

  #index(transaction: LedgerTransaction): void {
    this.#bySignature.set(transaction.wire.signature, transaction);
    for (const key of new Set(transaction.wire.keys)) {
      this.#byAddress.set(key, [...this.transactionsOf(key), transaction]);
    }
  }

  /** The rules of the status cache, which the machine leaves to us. */
  #refusal(wire: WireTransaction): Execution | null {
    const none = { landed: false, logs: [], unitsConsumed: 0n, innerInstructions: [] };
    if (this.#bySignature.has(wire.signature)) return { ...none, err: 'AlreadyProcessed' };
    const lastValid = this.lastValidHeight(wire.blockhash);
    if (lastValid === null || lastValid < this.top.height) return { ...none, err: 'BlockhashNotFound' };
    return null;
  }

  #remember(address: string): void {
    const { before } = this.top;
    this.#touched.add(address);
    if (!before.has(address)) before.set(address, this.machine.account(address));
  }

  #lag(commitment: Commitment): number {
    if (commitment === 'processed') return 0;
    return commitment === 'confirmed' ? this.options.confirmedLag : this.options.finalizedLag;
  }
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
