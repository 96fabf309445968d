import { ChainError } from '../../../domain/chain.ts';
import type { UnreadTransactions } from '../../shared/unread-transactions.ts';
import { readWire } from '../sends/message.ts';
import type { RawTransaction } from '../rpc/node-answers.ts';
import type { NodeClient } from '../rpc/node-client.ts';
import { isNotNow } from '../rpc/rpc.ts';

/** An executed transaction reduced to its balance changes. */
export interface LandedTransaction {
  readonly signature: string;
  readonly slot: number;
  readonly failed: boolean;
  readonly fee: bigint;
  /** Static accounts, then those of lookup tables; balances are in this order. */
  readonly keys: readonly string[];
  readonly before: readonly bigint[];
  readonly after: readonly bigint[];
  /** Base64; null for versions whose bytes cannot be decoded. */
  readonly raw: string | null;
}

/**
 * Maximum number of cached transactions; an executed one does not change while it stays in its slot. As many
 * as one scan reads of an account, because an interrupted scan would otherwise start from the beginning.
 */
const CACHED = 20_000;

/** Number of attempts to read a transaction, while other calls succeed, before it is set aside. */
const MAX_ATTEMPTS = 3;

/** A transaction in the history of an account. */
export interface ListedTransaction {
  readonly signature: string;
  readonly slot: number;
}

/**
 * Reads executed transactions from the node, each once per slot. One that the node does not return, or that
 * cannot be parsed, is set aside individually.
 */
export class TransactionReader {
  readonly #client: NodeClient;
  readonly #unread: UnreadTransactions;
  readonly #cache = new Map<string, LandedTransaction>();
  /** Transactions that the node did not return, with the number of attempts. */
  readonly #refused = new Map<string, number>();

  constructor(client: NodeClient, unread: UnreadTransactions) {
    this.#client = client;
    this.#unread = unread;
  }

  /**
   * Null when the node lists a transaction but lacks it or has it in another slot, and for one that is set
   * aside: retry, or use another node.
   * @param watchKey the account whose history lists it
   * @throws {ChainError} when the node does not answer: an outage sets nothing aside.
   */
  async read({ signature, slot }: ListedTransaction, watchKey: string): Promise<LandedTransaction | null> {
    const key = `${signature}@${slot}`;
    const known = this.#cache.get(key);
    if (this.#unread.isResting(signature)) return null;
    if (known?.keys.includes(watchKey)) return known;
    let read: LandedTransaction | null;
    try {
      read = await this.#fetch(signature);
      if (read?.slot !== slot) return null;
      requireAccount(read, watchKey);
    } catch (error) {
      if (!(error instanceof ChainError) || !this.#isUnreadable(signature, error)) throw error;
      const isUnknownVersion = error.kind === 'unknown_version';
      const reason = error.message;
      await this.#unread.failed({ txid: signature, height: slot, watchKey, reason, isUnknownVersion });
      return null;
    }
    this.#refused.delete(signature);
    this.#cache.set(key, read);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > CACHED && oldest !== undefined) this.#cache.delete(oldest);
    return read;
  }

  /** Reads all given transactions in parallel; returns those that the node has, by signature. */
  async readAll(
    listed: readonly ListedTransaction[],
    watchKey: string,
  ): Promise<ReadonlyMap<string, LandedTransaction>> {
    const read = await Promise.all(listed.map(async (each) => this.read(each, watchKey)));
    return new Map(read.filter((each) => each !== null).map((each) => [each.signature, each]));
  }

  /** Whether the transaction is the cause. An unavailable node answers nothing, so other calls fail first. */
  #isUnreadable(signature: string, error: ChainError): boolean {
    if (error.kind === 'bad_answer' || error.kind === 'unknown_version') return true;
    if (error.kind !== 'unavailable' || error.isRateLimited || isNotNow(error)) return false;
    const attempts = (this.#refused.get(signature) ?? 0) + 1;
    this.#refused.set(signature, attempts);
    const [oldest] = this.#refused.keys();
    if (this.#refused.size > CACHED && oldest !== undefined) this.#refused.delete(oldest);
    return attempts >= MAX_ATTEMPTS;
  }

  async #fetch(signature: string): Promise<LandedTransaction | null> {
    const found = await this.#client.rawTransaction(signature);
    if (found === null) return null;
    const [raw] = found.transaction;
    const wire = readWire(raw);
    if (wire !== null) return landed(signature, found, wire.staticKeys, raw);
    // A version newer than the library can decode: the node lists its accounts.
    const listed = await this.#client.jsonTransaction(signature);
    return listed === null ? null : landed(signature, listed, listed.transaction.message.accountKeys, null);
  }
}

function landed(
  signature: string,
  found: Pick<RawTransaction, 'slot' | 'meta'>,
  staticKeys: readonly string[],
  raw: string | null,
): LandedTransaction {
  const { slot, meta } = found;
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  const keys = [...staticKeys, ...writable, ...readonly];
  if (meta.preBalances.length !== keys.length || meta.postBalances.length !== keys.length) {
    throw new ChainError(
      'bad_answer',
      `transaction ${signature} has balances of accounts that it does not list`,
    );
  }
  return {
    signature,
    slot,
    failed: (meta.err ?? null) !== null,
    fee: meta.fee,
    keys,
    before: meta.preBalances,
    after: meta.postBalances,
    raw,
  };
}

/** @throws {ChainError} bad_answer */
function requireAccount(transaction: LandedTransaction, address: string): void {
  if (transaction.keys.includes(address)) return;
  const { signature } = transaction;
  throw new ChainError(
    'bad_answer',
    `transaction ${signature} does not list ${address}, although it is in its history`,
  );
}

/** Balance change of an account in a transaction; negative for an outflow. */
export function balanceChange(transaction: LandedTransaction, address: string): bigint {
  const index = transaction.keys.indexOf(address);
  const before = transaction.before[index];
  const after = transaction.after[index];
  if (before === undefined || after === undefined) {
    throw new ChainError('bad_answer', `transaction ${transaction.signature} does not touch ${address}`);
  }
  return after - before;
}
