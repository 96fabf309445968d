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
  readonly #seed = randomBytes(16);
  #salt = 0;
  #blocks: Block[] = [];
  #byAddress = new Map<string, LedgerTransaction[]>();
  #bySignature = new Map<string, LedgerTransaction>();

  constructor(options: LedgerOptions) {
    this.options = options;
    this.#open(0);
  }

  get genesisHash(): string {
    return this.#blocks[0]?.blockhash ?? '';
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
    this.#index({
      ...execution,
      wire,
      slot,
      blockTime,
      preBalances,
      postBalances,
      fee: sum(preBalances) - sum(postBalances),
    });
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
    const blockTime = Math.floor(Date.now() / 1000);
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
  }

  #index(transaction: LedgerTransaction): void {
    this.top.transactions.push(transaction);
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
